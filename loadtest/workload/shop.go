package workload

import (
	"splitshop/loadtest/load"
)

// PageSize is how many products a page has that is not the last.
const PageSize = 20

const (
	fullCheck = 64 // one answer in so many is checked in full
	readBit   = 1 << 8
)

// page is one page of the catalogue, as the walk before the run found it.
type page struct {
	cheap, full load.Request // the same request with either check
	count       int
	first       int64
}

// Shop is the workload of one run against one prepared shop.
type Shop struct {
	pages    []*page
	products []int64
	carts    chan *lease // with five lines, for Cart; first in, first out, so that all are used alike
	empty    chan *lease // for Checkout
	ledger   ledger
}

var _ load.Workload = (*Shop)(nil)

// Run is documented at load.Workload.
func (w *Shop) Run(s *load.Session, it load.Iteration) bool {
	switch it.Kind {
	case Cart:
		return w.cart(s, it)
	case Checkout:
		return w.checkout(s, it)
	default:
		p := w.pages[load.Scale(it.Draw, len(w.pages))]
		if it.Draw%fullCheck == 0 {
			s.Send(&p.full)
		} else {
			s.Send(&p.cheap)
		}
		return true
	}
}

func (w *Shop) cart(s *load.Session, it load.Iteration) bool {
	l := take(w.carts, it)
	if l == nil {
		return false
	}
	if it.Draw&readBit == 0 {
		s.Send(&l.read)
	} else {
		l.line = load.Scale(it.Draw, linesOfCart)
		_, ok := s.Send(&l.lines[l.line].add)
		l.sure = l.sure && ok
		l.lines[l.line].quantity++ // also after a failure, which may have been carried out
	}
	if !l.worn() {
		w.carts <- l
	}
	return true
}

func (w *Shop) checkout(s *load.Session, it load.Iteration) bool {
	l := take(w.empty, it)
	if l == nil {
		return false
	}
	product := w.products[load.Scale(it.Draw, len(w.products))]
	add := l.addition(product)
	add.Check = checkAdded
	resp, ok := s.Send(&add)
	l.late = l.late || mayCome(resp)
	if ok {
		resp, _ = s.Send(&l.order)
		w.ledger.enter(resp, product, l.sure)
		l.late = l.late || mayCome(resp)
	}
	l.sure = ok && done(resp) && !l.late // an order empties the cart; anything else may have left the item in it
	w.empty <- l
	return true
}

// done says that a request was carried out.
func done(resp *load.Response) bool { return resp.Status >= 200 && resp.Status <= 299 }

// mayCome says that it is not known whether a request was carried out, or may be yet.
func mayCome(resp *load.Response) bool { return resp.Status == 0 || resp.Status >= 500 }

func checkAdded(resp *load.Response) error { return expectNames(resp.Body, quantityName, 1) }

// take leases a cart, or returns nil where none is left: a run never waits for one.
func take(pool chan *lease, it load.Iteration) *lease {
	select {
	case l := <-pool:
		l.full = it.Draw%fullCheck == 0
		return l
	default:
		return nil
	}
}
