package workload

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func TestMixes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		weights  []int
		requests float64
	}{
		{"mix", []int{16, 3, 1}, 1.05},
		{"browse", []int{20}, 1},
		{"cart", []int{0, 20}, 1},
		{"checkout", []int{0, 0, 20}, 2},
	}
	for _, test := range tests {
		m, err := MixOf(test.name)
		if err != nil || m.Check() != nil || !reflect.DeepEqual(m.Weights, test.weights) || RequestsPerIteration(m) != test.requests {
			t.Errorf("%s: %+v (%v, %v), %g requests an iteration", test.name, m, err, m.Check(), RequestsPerIteration(m))
		}
	}
	if len(tests) != len(MixNames()) {
		t.Errorf("the mixes are %q", MixNames())
	}
	if _, err := MixOf("refunds"); err == nil {
		t.Error("an unknown mix was found")
	}
}

// The names this package reads and writes are those of the API's own description.
func TestNamesAreTheAPIs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../transport/httpapi/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	required := map[string]string{} // by schema, " name name "
	for _, m := range regexp.MustCompile(`(?m)^    (\w+):\n(?:      .*\n)*?      required: \[(.*)\]$`).FindAllSubmatch(text, -1) {
		required[string(m[1])] = " " + strings.ReplaceAll(string(m[2]), ",", "") + " "
	}
	tags := func(v any) (names []string) {
		for f := range reflect.TypeOf(v).Fields() {
			names = append(names, f.Tag.Get("json"))
		}
		return names
	}
	product := reflect.New(reflect.TypeFor[pageAnswer]().Field(0).Type.Elem()).Elem().Interface()
	for schema, names := range map[string][]string{
		"Money": tags(money{}), "Page": tags(pageAnswer{}), "Product": tags(product), "CartLine": tags(lineAnswer{}),
		"OrderLine": tags(lineAnswer{}), "Cart": tags(cartAnswer{}), "Order": tags(cartAnswer{}),
		"NewItem": {"product_id", "quantity"}, "NewOrder": {"cart_id"},
	} {
		for _, name := range names {
			if !strings.Contains(required[schema], " "+name+" ") {
				t.Errorf("%s has no %q, only%s", schema, name, required[schema])
			}
		}
	}
	for _, path := range []string{"/products:", "/carts:", "/carts/{id}:", "/carts/{id}/items:", "/orders:"} {
		if !strings.Contains(string(text), "\n  "+path+"\n") {
			t.Errorf("there is no path %s", path)
		}
	}
}
