-- +goose Up
CREATE SCHEMA orders;

-- cart_id references nothing: carts belong to another service.
CREATE TABLE orders.orders (
    id           uuid        PRIMARY KEY,
    cart_id      uuid        NOT NULL,
    total_amount bigint      NOT NULL CHECK (total_amount >= 0),
    currency     text        NOT NULL CHECK (currency = 'EUR'),
    placed_at    timestamptz NOT NULL
);

-- A line keeps name and price as they were when the order was placed.
CREATE TABLE orders.lines (
    order_id     uuid    NOT NULL REFERENCES orders.orders,
    product_id   bigint  NOT NULL,
    name         text    NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
    quantity     integer NOT NULL CHECK (quantity BETWEEN 1 AND 999),
    price_amount bigint  NOT NULL CHECK (price_amount BETWEEN 1 AND 1000000000),
    total_amount bigint  NOT NULL CHECK (total_amount = price_amount * quantity),
    PRIMARY KEY (order_id, product_id)
);
