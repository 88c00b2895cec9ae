package domaintest

import "testing"

func TestMemoryIsTheShop(t *testing.T) {
	t.Parallel()
	Run(t, NewFixture())
}

func TestMemoryKeepsTheContracts(t *testing.T) {
	t.Parallel()
	RunContracts(t, NewContractFixture())
}
