package httpapi_test

import (
	"flag"
	"os"
	"testing"

	"splitshop/domain"
	"splitshop/domain/domaintest"
	"splitshop/transport/httpapi"
	"splitshop/transport/httpapi/httpapitest"
)

var update = flag.Bool("update", false, "write the golden transcript anew")

func TestTranscriptIsTheGoldenOne(t *testing.T) {
	t.Parallel()
	f := domaintest.NewFixture()
	url, hc := serve(t, f.Shop, httpapi.Options{})
	got := httpapitest.Transcript(t, url, hc, f.Admin)
	if *update {
		if err := os.WriteFile("httpapitest/testdata/transcript.golden", got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	httpapitest.CompareTranscript(t, got)
}

// TestTranscriptDoesNotDependOnTheShop holds the conversation twice with a shop whose product ids run into the amounts.
func TestTranscriptDoesNotDependOnTheShop(t *testing.T) {
	t.Parallel()
	f := domaintest.NewFixture()
	for range 1_210 {
		if _, err := f.Admin.AddProduct(t.Context(), "another's", domain.Cents(5)); err != nil {
			t.Fatal(err)
		}
	}
	url, hc := serve(t, f.Shop, httpapi.Options{})
	for range 2 {
		httpapitest.CompareTranscript(t, httpapitest.Transcript(t, url, hc, f.Admin))
	}
}
