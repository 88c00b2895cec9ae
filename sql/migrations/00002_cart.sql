-- +goose Up
CREATE SCHEMA cart;

-- lines is how many items the cart has, kept by the statements that make and remove them, so that the CHECK holds the
-- limit however many of them race.
CREATE TABLE cart.carts (
    id         uuid        PRIMARY KEY,
    lines      integer     NOT NULL DEFAULT 0 CHECK (lines BETWEEN 0 AND 100),
    created_at timestamptz NOT NULL DEFAULT now()
);

-- product_id references nothing: the catalogue belongs to another service.
CREATE TABLE cart.items (
    cart_id    uuid    NOT NULL REFERENCES cart.carts,
    product_id bigint  NOT NULL,
    quantity   integer NOT NULL CHECK (quantity BETWEEN 1 AND 999),
    PRIMARY KEY (cart_id, product_id)
);
