package load

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// quiet returns a function that says whether nothing waits to be read, not even the end.
func quiet(socket net.Conn) func() bool {
	s, ok := socket.(syscall.Conn)
	if !ok {
		return func() bool { return true }
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return func() bool { return false }
	}
	var fds [1]unix.PollFd
	var nothing bool
	look := func(fd uintptr) {
		fds[0] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
		n, err := unix.Poll(fds[:], 0)
		nothing = n == 0 && err == nil
	}
	return func() bool {
		nothing = false
		return raw.Control(look) == nil && nothing // Control, not Read: that one minds the deadline of the exchange before
	}
}
