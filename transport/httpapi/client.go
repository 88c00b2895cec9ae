package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"

	"splitshop/domain"
)

// maxAnswer bounds what the client reads of an answer, in bytes; the largest (100 names of 200 code points) is a tenth of it.
const maxAnswer = 1 << 20

// Client is a domain.Shop over the public API. It reads answers strictly: one that openapi.yaml does not describe is
// Internal. A server that could not be reached is Unavailable; one that was lost later is MayHaveExecuted; an ended
// context is Deadline. It repeats nothing and follows no redirect.
type Client struct {
	base string
	http *http.Client
}

var _ domain.Shop = (*Client)(nil)

// NewClient returns a client of the API at baseURL ("http://127.0.0.1:8080"), over hc (nil: http.DefaultClient).
func NewClient(baseURL string, hc *http.Client) *Client {
	if hc == nil {
		hc = http.DefaultClient
	}
	own := *hc
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{base: strings.TrimSuffix(baseURL, "/"), http: &own}
}

// Products is documented at domain.Catalog.
func (c *Client) Products(ctx context.Context, after domain.ProductID, limit int) (domain.Page, error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if after != 0 {
		query.Set("after", Cursor(after))
	}
	var out pageJSON
	if err := c.get(ctx, "/products?"+query.Encode(), &out); err != nil {
		return domain.Page{}, err
	}
	return checked(out.toPage())
}

// Product is documented at domain.Catalog.
func (c *Client) Product(ctx context.Context, id domain.ProductID) (domain.Product, error) {
	var out productJSON
	err := c.get(ctx, fmt.Sprintf("/products/%d", id), &out)
	return out.toProduct(), err
}

// CreateCart is documented at domain.Carts.
func (c *Client) CreateCart(ctx context.Context) (domain.CartID, error) {
	var out cartJSON
	location, err := c.create(ctx, "/carts", nil, &out)
	if err != nil {
		return domain.CartID{}, err
	}
	cart, err := checked(out.toCart())
	if err == nil && location != cartPath(cart.ID) {
		err = strange(fmt.Errorf("a new cart's Location is %q", location))
	}
	return cart.ID, err
}

// Cart is documented at domain.Shop.
func (c *Client) Cart(ctx context.Context, id domain.CartID) (domain.Cart, error) {
	var out cartJSON
	if err := c.get(ctx, cartPath(id), &out); err != nil {
		return domain.Cart{}, err
	}
	return checked(out.toCart())
}

// AddItem is documented at domain.Shop.
func (c *Client) AddItem(ctx context.Context, cart domain.CartID, item domain.Item) (domain.Line, error) {
	var out cartLineJSON
	in := map[string]int64{"product_id": int64(item.ProductID), "quantity": int64(item.Quantity)}
	_, err := c.do(ctx, exchange{http.MethodPost, cartPath(cart) + "/items", in, http.StatusOK, &out})
	return out.toLine(), err
}

// SetItem is documented at domain.Shop. An item that a path cannot name is refused here.
func (c *Client) SetItem(ctx context.Context, cart domain.CartID, item domain.Item) (domain.Line, error) {
	if err := domain.CheckItem(item); err != nil {
		return domain.Line{}, err
	}
	var out cartLineJSON
	in := map[string]int{"quantity": item.Quantity}
	_, err := c.do(ctx, exchange{http.MethodPut, itemPath(cart, item.ProductID), in, http.StatusOK, &out})
	return out.toLine(), err
}

// RemoveItem is documented at domain.Carts.
func (c *Client) RemoveItem(ctx context.Context, cart domain.CartID, product domain.ProductID) error {
	_, err := c.do(ctx, exchange{http.MethodDelete, itemPath(cart, product), nil, http.StatusNoContent, nil})
	return err
}

// PlaceOrder is documented at domain.Orders.
func (c *Client) PlaceOrder(ctx context.Context, cart domain.CartID) (domain.Order, error) {
	var out orderJSON
	location, err := c.create(ctx, "/orders", map[string]string{"cart_id": cart.String()}, &out)
	if err != nil {
		return domain.Order{}, err
	}
	order, err := checked(out.toOrder())
	if err == nil && location != orderPath(order.ID) {
		err = strange(fmt.Errorf("a new order's Location is %q", location))
	}
	return order, err
}

// Order is documented at domain.Orders.
func (c *Client) Order(ctx context.Context, id domain.OrderID) (domain.Order, error) {
	var out orderJSON
	if err := c.get(ctx, orderPath(id), &out); err != nil {
		return domain.Order{}, err
	}
	return checked(out.toOrder())
}

func itemPath(cart domain.CartID, product domain.ProductID) string {
	return fmt.Sprintf("%s/items/%d", cartPath(cart), product)
}

// exchange is one request and the answer that is its success.
type exchange struct {
	method, path string
	in           any // the request's document; nil: no body
	status       int
	out          any // where the answer's document goes; nil: none is expected
}

func (c *Client) get(ctx context.Context, path string, out any) error {
	_, err := c.do(ctx, exchange{http.MethodGet, path, nil, http.StatusOK, out})
	return err
}

// create returns the new thing's Location.
func (c *Client) create(ctx context.Context, path string, in, out any) (string, error) {
	h, err := c.do(ctx, exchange{http.MethodPost, path, in, http.StatusCreated, out})
	return h.Get("Location"), err
}

// do sends a request and reads its answer.
func (c *Client) do(ctx context.Context, x exchange) (http.Header, error) {
	var reached atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { reached.Store(true) }}
	req, err := newRequest(httptrace.WithClientTrace(ctx, trace), c.base, x)
	if err != nil {
		return nil, strange(err)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, lost(ctx, reached.Load(), err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, lost(ctx, true, err)
	case len(body) > maxAnswer:
		return nil, strange(fmt.Errorf("an answer of more than %d bytes", maxAnswer))
	case resp.StatusCode != x.status:
		return nil, readProblem(resp, body)
	case x.out == nil:
		return resp.Header, nil
	}
	return resp.Header, readDocument(resp, "application/json", body, x.out)
}

func newRequest(ctx context.Context, base string, x exchange) (*http.Request, error) {
	if x.in == nil {
		return http.NewRequestWithContext(ctx, x.method, base+x.path, nil)
	}
	body, err := json.Marshal(x.in)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, x.method, base+x.path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}

// lost says what is known of a request that got no answer.
func lost(ctx context.Context, reached bool, err error) error {
	var timeout interface{ Timeout() bool }
	switch {
	case ctx.Err() != nil:
		return domain.Wrap(domain.Deadline, err)
	case !reached:
		return domain.Wrap(domain.Unavailable, err)
	case errors.As(err, &timeout) && timeout.Timeout():
		return domain.Wrap(domain.Deadline, err)
	default:
		return domain.Wrap(domain.MayHaveExecuted, err)
	}
}

// strange says that an answer is not one of this API.
func strange(err error) error { return domain.Wrap(domain.Internal, err) }

// checked makes an answer's impossible content strange.
func checked[T any](v T, err error) (T, error) {
	if err != nil {
		return v, strange(err)
	}
	return v, nil
}

func readProblem(resp *http.Response, body []byte) error {
	var doc problemJSON
	if err := readDocument(resp, "application/problem+json", body, &doc); err != nil {
		return err
	}
	e, err := doc.toError(resp.StatusCode)
	if err != nil {
		return strange(err)
	}
	return e
}

// readDocument reads a body of the media type that is expected, without a member that is not.
func readDocument(resp *http.Response, mediaType string, body []byte, out any) error {
	got, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil || got != mediaType {
		return strange(fmt.Errorf("status %d with Content-Type %q", resp.StatusCode, resp.Header.Get("Content-Type")))
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(out); err != nil {
		return strange(fmt.Errorf("status %d with a body that cannot be read: %w", resp.StatusCode, err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return strange(fmt.Errorf("status %d with more than one document", resp.StatusCode))
	}
	return nil
}
