package domain_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"splitshop/domain"
)

func TestOrderStandsWhenItsCartIsNotCleared(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s := newStage(t, &log)
	p := s.product(1249)
	id := s.cart(p)
	s.calls.fails, s.calls.err = "Take", errors.New("the cart service is gone")

	order, err := s.shop.PlaceOrder(t.Context(), id)
	if err != nil {
		t.Fatalf("the order stands, so there is no error: %v", err)
	}
	stored, err := s.memory.Order(t.Context(), order.ID)
	if diff := cmp.Diff(order, stored); diff != "" || err != nil {
		t.Errorf("stored order: %v (-want +got):\n%s", err, diff)
	}
	s.holds(id, p)

	var line struct{ Level, Msg, Order, Error string }
	if err := json.Unmarshal([]byte(log.String()), &line); err != nil || strings.Count(log.String(), "\n") != 1 {
		t.Fatalf("want one line of JSON, got %v: %s", err, log.String())
	}
	if line.Level != "ERROR" || line.Msg != "order stands but its cart was not cleared" || line.Order != order.ID.String() ||
		line.Error != "the cart service is gone" {
		t.Errorf("logged %+v", line)
	}
	if strings.Contains(log.String(), id.String()) {
		t.Errorf("the cart's id is a secret, and logged: %s", log.String())
	}
}

func TestCartStaysWhenTheOrderIsNotKept(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s := newStage(t, &log)
	p := s.product(1249)
	id := s.cart(p)
	s.calls.fails, s.calls.err = "Insert", domain.Wrap(domain.Unavailable, errors.New("connection refused"))

	order, err := s.shop.PlaceOrder(t.Context(), id)
	wantRefusal(t, err, domain.Unavailable, "", "a part of the shop is not available; nothing was done, try again")
	if diff := cmp.Diff(domain.Order{}, order); diff != "" {
		t.Errorf("an order with the error:\n%s", diff)
	}
	s.calls.want(t, "PlaceOrder", "Items", "Lookup", "Insert")
	s.holds(id, p)
	if log.Len() > 0 {
		t.Errorf("logged, although the caller is told: %s", log.String())
	}

	s.calls.fails = ""
	if _, err := s.shop.PlaceOrder(t.Context(), id); err != nil {
		t.Errorf("trying again: %v", err)
	}
	s.holds(id)
}

func TestCheckoutLogsNothingWhenAllIsWell(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s := newStage(t, &log)
	if _, err := s.shop.PlaceOrder(t.Context(), s.cart(s.product(100))); err != nil || log.Len() > 0 {
		t.Errorf("error %v, log %q", err, log.String())
	}
}

func TestNewOrder(t *testing.T) {
	t.Parallel()
	line := func(p domain.ProductID, withdrawn bool) domain.Line {
		return domain.Line{ProductID: p, Name: "x", Quantity: 2, UnitPrice: domain.Cents(105), Total: domain.Cents(210),
			Withdrawn: withdrawn}
	}
	id := domain.NewCartID()
	now := time.Date(2026, 1, 2, 3, 4, 5, 678_901_999, time.FixedZone("", 2*3600))
	for _, tt := range []struct {
		name   string
		lines  []domain.Line
		detail string
	}{
		{"two lines", []domain.Line{line(1, false), line(2, false)}, ""},
		{"none", nil, "the cart is empty: there is nothing to order"},
		{"the second withdrawn", []domain.Line{line(1, false), line(2, true)},
			"product 2 is no longer sold: remove it from the cart"},
		{"both withdrawn", []domain.Line{line(1, true), line(2, true)},
			"product 1 is no longer sold: remove it from the cart"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cart, err := domain.NewCart(id, tt.lines)
			if err != nil {
				t.Fatal(err)
			}
			order, err := domain.NewOrder(cart, now)
			if tt.detail != "" {
				wantRefusal(t, err, domain.Conflict, "", tt.detail)
				return
			}
			want := domain.Order{ID: order.ID, CartID: id, Lines: tt.lines, Total: domain.Cents(420),
				PlacedAt: time.Date(2026, 1, 2, 1, 4, 5, 678_901_000, time.UTC)}
			if diff := cmp.Diff(want, order); diff != "" || err != nil || order.ID == (domain.OrderID{}) {
				t.Errorf("order %v: %v (-want +got):\n%s", order.ID, err, diff)
			}
		})
	}
}

func TestNewLineAndNewCart(t *testing.T) {
	t.Parallel()
	sold, err := domain.NewLine(domain.Product{ID: 1, Name: "sold", Price: domain.Cents(1249)}, 10)
	if err != nil {
		t.Fatal(err)
	}
	want := domain.Line{ProductID: 1, Name: "sold", Quantity: 10, UnitPrice: domain.Cents(1249), Total: domain.Cents(12490)}
	if diff := cmp.Diff(want, sold); diff != "" {
		t.Errorf("line (-want +got):\n%s", diff)
	}
	gone, err := domain.NewLine(domain.Product{ID: 2, Name: "gone", Price: domain.Cents(5), Withdrawn: true}, 3)
	if err != nil || !gone.Withdrawn || gone.Total != domain.Cents(15) {
		t.Errorf("withdrawn line %+v, %v", gone, err)
	}
	cart, err := domain.NewCart(domain.NewCartID(), []domain.Line{sold, gone})
	if err != nil || cart.Total != domain.Cents(12490) || len(cart.Lines) != 2 {
		t.Errorf("cart %+v, %v", cart, err)
	}
	_, err = domain.NewLine(domain.Product{ID: 3, Price: domain.Cents(1 << 62)}, 2)
	wantRefusal(t, err, domain.Internal, "", "internal error")
	if err != nil && !strings.Contains(err.Error(), "product 3") {
		t.Errorf("the log would not say which product: %v", err)
	}
}
