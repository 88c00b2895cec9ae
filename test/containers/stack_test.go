package containers

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	dockernet "github.com/moby/moby/api/types/network"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/network"

	"splitshop/sql"
	"splitshop/sql/sqltest"
	"splitshop/test/shopping"
)

// products is how many the catalogue begins with.
const products = 50

// Ports inside the containers.
const (
	publicPort   = "8080/tcp"
	adminPort    = "9080/tcp"
	postgresPort = "5432/tcp"
)

// stack is a shop in containers on a network of its own. Nothing runs on it until start is called.
type stack struct {
	t         *testing.T
	w         *world
	network   *testcontainers.DockerNetwork
	passwords map[string]string // by role; the owner's too
	parts     map[string]*part
	http      *http.Client
}

const owner = "postgres"

func newStack(t *testing.T) *stack {
	t.Helper()
	s := &stack{t: t, w: theWorld(t), passwords: map[string]string{owner: rand.Text()}, parts: make(map[string]*part)}
	for _, role := range sql.Roles() {
		s.passwords[role] = rand.Text()
	}
	n, err := network.New(t.Context(), network.WithLabels(map[string]string{runLabel: ownRun()}))
	testcontainers.CleanupNetwork(t, n)
	must(t, err)
	s.network = n
	s.http = shopping.HTTP(t)
	return s
}

// spec says what a container is made of.
type spec struct {
	image string
	cmd   []string
	env   map[string]string
	ports []string // published on 127.0.0.1, where the engine likes
	user  string   // "": as the image says
	files []testcontainers.ContainerFile

	asImage bool // not read-only, and with the capabilities that any container gets
}

// part is a container of a stack.
type part struct {
	*testcontainers.DockerContainer
	name string
}

// run starts a container under a name by which others on the network find it. It is removed when the test ends; the test
// fails if there was a password in its log.
func (s *stack) run(name string, c spec) *part {
	s.t.Helper()
	bindings := dockernet.PortMap{}
	for _, port := range c.ports {
		bindings[dockernet.MustParsePort(port)] = []dockernet.PortBinding{{HostIP: netip.AddrFrom4([4]byte{127, 0, 0, 1})}}
	}
	// Without exposed ports the library publishes those that the image exposes, on every address.
	made, err := testcontainers.Run(s.t.Context(), c.image,
		testcontainers.WithCmd(c.cmd...),
		testcontainers.WithEnv(c.env),
		testcontainers.WithExposedPorts(c.ports...),
		testcontainers.WithLabels(map[string]string{runLabel: ownRun()}),
		testcontainers.WithFiles(c.files...),
		network.WithNetwork([]string{name}, s.network),
		testcontainers.WithConfigModifier(func(config *container.Config) { config.User = c.user }),
		testcontainers.WithHostConfigModifier(func(h *container.HostConfig) {
			h.PortBindings = bindings
			if !c.asImage {
				h.ReadonlyRootfs = true
				h.CapDrop = []string{"ALL"}
				h.SecurityOpt = []string{"no-new-privileges:true"}
			}
		}))
	p := &part{made, name}
	s.t.Cleanup(func() { s.end(p) })
	must(s.t, err)
	s.parts[name] = p
	return p
}

// end removes a container, after a look at its log.
func (s *stack) end(p *part) {
	if p.DockerContainer == nil {
		return
	}
	text, err := p.log(context.Background())
	if err != nil {
		s.t.Errorf("log of %s: %v", p.name, err)
	}
	for role, password := range s.passwords {
		if strings.Contains(text, password) {
			s.t.Errorf("the log of %s holds the password of %s", p.name, role)
		}
	}
	if s.t.Failed() {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		s.t.Logf("the end of the log of %s:\n%s", p.name, strings.Join(lines[max(0, len(lines)-20):], "\n"))
	}
	if err := testcontainers.TerminateContainer(p.DockerContainer, testcontainers.StopTimeout(0)); err != nil {
		s.t.Errorf("removing %s: %v", p.name, err)
	}
}

// database starts Postgres.
func (s *stack) database() {
	s.t.Helper()
	s.run("postgres", spec{
		image:   s.w.postgres,
		env:     map[string]string{"POSTGRES_PASSWORD": s.passwords[owner], "POSTGRES_DB": "shop"},
		ports:   []string{postgresPort},
		asImage: true, // it begins as root, makes its data, and steps down
	})
}

// migrate starts the container that makes the schemas, roles and products, as soon as there is a Postgres.
func (s *stack) migrate() {
	s.t.Helper()
	s.run("migrate", spec{
		image: s.w.image("monolith"),
		cmd:   []string{"migrate"},
		env: map[string]string{
			"SHOP_OWNER_DB":          s.inside(owner),
			"SHOP_WAIT":              "2m",
			"SHOP_PRODUCTS":          fmt.Sprint(products),
			"SHOP_MONOLITH_PASSWORD": s.passwords[sql.RoleMonolith],
			"SHOP_CATALOG_PASSWORD":  s.passwords[sql.RoleCatalog],
			"SHOP_CART_PASSWORD":     s.passwords[sql.RoleCart],
			"SHOP_ORDERS_PASSWORD":   s.passwords[sql.RoleOrders],
		},
	})
}

// inside is the database's address for a role, for whoever is on the network.
func (s *stack) inside(role string) string {
	return fmt.Sprintf("postgres://%s:%s@postgres:5432/shop?sslmode=disable", role, s.passwords[role])
}

// outside is the database's address for a role, for whoever is on this machine.
func (s *stack) outside(role string) string {
	s.t.Helper()
	return fmt.Sprintf("postgres://%s:%s@%s/shop?sslmode=disable", role, s.passwords[role], s.parts["postgres"].addr(s.t, postgresPort))
}

// admin changes the catalogue behind the shop's back, over SQL.
func (s *stack) admin(t *testing.T) *sql.Catalog {
	t.Helper()
	pool, err := sql.Open(t.Context(), sql.Config{URL: s.outside(sql.RoleCatalog), MaxConns: 2})
	must(t, err)
	t.Cleanup(pool.Close)
	must(t, sqltest.AwaitReady(t.Context(), pool, startsWithin))
	return sql.NewCatalog(pool)
}

// server starts a server of the shop. The two ports are published.
func (s *stack) server(binary string, env map[string]string) {
	s.t.Helper()
	all := map[string]string{"SHOP_ADDR": ":8080", "SHOP_ADMIN_ADDR": ":9080"}
	maps.Copy(all, env)
	s.run(binary, spec{image: s.w.image(binary), env: all, ports: []string{publicPort, adminPort}})
}

// designs are the parts of each design, the edge first, with what each must know. They start in any order.
func (s *stack) design(name string) *stack {
	s.t.Helper()
	if name == mono {
		s.server("monolith", map[string]string{"SHOP_DB": s.inside(sql.RoleMonolith)})
		return s
	}
	upstreams := map[string]string{"SHOP_CATALOG": "catalog:8080", "SHOP_CART": "cart:8080", "SHOP_ORDERS": "orders:8080"}
	s.server("gateway", upstreams)
	s.server("catalog", map[string]string{"SHOP_DB": s.inside(sql.RoleCatalog)})
	s.server("cart", map[string]string{"SHOP_DB": s.inside(sql.RoleCart)})
	s.server("orders", map[string]string{
		"SHOP_DB": s.inside(sql.RoleOrders), "SHOP_CATALOG": upstreams["SHOP_CATALOG"], "SHOP_CART": upstreams["SHOP_CART"],
	})
	return s
}

// The designs.
const (
	mono  = "mono"
	micro = "micro"
)

// edge is the part that serves the public API.
func (s *stack) edge() *part {
	for _, name := range []string{"monolith", "gateway"} {
		if p := s.parts[name]; p != nil {
			return p
		}
	}
	s.t.Fatal("there is no edge")
	return nil
}

// servers are the parts that are servers of the shop.
func (s *stack) servers() []*part {
	var list []*part
	for _, name := range slices.Sorted(maps.Keys(s.parts)) {
		if name != "postgres" && name != "migrate" {
			list = append(list, s.parts[name])
		}
	}
	return list
}

// url is the public API's, until its part starts again.
func (s *stack) url(t *testing.T) string { t.Helper(); return s.urlOf(t, s.edge()) }

func (s *stack) urlOf(t *testing.T, edge *part) string {
	t.Helper()
	return "http://" + edge.addr(t, publicPort)
}

// shop is what clients of an edge see.
func (s *stack) shop(t *testing.T, edge *part) shopping.Shop {
	t.Helper()
	return shopping.Shop{Base: s.urlOf(t, edge), HTTP: s.http}
}

// startsWithin is how long a start may take, on a machine busy with other tests.
const startsWithin = 2 * time.Minute

// start starts Postgres and a design, all side by side, and waits until every server is ready.
func start(t *testing.T, design string) *stack {
	t.Helper()
	s := newStack(t)
	s.database()
	s.migrate()
	s.design(design)
	s.awaitReady(t)
	return s
}

func (s *stack) awaitReady(t *testing.T) {
	t.Helper()
	for _, p := range s.servers() {
		shopping.Eventually(t, startsWithin, p.name+" is ready", func() error { return s.ready(t, p) })
	}
}
