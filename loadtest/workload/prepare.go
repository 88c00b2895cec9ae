package workload

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"sync"

	"splitshop/loadtest/load"
)

// Preparation says what Prepare makes and who watches it.
type Preparation struct {
	Mix    load.Mix
	Leases int    // carts of each kind that the mix needs: at least as many as there are virtual users
	Seed   uint32 // which products are in the carts

	// Watch, if not nil, is told now and then how far a stage is; of is 0 where the end is not known.
	Watch func(stage string, done, of int)
}

// makers is how many carts are made at once.
const makers = 16

// Prepare walks the catalogue for its cursors and makes the carts that iterations will lease. Nothing of it is measured.
func Prepare(ctx context.Context, t load.Transport, p Preparation) (*Shop, error) {
	if p.Watch == nil {
		p.Watch = func(string, int, int) {}
	}
	w := &Shop{}
	if err := w.walk(ctx, t.Exchanger(), p.Watch); err != nil {
		return nil, fmt.Errorf("walking the catalogue: %w", err)
	}
	w.carts, w.empty = make(chan *lease, p.Leases), make(chan *lease, p.Leases)
	if has(p.Mix, Cart) {
		if len(w.products) < linesOfCart {
			return nil, fmt.Errorf("the catalogue has %d products; carts of %d lines need more", len(w.products), linesOfCart)
		}
		if err := w.makeCarts(ctx, t, p, "carts with five lines", w.carts, linesOfCart); err != nil {
			return nil, err
		}
	}
	if has(p.Mix, Checkout) {
		if err := w.makeCarts(ctx, t, p, "empty carts", w.empty, 0); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// walk reads the whole catalogue once.
func (w *Shop) walk(ctx context.Context, ex load.Exchanger, watch func(string, int, int)) error {
	for cursor := (*string)(nil); ; {
		p := &page{}
		p.cheap = load.Request{Route: "GET /products", Method: "GET", Path: fmt.Sprintf("/products?limit=%d", PageSize)}
		if cursor != nil {
			p.cheap.Path += "&after=" + url.QueryEscape(*cursor)
		}
		body, err := exchange(ctx, ex, &p.cheap)
		if err != nil {
			return err
		}
		got, err := readPage(body)
		if err != nil {
			return err
		}
		if len(got.Products) == 0 || len(got.Products) < PageSize && got.Next != nil {
			return fmt.Errorf("%s answered %d products", p.cheap.Path, len(got.Products))
		}
		p.count, p.first = len(got.Products), got.Products[0].ID
		if n := len(w.products); n > 0 && p.first <= w.products[n-1] { // it would go round for ever
			return fmt.Errorf("%s goes back to product %d", p.cheap.Path, p.first)
		}
		p.full = p.cheap
		p.cheap.Check, p.full.Check = p.checkCheap, p.checkFull
		w.pages = append(w.pages, p)
		for _, product := range got.Products {
			w.products = append(w.products, product.ID)
		}
		watch("pages of the catalogue", len(w.pages), 0)
		if cursor = got.Next; cursor == nil {
			return nil
		}
	}
}

// makeCarts fills a pool with carts of so many lines.
func (w *Shop) makeCarts(ctx context.Context, t load.Transport, p Preparation, stage string, pool chan<- *lease, lines int) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var wg sync.WaitGroup
	for m := range makers {
		ex := t.Exchanger()
		wg.Go(func() {
			for i := m; i < cap(pool) && ctx.Err() == nil; i += makers {
				l, err := w.makeCart(ctx, ex, load.NewRandom(p.Seed+uint32(i)), lines)
				if err != nil {
					stop(fmt.Errorf("making %s: %w", stage, err))
					return
				}
				pool <- l // never full: it has room for all
				p.Watch(stage, len(pool), cap(pool))
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

func (w *Shop) makeCart(ctx context.Context, ex load.Exchanger, r *load.Random, lines int) (*lease, error) {
	body, err := exchange(ctx, ex, &load.Request{Method: "POST", Path: "/carts"})
	if err != nil {
		return nil, err
	}
	var cart cartAnswer
	if err := json.Unmarshal(body, &cart); err != nil || cart.ID == "" {
		return nil, fmt.Errorf("POST /carts answered %.200q: no id", body)
	}
	l := newLease(cart.ID)
	if lines == 0 {
		return l, nil
	}
	first, products := r.Below(len(w.products)), make([]int64, lines)
	for i := range products { // far apart, so that each is another
		products[i] = w.products[(first+i*(len(w.products)/lines))%len(w.products)]
	}
	l.fill(products)
	for i := range l.lines {
		if _, err := exchange(ctx, ex, &load.Request{Method: "POST", Path: l.lines[i].add.Path, Body: l.lines[i].add.Body}); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// exchange makes one request of the preparation, which must succeed.
func exchange(ctx context.Context, ex load.Exchanger, req *load.Request) ([]byte, error) {
	var resp load.Response
	if err := ex.Exchange(ctx, req, &resp); err != nil {
		return nil, fmt.Errorf("%s %s: %w", req.Method, req.Path, err)
	}
	if resp.Status < 200 || resp.Status > 299 {
		return nil, fmt.Errorf("%s %s answered %d: %.200s", req.Method, req.Path, resp.Status, resp.Body)
	}
	return resp.Body, nil
}
