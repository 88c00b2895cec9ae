package workload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"splitshop/loadtest/load"
)

// The public API's answers, as far as a client of this lab looks at them.
type (
	money struct {
		Amount   int64  `json:"amount"`
		Currency string `json:"currency"`
	}
	pageAnswer struct {
		Products []struct {
			ID    int64  `json:"id"`
			Name  string `json:"name"`
			Price money  `json:"price"`
		} `json:"products"`
		Next *string `json:"next"`
	}
	lineAnswer struct {
		ProductID int64 `json:"product_id"`
		Quantity  int   `json:"quantity"`
		UnitPrice money `json:"unit_price"`
		LineTotal money `json:"line_total"`
	}
	// cartAnswer is a cart's and an order's answer alike.
	cartAnswer struct {
		ID    string       `json:"id"`
		Lines []lineAnswer `json:"lines"`
		Total money        `json:"total"`
	}
)

// The names whose occurrences the cheap checks count. JSON escapes quotes, so none of them occurs inside a text.
var (
	idName        = []byte(`"id"`)
	productIDName = []byte(`"product_id"`)
	totalName     = []byte(`"total"`)
	quantityName  = []byte(`"quantity"`)
)

// expectNames is the cheap check: an object in which a name occurs so many times.
func expectNames(body []byte, name []byte, want int) error {
	body = bytes.TrimSpace(body)
	if len(body) < 2 || body[0] != '{' || body[len(body)-1] != '}' {
		return errors.New("not a JSON object")
	}
	if got := bytes.Count(body, name); got != want {
		return fmt.Errorf("%s occurs %d times, not %d", name, got, want)
	}
	return nil
}

// readPage reads a page and checks what holds for every page.
func readPage(body []byte) (pageAnswer, error) {
	var p pageAnswer
	if err := json.Unmarshal(body, &p); err != nil {
		return p, fmt.Errorf("page: %w", err)
	}
	last := int64(0)
	for _, product := range p.Products {
		if product.ID <= last || product.Name == "" || product.Price.Amount < 1 || product.Price.Currency == "" {
			return p, fmt.Errorf("page: product %d after %d: %+v", product.ID, last, product)
		}
		last = product.ID
	}
	return p, nil
}

// readLines reads a cart or an order and checks its sums.
func readLines(body []byte) (cartAnswer, error) {
	var c cartAnswer
	if err := json.Unmarshal(body, &c); err != nil {
		return c, err
	}
	sum := int64(0)
	for _, l := range c.Lines {
		if l.LineTotal.Amount != l.UnitPrice.Amount*int64(l.Quantity) {
			return c, fmt.Errorf("line of product %d: %d x %d is not %d", l.ProductID, l.Quantity, l.UnitPrice.Amount, l.LineTotal.Amount)
		}
		sum += l.LineTotal.Amount
	}
	if c.ID == "" || c.Total.Amount != sum {
		return c, fmt.Errorf("the lines add up to %d, the total is %d", sum, c.Total.Amount)
	}
	return c, nil
}

// checkPage is the full check of a page of this run's catalogue, which does not change while it runs.
func (p *page) checkFull(resp *load.Response) error {
	got, err := readPage(resp.Body)
	if err != nil {
		return err
	}
	if len(got.Products) != p.count || got.Products[0].ID != p.first {
		return fmt.Errorf("page: %d products, not the %d from id %d", len(got.Products), p.count, p.first)
	}
	return nil
}

func (p *page) checkCheap(resp *load.Response) error { return expectNames(resp.Body, idName, p.count) }
