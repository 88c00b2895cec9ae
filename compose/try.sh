#!/bin/sh
# A tour of the shop's API: plain curl commands, each printed, then run with its answer. SHOP_URL says where the shop is.
set -eu
API=${SHOP_URL:-http://127.0.0.1:8080}
json='Content-Type: application/json'

say() { printf '\n# %s\n' "$*"; }

# run COMMAND...: prints it as one would type it, runs it, and keeps its answer.
run() {
	printf '$'
	for word in "$@"; do
		case $word in
		*[!A-Za-z0-9_./:=-]*) printf " '%s'" "$word" ;;
		*) printf ' %s' "$word" ;;
		esac
	done
	echo
	answer=$("$@")
	printf '%s\n' "$answer"
}

# field NAME: the first field of that name in the last answer.
field() { printf '%s' "$answer" | sed -n 's/.*"'"$1"'": *"\([^"]*\)".*/\1/p' | head -n 1; }

command -v curl >/dev/null || { echo "try: this needs curl" >&2; exit 1; }
status=$(curl -s --max-time 10 -o /dev/null -w '%{http_code}' "$API/products?limit=1") || status=nothing
if [ "$status" != 200 ]; then
	echo "try: no shop answers at $API (200 expected, got $status). Start one: make up-mono. One elsewhere: SHOP_URL=http://host:port make try" >&2
	exit 1
fi

say "A page of two products, and the next one"
run curl -s "$API/products?limit=2"
next=$(field next)
run curl -s "$API/products?limit=2&after=$next"

say "A new cart"
run curl -s -X POST "$API/carts"
cart=$(field id)

say "Seven of product 1, then three more: one line of ten"
run curl -s -H "$json" -d '{"product_id": 1, "quantity": 7}' "$API/carts/$cart/items"
run curl -s -H "$json" -d '{"product_id": 1, "quantity": 3}' "$API/carts/$cart/items"
run curl -s "$API/carts/$cart"

say "The cart is ordered, and the order can be read"
run curl -s -H "$json" -d "{\"cart_id\": \"$cart\"}" "$API/orders"
order=$(field id)
run curl -s "$API/orders/$order"

say "What is wrong is said in a problem document"
run curl -s -H "$json" -d '{"product_id": 1, "quantity": 0}' "$API/carts/$cart/items"
