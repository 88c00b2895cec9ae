package process

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// Commands is the grammar of a server binary: it serves with the flags of S unless told otherwise.
type Commands[S any] struct {
	Serve       S           `cmd:"" default:"withargs" help:"Serve (the default)."`
	Healthcheck Healthcheck `cmd:"" help:"Ask the server that runs here whether it is ready: exit code 0 if so, 1 if not."`
}

// Healthcheck asks another process of the same binary whether it is ready. It is for containers, whose image has nothing
// but the binary in it.
type Healthcheck struct {
	AdminAddr string `default:"${admin_addr}" help:"The --admin-addr of the server to ask."`
}

// Run returns nil where the server is ready, and an error that says why not.
func (h *Healthcheck) Run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout+time.Second) // the server's own answer comes first
	defer cancel()
	var dialer net.Dialer
	client := http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			if path, isUnix := strings.CutPrefix(h.AdminAddr, unixPrefix); isUnix {
				return dialer.DialContext(ctx, "unix", path)
			}
			return dialer.DialContext(ctx, "tcp", reachable(h.AdminAddr))
		},
		DisableKeepAlives: true,
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://admin/readyz", nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("no answer at %s: %w", h.AdminAddr, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		why, _ := io.ReadAll(io.LimitReader(response.Body, 1<<10)) // what there is of it
		return fmt.Errorf("%s: %s", response.Status, strings.TrimSpace(string(why)))
	}
	return nil
}

// reachable is where to reach a listener: one on every address is reached by the loopback one.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr // dialling it says what is wrong
	}
	if ip, err := netip.ParseAddr(host); host == "" || (err == nil && ip.IsUnspecified()) {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return addr
}
