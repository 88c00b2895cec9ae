package test

import (
	"bufio"
	"context"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splitshop/domain"
	"splitshop/test/shopping"
	"splitshop/transport/grpcapi"
)

// internalCalls counts the calls between services that each public request makes, by what the services themselves count.
func internalCalls(t *testing.T, p *topology) {
	g := p.Goods(t)
	type calls map[string]int
	for _, tt := range []struct {
		kind string
		want calls
	}{
		{shopping.Page, calls{"Catalog/Products": 1}},
		{shopping.Product, calls{"Catalog/Product": 1}},
		{shopping.NewCart, calls{"Carts/CreateCart": 1}},
		{shopping.ViewEmpty, calls{"Carts/Items": 1}},
		{shopping.ViewCart, calls{"Carts/Items": 1, "Catalog/Lookup": 1}},
		{shopping.Addition, calls{"Catalog/Product": 1, "Carts/AddItem": 1}},
		{shopping.Setting, calls{"Catalog/Product": 1, "Carts/SetItem": 1}},
		{shopping.Removal, calls{"Carts/RemoveItem": 1}},
		{shopping.Checkout, calls{"Orders/PlaceOrder": 1, "Carts/Items": 1, "Catalog/Lookup": 1, "Carts/Take": 1}},
		{shopping.ViewOrder, calls{"Orders/Order": 1}},
	} {
		got := callsDuring(t, p, func() {
			if a := p.Send(t.Context(), g.Request(tt.kind)); a.Err != nil || a.Status >= http.StatusMultipleChoices {
				t.Errorf("%s: %v", tt.kind, a)
			}
		})
		if diff := cmp.Diff(map[string]int(tt.want), got); diff != "" {
			t.Errorf("calls of %s (-want +got):\n%s", tt.kind, diff)
		}
	}
	t.Run("one more is noticed", func(t *testing.T) { oneCallMore(t, p, g) })
}

// oneCallMore is the negative control: a call that no public request makes is counted with those of one.
func oneCallMore(t *testing.T, p *topology, g shopping.Goods) {
	conn, err := grpcapi.Dial(p.Part("catalog").Addr)
	must(t, err)
	defer conn.Close()
	got := callsDuring(t, p, func() {
		must(t, p.Send(t.Context(), g.Request(shopping.Page)).Want(http.StatusOK))
		_, err := grpcapi.NewCatalog(conn).Lookup(t.Context(), []domain.ProductID{1})
		must(t, err)
	})
	if diff := cmp.Diff(map[string]int{"Catalog/Products": 1, "Catalog/Lookup": 1}, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// callsDuring returns how often each operation of the services was called meanwhile.
func callsDuring(t *testing.T, p *topology, do func()) map[string]int {
	t.Helper()
	before := countedCalls(t, p)
	do()
	calls := countedCalls(t, p)
	for op, n := range before {
		if calls[op] -= n; calls[op] == 0 {
			delete(calls, op)
		}
	}
	return calls
}

var callCount = regexp.MustCompile(`^shop_grpc_seconds_count\{op="([^"]+)",outcome="[^"]+"\} (\d+)$`)

// countedCalls adds up what the services show at /metrics, all outcomes together.
func countedCalls(t *testing.T, p *topology) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, part := range p.processes() {
		page := p.adminPage(context.Background(), part, "/metrics")
		if page.Err != nil || page.Status != http.StatusOK {
			t.Fatalf("/metrics of %s: %v", part.Name, page)
		}
		for lines := bufio.NewScanner(strings.NewReader(page.Body)); lines.Scan(); {
			if m := callCount.FindStringSubmatch(lines.Text()); m != nil {
				n, err := strconv.Atoi(m[2])
				must(t, err)
				counts[m[1]] += n
			}
		}
	}
	return counts
}
