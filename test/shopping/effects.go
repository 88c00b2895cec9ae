package shopping

import (
	"testing"
	"time"
)

// Effects is what each kind of request is answered while one service is dead: 503 where the service is needed (nothing was
// done), and as ever where it is not. A request that was in the service's hands when it died is 502 (may have executed).
var Effects = []struct {
	Kind                           string
	Healthy, catalog, cart, orders int
}{
	{Page, 200, 503, 200, 200},
	{Product, 200, 503, 200, 200},
	{NewCart, 201, 201, 503, 201},
	{ViewCart, 200, 503, 503, 200},
	{ViewEmpty, 200, 200, 503, 200},
	{Addition, 200, 503, 503, 200},
	{Setting, 200, 503, 503, 200},
	{Removal, 204, 204, 503, 204},
	{ViewOrder, 200, 200, 200, 503},
	{Checkout, 201, 503, 503, 503},
}

// WhenDead looks up what a kind of request is answered, all being well and with a service dead.
func WhenDead(kind, service string) (healthy, dead int) {
	for _, e := range Effects {
		if e.Kind == kind {
			return e.Healthy, map[string]int{"catalog": e.catalog, "cart": e.cart, "orders": e.orders}[service]
		}
	}
	return 0, 0
}

// OnlyWhile checks that failures are of requests which need the service, and that they fell in a time. It returns them.
func OnlyWhile(t testing.TB, results []Result, service string, from, to time.Time) []Result {
	t.Helper()
	failed := Failures(results)
	for _, r := range failed {
		if r.Err != nil {
			t.Errorf("%s got no answer: %v", r.Route, r.Err)
			continue
		}
		if err := r.WellFormed(); err != nil {
			t.Errorf("%s: %v", r.Route, err)
		}
		if healthy, now := WhenDead(r.Route, service); now == healthy {
			t.Errorf("%s does not need %s, and failed: %v", r.Route, service, r.Answer)
		}
		if r.Done.Before(from) || r.Sent.After(to) {
			t.Errorf("%s was answered %v after the time in which it may fail began, and sent %v after that ended: %v",
				r.Route, r.Done.Sub(from), r.Sent.Sub(to), r.Answer)
		}
	}
	t.Logf("%d of %d requests failed, within %v", len(failed), len(results), to.Sub(from))
	return failed
}
