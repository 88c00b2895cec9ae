package runner

import (
	"fmt"
	"slices"
	"strings"

	"splitshop/loadtest/result"
)

// spec is one process of a design: a binary and what it is told.
type spec struct {
	name  string            // of the part, and of its binary
	role  string            // its login in Postgres; "" where it has no tables
	needs []string          // the parts it calls, which are told to it as SHOP_<NAME>
	env   map[string]string // what makes this design differ
	unix  bool              // serves on a Unix socket
}

// The designs, in the order in which each differs from the one before by one thing.
const (
	Mono          = "mono"            // one process, at its best
	Modular       = "modular"         // one process, composed of the three contracts
	ModularPools  = "modular-3-pools" // the same with a pool for each of them
	MicroUnix     = "micro-unix"      // gateway and three services over Unix sockets
	Micro         = "micro"           // the same over TCP loopback
	partPostgres  = result.PartPostgres
	partGenerator = "generator"
)

// Designs lists the names of the designs, in the order above.
func Designs() []string { return []string{Mono, Modular, ModularPools, MicroUnix, Micro} }

// processes lists a design's processes, each after those it calls: the last one is the edge.
func processes(design string) ([]spec, error) {
	switch design {
	case Mono:
		return monolith(nil), nil
	case Modular:
		return monolith(map[string]string{"SHOP_COMPOSED": "true"}), nil
	case ModularPools:
		return monolith(map[string]string{"SHOP_COMPOSED": "true", "SHOP_SPLIT_POOLS": "true"}), nil
	case Micro, MicroUnix:
		return services(design == MicroUnix), nil
	}
	return nil, fmt.Errorf("there is no design %q, only %s", design, strings.Join(Designs(), ", "))
}

func monolith(env map[string]string) []spec {
	return []spec{{name: "monolith", role: "shop_monolith", env: env}}
}

func services(unix bool) []spec {
	return []spec{
		{name: "catalog", role: "shop_catalog", unix: unix},
		{name: "cart", role: "shop_cart", unix: unix},
		{name: "orders", role: "shop_orders", unix: unix, needs: []string{"catalog", "cart"}},
		{name: "gateway", needs: []string{"catalog", "cart", "orders"}},
	}
}

// roles are the logins that `monolith migrate` makes, by the variable that gives it their passwords.
func roles() map[string]string {
	return map[string]string{
		"SHOP_MONOLITH_PASSWORD": "shop_monolith",
		"SHOP_CATALOG_PASSWORD":  "shop_catalog",
		"SHOP_CART_PASSWORD":     "shop_cart",
		"SHOP_ORDERS_PASSWORD":   "shop_orders",
	}
}

// addressVariable tells a process where the part of that name serves.
func addressVariable(name string) string { return "SHOP_" + strings.ToUpper(name) }

// variables renders an environment in a stable order.
func variables(env map[string]string) []string {
	var list []string
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}
