package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"splitshop/loadtest/load"
	"splitshop/loadtest/workload"
)

// offering is the load of one run, as data: who offers it may be another process. It has one of the two.
type offering struct {
	Open   *load.Plan  `json:"open,omitempty"`
	Closed *closedLoop `json:"closed,omitempty"`
}

// closedLoop is users without think time.
type closedLoop struct {
	Mix      load.Mix      `json:"mix"`
	Seed     uint32        `json:"seed"`
	Duration time.Duration `json:"duration_ns"`
}

func open(plan load.Plan) offering { return offering{Open: &plan} }

func closedOffering(mix load.Mix, seed uint32, d time.Duration) offering {
	return offering{Closed: &closedLoop{Mix: mix, Seed: seed, Duration: d}}
}

// with offers the load with a configuration.
func (o offering) with(ctx context.Context, cfg load.Config) (load.Record, error) {
	switch {
	case o.Open != nil && o.Closed == nil:
		return load.Open(ctx, cfg, *o.Open)
	case o.Closed != nil && o.Open == nil:
		return load.Closed(ctx, cfg, o.Closed.Mix, o.Closed.Seed, o.Closed.Duration)
	}
	return load.Record{}, errors.New("a load is either open or closed")
}

// generator offers loads to one started shop, for which it has made the carts. It is this process, or one in a container.
type generator interface {
	// offer makes one run. What its users do is added up in live meanwhile; boundary is load.Config.Boundary. A cancelled ctx
	// ends the run early, and the record says so. An error means that there is no record.
	offer(ctx context.Context, users int, o offering, live *load.Progress, boundary func(int)) (load.Record, error)

	// audit reads back the orders that were answered so far. An error where that cannot be known.
	audit(ctx context.Context, watch watching) (workload.Books, error)

	// close ends the connections, and returns what is to be said of them.
	close() (warnings []string)
}

// preparation is what a generator is told before its first run.
type preparation struct {
	URL       string        `json:"url"`
	Client    string        `json:"client"` // --client
	Mix       load.Mix      `json:"mix"`
	Seed      uint32        `json:"seed"`
	Leases    int           `json:"leases"` // of each kind
	Conns     int           `json:"conns"`  // at most, where the client has a limit
	Timeout   time.Duration `json:"timeout_ns"`
	Drain     time.Duration `json:"drain_ns"`
	LateLimit time.Duration `json:"late_limit_ns"`
}

// preparation is what the lab tells the generator of a shop at an address, for so many users.
func (l *lab) preparation(url string, users int) preparation {
	return preparation{URL: url, Client: l.flags.Client, Mix: l.mix, Seed: l.flags.Seed, Leases: leases(users), Conns: max(users, closedUsers),
		Timeout: load.DefaultTimeout, Drain: load.DefaultDrain, LateLimit: load.DefaultLateLimit}
}

// watching is workload.Preparation.Watch.
type watching func(stage string, done, of int)

// transport is a client that can be closed.
type transport interface {
	load.Transport
	Close()
}

func (p preparation) transport() (transport, error) {
	if p.Client == "net/http" {
		return load.NewHTTP(p.URL, p.Conns, p.Timeout)
	}
	return load.NewHTTP1(p.URL, p.Timeout)
}

// ourUsers is the generator that is this process.
type ourUsers struct {
	shop      *workload.Shop
	transport transport
	cfg       load.Config
}

var _ generator = (*ourUsers)(nil)

// prepare makes carts in the shop, and the generator that uses them.
func (p preparation) prepare(ctx context.Context, clock load.Clock, watch watching) (*ourUsers, error) {
	tr, err := p.transport()
	if err != nil {
		return nil, err
	}
	shop, err := workload.Prepare(ctx, tr, workload.Preparation{Mix: p.Mix, Leases: p.Leases, Seed: p.Seed, Watch: watch})
	if err != nil {
		tr.Close()
		return nil, err
	}
	cfg := load.Config{Workload: shop, Transport: tr, Clock: clock, Timeout: p.Timeout, Drain: p.Drain, LateLimit: p.LateLimit}
	return &ourUsers{shop: shop, transport: tr, cfg: cfg}, nil
}

func (u *ourUsers) offer(ctx context.Context, users int, o offering, live *load.Progress, boundary func(int)) (load.Record, error) {
	cfg := u.cfg
	cfg.Users, cfg.Progress, cfg.Boundary = users, live, boundary
	return o.with(ctx, cfg)
}

func (u *ourUsers) audit(ctx context.Context, watch watching) (workload.Books, error) {
	return u.shop.Audit(ctx, u.transport, watch)
}

func (u *ourUsers) close() []string {
	defer u.transport.Close()
	return u.warnings()
}

// warnings are what is to be said of the connections so far.
func (u *ourUsers) warnings() []string {
	if own, ok := u.transport.(*load.HTTP1); ok && own.Reconnects() > 0 {
		return []string{fmt.Sprintf("%d times a connection had ended and was made anew", own.Reconnects())}
	}
	return nil
}
