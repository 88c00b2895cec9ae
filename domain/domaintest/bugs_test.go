package domaintest

import (
	"cmp"
	"context"
	"html"
	"slices"
	"strings"
	"time"

	"splitshop/domain"
)

// shopBug is a way a shop can be wrong, and the check that is about it.
type shopBug struct {
	name     string
	caughtBy string
	in       func(domain.Shop) domain.Shop
}

var shopBugs = slices.Concat(moneyBugs, lineBugs, quantityBugs, orderBugs, refusalBugs, pageBugs)

var moneyBugs = []shopBug{
	{"total is a cent off", "totals/one cent", inCart(func(c *domain.Cart) { c.Total.Amount++ })},
	{"total has 32 bits", "totals/above 2^32 cents", inCart(func(c *domain.Cart) {
		c.Total.Amount = int64(int32(c.Total.Amount))
	})},
	{"total is a float", "totals/the largest line and a cent", inCart(func(c *domain.Cart) {
		c.Total.Amount = int64(float32(c.Total.Amount))
	})},
	{"total counts what was withdrawn", "withdrawn/a line is shown and counts for nothing", inCart(func(c *domain.Cart) {
		c.Total.Amount = 0
		for _, l := range c.Lines {
			c.Total.Amount += l.Total.Amount
		}
	})},
	{"total of an order is a cent off", "totals/one cent", inOrder(func(o *domain.Order) { o.Total.Amount++ })},
	{"answered line is priced as one", "totals/0.99 a thousand times less one", inLine(func(l *domain.Line) {
		l.Total = l.UnitPrice
	})},
	{"price is of the past", "carts/prices are those of today", pricesFirstSeen},
	{"order follows later prices", "orders/later prices do not touch it", func(s domain.Shop) domain.Shop {
		return repricedOrders{s}
	}},
}

var lineBugs = []shopBug{
	{"lines are not ordered", "lines/in one order in cart and order", inCart(func(c *domain.Cart) { slices.Reverse(c.Lines) })},
	{"withdrawn lines are hidden", "withdrawn/a line is shown and counts for nothing", inCart(func(c *domain.Cart) {
		c.Lines = slices.DeleteFunc(c.Lines, func(l domain.Line) bool { return l.Withdrawn })
	})},
	{"name is cut", "names/200 letters", inNames(func(name string) string { return name[:min(len(name), 199)] })},
	{"name is trimmed", "names/leading and trailing space", inNames(strings.TrimSpace)},
	{"name is escaped", "names/HTML", inNames(html.EscapeString)},
	{"removing twice is refused", "carts/remove twice is no error", func(s domain.Shop) domain.Shop { return removesOnce{s} }},
}

var quantityBugs = []shopBug{
	{"quantity is cut to its cap", "quantities/add 1000 is refused", inQuantity(func(n int) int { return min(n, 999) })},
	{"quantity has 32 bits", "quantities/add 4294967297 is refused", inQuantity(func(n int) int { return int(int32(n)) })},
	{"quantity 0 is 1", "quantities/add 0 is refused", inQuantity(func(n int) int {
		if n == 0 {
			return 1
		}
		return n
	})},
	{"line is filled up to its cap", "quantities/additions of 998 and 2 pass the cap", func(s domain.Shop) domain.Shop {
		return fillsUp{s}
	}},
	{"set adds", "carts/set replaces a quantity", func(s domain.Shop) domain.Shop { return setAdds{s} }},
	{"additions overwrite each other", "concurrency/additions to one line all count", func(s domain.Shop) domain.Shop {
		return lostUpdates{s}
	}},
}

var orderBugs = []shopBug{
	{"lines of an order are not ordered", "orders/holds what the cart held", inOrder(func(o *domain.Order) {
		slices.Reverse(o.Lines)
	})},
	{"stored order lacks a line", "orders/stored is what was answered", inStoredOrder(func(o *domain.Order) {
		o.Lines = o.Lines[1:]
	})},
	{"time of a stored order is rounded", "orders/stored is what was answered", inStoredOrder(func(o *domain.Order) {
		o.PlacedAt = o.PlacedAt.Truncate(time.Second).Add(-time.Second)
	})},
	{"time is local", "orders/placed at", inOrder(func(o *domain.Order) {
		o.PlacedAt = o.PlacedAt.In(time.FixedZone("", 3600))
	})},
	{"cart is not emptied", "orders/empties the cart", func(s domain.Shop) domain.Shop { return keepsCart{s} }},
	{"checkout drops what was withdrawn", "withdrawn/a line refuses checkout by name and removing it heals",
		func(s domain.Shop) domain.Shop { return dropsWithdrawn{s} }},
	{"order ids are counted", "ids/of orders are unguessable", countOrders},
}

var refusalBugs = []shopBug{
	{"kind is swapped", "unknown/view an unknown cart with a fresh id", inRefusal(func(e *domain.Error) {
		e.Kind = domain.Invalid
	})},
	{"words are lost", "unknown/view an unknown cart with a fresh id", inRefusal(func(e *domain.Error) {
		e.Detail = "no such thing"
	})},
	{"field is lost", "pages/limit 101 is refused", inRefusal(func(e *domain.Error) { e.Field = "" })},
	{"cart is looked for first", "unknown/add an unknown product to an unknown cart names the product",
		func(s domain.Shop) domain.Shop { return cartFirst{s} }},
}

var pageBugs = []shopBug{
	{"limit is cut", "pages/limit 101 is refused",
		inPage(func(ctx context.Context, s domain.Shop, after domain.ProductID, limit int) (domain.Page, error) {
			return s.Products(ctx, after, min(limit, domain.MaxPage))
		})},
	{"cursor skips one", "pages/fifty of one price by seven with inserts between",
		inPage(func(ctx context.Context, s domain.Shop, after domain.ProductID, limit int) (domain.Page, error) {
			page, err := s.Products(ctx, after, limit)
			if limit == 7 && len(page.Products) == limit {
				page.Products = page.Products[:limit-1]
			}
			return page, err
		})},
	{"cursor repeats one", "pages/fifty of one price by seven with inserts between",
		inPage(func(ctx context.Context, s domain.Shop, after domain.ProductID, limit int) (domain.Page, error) {
			return s.Products(ctx, max(after-1, min(after, 0)), limit)
		})},
	{"last page has a next", "pages/next leads to something",
		inPage(func(ctx context.Context, s domain.Shop, after domain.ProductID, limit int) (domain.Page, error) {
			page, err := s.Products(ctx, after, limit)
			if err == nil && len(page.Products) == limit {
				page.Next = page.Products[limit-1].ID
			}
			return page, err
		})},
	{"ended context is ignored", "ended context/page",
		inPage(func(ctx context.Context, s domain.Shop, after domain.ProductID, limit int) (domain.Page, error) {
			return s.Products(context.WithoutCancel(ctx), after, limit)
		})},
}

// contractBug is the same for the contracts.
type contractBug struct {
	name     string
	caughtBy string
	in       func(*ContractFixture)
}

var contractBugs = []contractBug{
	{"lookup answers in its own order", "catalog/lookup answers in the order asked",
		inLookup(func(p []domain.Product) []domain.Product {
			slices.SortFunc(p, func(a, b domain.Product) int { return cmp.Compare(a.ID, b.ID) })
			return p
		})},
	{"lookup answers each once", "catalog/lookup answers twice what is asked twice",
		inLookup(func(p []domain.Product) []domain.Product {
			return slices.CompactFunc(p, func(a, b domain.Product) bool { return a.ID == b.ID })
		})},
	{"lookup leaves out the withdrawn", "catalog/lookup knows the withdrawn",
		inLookup(func(p []domain.Product) []domain.Product {
			return slices.DeleteFunc(p, func(p domain.Product) bool { return p.Withdrawn })
		})},
	{"take empties the cart", "take/a part of a line", func(f *ContractFixture) { f.Carts = takesAll{f.Carts} }},
	{"take takes nothing", "take/everything", func(f *ContractFixture) { f.Carts = takesNothing{f.Carts} }},
	{"items are not ordered", "carts/items are in the order of product ids", func(f *ContractFixture) {
		f.Carts = unorderedItems{f.Carts}
	}},
	{"carts ask the catalogue", "carts/nothing is known of products", func(f *ContractFixture) {
		f.Carts = asksCatalog{f.Carts, f.Catalog}
	}},
}
