package httpapi

import (
	"net/http"

	"splitshop/domain"
)

func (a *api) products(w http.ResponseWriter, r *http.Request) error {
	after, limit, err := readPage(r)
	if err != nil {
		return err
	}
	page, err := a.shop.Products(r.Context(), after, limit)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, pageToJSON(page))
}

func (a *api) product(w http.ResponseWriter, r *http.Request) error {
	id, err := pathProduct(r, "id")
	if err != nil {
		return err
	}
	p, err := a.shop.Product(r.Context(), id)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, productToJSON(p))
}

func (a *api) createCart(w http.ResponseWriter, r *http.Request) error {
	if err := readObject(r); err != nil {
		return err
	}
	id, err := a.shop.CreateCart(r.Context())
	if err != nil {
		return err
	}
	empty, err := domain.NewCart(id, nil)
	if err != nil {
		return err
	}
	w.Header().Set("Location", cartPath(id))
	return writeJSON(w, http.StatusCreated, cartToJSON(empty))
}

func (a *api) cart(w http.ResponseWriter, r *http.Request) error {
	id, err := pathCart(r)
	if err != nil {
		return err
	}
	cart, err := a.shop.Cart(r.Context(), id)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, cartToJSON(cart))
}

func (a *api) addItem(w http.ResponseWriter, r *http.Request) error {
	cart, err := pathCart(r)
	if err != nil {
		return err
	}
	var item domain.Item
	if err := readObject(r, member{"product_id", (*int64)(&item.ProductID)}, member{"quantity", &item.Quantity}); err != nil {
		return err
	}
	line, err := a.shop.AddItem(r.Context(), cart, item)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, cartLineToJSON(line))
}

func (a *api) setItem(w http.ResponseWriter, r *http.Request) error {
	cart, product, err := pathItem(r)
	if err != nil {
		return err
	}
	item := domain.Item{ProductID: product}
	if err := readObject(r, member{"quantity", &item.Quantity}); err != nil {
		return err
	}
	line, err := a.shop.SetItem(r.Context(), cart, item)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, cartLineToJSON(line))
}

func (a *api) removeItem(w http.ResponseWriter, r *http.Request) error {
	cart, product, err := pathItem(r)
	if err != nil {
		return err
	}
	if err := a.shop.RemoveItem(r.Context(), cart, product); err != nil {
		return err
	}
	write(w, http.StatusNoContent, "", nil)
	return nil
}

func (a *api) placeOrder(w http.ResponseWriter, r *http.Request) error {
	var text string
	if err := readObject(r, member{"cart_id", &text}); err != nil {
		return err
	}
	cart, err := domain.ParseCartID(text)
	if err != nil {
		return err
	}
	order, err := a.shop.PlaceOrder(r.Context(), cart)
	if err != nil {
		return err
	}
	w.Header().Set("Location", orderPath(order.ID))
	return writeJSON(w, http.StatusCreated, orderToJSON(order))
}

func (a *api) order(w http.ResponseWriter, r *http.Request) error {
	id, err := pathOrder(r)
	if err != nil {
		return err
	}
	order, err := a.shop.Order(r.Context(), id)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, orderToJSON(order))
}
