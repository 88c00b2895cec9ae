package workload

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"splitshop/loadtest/load"
)

// Books are the orders that were answered, set against the orders that can be read back. What was answered is read back,
// missing, wrong or none of these: then the shop did not say.
type Books struct {
	Answered  int64  `json:"answered"`  // orders answered with a 2xx, those of the warm-up too
	Uncertain int64  `json:"uncertain"` // orders asked for without an answer that tells whether they exist
	ReadBack  int64  `json:"read_back"` // as they were answered
	Missing   int64  `json:"missing"`   // the shop says that there is no such order
	Wrong     int64  `json:"wrong"`     // with other lines or another total
	Example   string `json:"example"`   // in words, of one that was not read back as it was answered
}

// ledger holds the orders of one shop.
type ledger struct {
	mu        sync.Mutex
	orders    []placed
	uncertain int64
}

// placed is an order that was answered.
type placed struct {
	path    string // its Location
	product int64  // that was added last
	alone   bool   // there was nothing else in the cart
	total   int64  // as answered; unknownTotal
}

const unknownTotal = -1

// enter keeps what became of a request for an order.
func (b *ledger) enter(resp *load.Response, product int64, alone bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case done(resp) && resp.Location != "":
		b.orders = append(b.orders, placed{resp.Location, product, alone, totalOf(resp.Body)})
	case done(resp), mayCome(resp):
		b.uncertain++
	}
}

var totalAmount = []byte(`"total":{"amount":`)

// totalOf is an order's total, without decoding the order where it is written as usual.
func totalOf(body []byte) int64 {
	if _, after, ok := bytes.Cut(body, totalAmount); ok {
		digits := 0
		for digits < len(after) && after[digits] >= '0' && after[digits] <= '9' {
			digits++
		}
		if n, err := strconv.ParseInt(string(after[:digits]), 10, 64); err == nil {
			return n
		}
	}
	var order struct {
		Total *money `json:"total"`
	}
	if json.Unmarshal(body, &order) != nil || order.Total == nil {
		return unknownTotal
	}
	return order.Total.Amount
}

const (
	readers    = 16                     // of orders, at once
	readTries  = 5                      // of one order, before the shop is said not to answer
	readPause  = 200 * time.Millisecond // between two of these: the shop may still be busy with what was sent before
	mostUnread = 16                     // orders, after which it is given up
)

// Audit reads every order back that was answered since the shop was prepared. It is for after the load. watch, if not nil, is
// told now and then how far it is. An error only where ctx is done.
func (w *Shop) Audit(ctx context.Context, t load.Transport, watch func(stage string, done, of int)) (Books, error) {
	w.ledger.mu.Lock()
	orders := w.ledger.orders
	books := Books{Answered: int64(len(orders)), Uncertain: w.ledger.uncertain}
	w.ledger.mu.Unlock()
	var next, unread atomic.Int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range min(readers, len(orders)) {
		ex := t.Exchanger()
		wg.Go(func() {
			for ctx.Err() == nil && unread.Load() < mostUnread {
				i := int(next.Add(1)) - 1
				if i >= len(orders) {
					return
				}
				err := orders[i].readBack(ctx, ex)
				mu.Lock()
				books.note(err, &unread)
				mu.Unlock()
				if watch != nil {
					watch("orders read back", i+1, len(orders))
				}
			}
		})
	}
	wg.Wait()
	return books, context.Cause(ctx)
}

var (
	errMissing = errors.New("there is no such order")
	errUnread  = errors.New("it cannot be read")
)

// note counts what came of reading one order back.
func (b *Books) note(err error, unread *atomic.Int64) {
	switch {
	case err == nil:
		b.ReadBack++
		return
	case errors.Is(err, errUnread):
		unread.Add(1)
	case errors.Is(err, errMissing):
		b.Missing++
	default:
		b.Wrong++
	}
	if b.Example == "" {
		b.Example = err.Error()
	}
}

// readBack returns what is wrong with an order; nil where it is as it was answered.
func (p *placed) readBack(ctx context.Context, ex load.Exchanger) error {
	var resp load.Response
	var last error
	for try := range readTries {
		if try > 0 {
			select {
			case <-time.After(readPause):
			case <-ctx.Done():
				return fmt.Errorf("%s: %w: %w", p.path, errUnread, context.Cause(ctx))
			}
		}
		switch err := ex.Exchange(ctx, &load.Request{Method: "GET", Path: p.path}, &resp); {
		case err != nil:
			last = err
		case resp.Status == 404:
			return fmt.Errorf("%s: %w", p.path, errMissing)
		case resp.Status == 200:
			return p.compare(resp.Body)
		default:
			last = fmt.Errorf("status %d", resp.Status)
		}
	}
	return fmt.Errorf("%s: %w: %w", p.path, errUnread, last)
}

// compare sets an order that was read back against what was answered.
func (p *placed) compare(body []byte) error {
	got, err := readLines(body)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", p.path, err)
	case p.total != unknownTotal && got.Total.Amount != p.total:
		return fmt.Errorf("%s: the total is %d, answered was %d", p.path, got.Total.Amount, p.total)
	case !hasProduct(got.Lines, p.product):
		return fmt.Errorf("%s: no line of product %d: %+v", p.path, p.product, got.Lines)
	case p.alone && (len(got.Lines) != 1 || got.Lines[0].Quantity != 1):
		return fmt.Errorf("%s: %+v is not one of product %d", p.path, got.Lines, p.product)
	}
	return nil
}

func hasProduct(lines []lineAnswer, product int64) bool {
	for _, l := range lines {
		if l.ProductID == product && l.Quantity > 0 {
			return true
		}
	}
	return false
}
