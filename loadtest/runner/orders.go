package runner

import (
	"context"
	"fmt"
	"strconv"
)

// Orders is how many orders there are in the design's database; nil where that is not ours to ask.
func (r *Running) Orders(ctx context.Context) (*int64, error) {
	if r.connect == nil {
		return nil, nil
	}
	rows, err := r.Query(ctx, "SELECT count(*) FROM orders.orders")
	if err != nil {
		return nil, fmt.Errorf("counting the orders: %w", err)
	}
	n, err := strconv.ParseInt(rows[0][0], 10, 64)
	return &n, err
}
