//go:build !linux

package load

import "net"

// quiet cannot look here: a connection that the server closed meanwhile is found out by the next request, which fails.
func quiet(net.Conn) func() bool { return func() bool { return true } }
