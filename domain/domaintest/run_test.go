package domaintest

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"splitshop/domain"
)

func TestMemoryIsTheShop(t *testing.T) {
	t.Parallel()
	Run(t, NewFixture())
}

func TestMemoryKeepsTheContracts(t *testing.T) {
	t.Parallel()
	RunContracts(t, NewContractFixture())
}

func TestEveryCheckHasItsOwnName(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, g := range shopGroups() {
		for _, c := range g.checks {
			name := g.name + "/" + c.name
			if names[name] {
				t.Errorf("two checks are named %q", name)
			}
			names[name] = true
		}
	}
	if len(names) < 100 {
		t.Errorf("%d checks, want at least 100", len(names))
	}
}

// bugVariable names the bug of a test binary that was started by TestSuiteFindsEveryBug.
const bugVariable = "DOMAINTEST_BUG"

// TestShopWithBug is the negative control's other half. Without a bug it is one more run of the healthy shop.
func TestShopWithBug(t *testing.T) {
	f := NewFixture()
	for _, b := range shopBugs {
		if b.name == os.Getenv(bugVariable) {
			f.Shop = b.in(f.Shop)
		}
	}
	Run(t, f)
}

// TestContractsWithBug is the same for the contracts.
func TestContractsWithBug(t *testing.T) {
	f := NewContractFixture()
	for _, b := range contractBugs {
		if b.name == os.Getenv(bugVariable) {
			b.in(&f)
			f.Orders = domain.Checkout{OrderStore: f.Orders.(domain.Checkout).OrderStore, Carts: f.Carts, Catalog: f.Catalog,
				Log: slog.New(slog.DiscardHandler)}
		}
	}
	RunContracts(t, f)
}

// TestSuiteFindsEveryBug runs the suite against shops with one deliberate bug each, every one in a process of its own
// because a suite that fails there must not fail here, and wants the check that is about that bug to fail.
func TestSuiteFindsEveryBug(t *testing.T) {
	t.Parallel()
	for _, b := range shopBugs {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			findsBug(t, "TestShopWithBug", b.name, b.caughtBy)
		})
	}
	for _, b := range contractBugs {
		t.Run("contracts "+b.name, func(t *testing.T) {
			t.Parallel()
			findsBug(t, "TestContractsWithBug", b.name, b.caughtBy)
		})
	}
}

func findsBug(t *testing.T, test, bug, caughtBy string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), bugVariable+"="+bug)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Fatalf("the suite ended with %v, want exit status 1\n%s", err, out)
	}
	if want := "--- FAIL: " + test + "/" + strings.ReplaceAll(caughtBy, " ", "_") + " ("; !strings.Contains(string(out), want) {
		t.Errorf("the suite failed without %q\n%s", want, out)
	}
}
