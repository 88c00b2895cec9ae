package containers

import (
	"net/http"
	"testing"

	"splitshop/domain/domaintest"
	"splitshop/transport/httpapi"
	"splitshop/transport/httpapi/httpapitest"
)

// TestSameShop runs against containers what every topology must pass, through the published port. The transcript comes first,
// as it wants the catalogue for itself.
func TestSameShop(t *testing.T) {
	t.Parallel()
	for _, design := range []string{mono, micro} {
		t.Run("topology="+design, func(t *testing.T) {
			t.Parallel()
			s := start(t, design)
			if code := s.exit(t, s.parts["migrate"]); code != 0 {
				t.Fatalf("migrate exited with %d", code)
			}
			validated := &http.Client{Transport: httpapitest.Validator(t, s.http.Transport), Timeout: s.http.Timeout}
			admin := s.admin(t)
			t.Run("transcript", func(t *testing.T) {
				httpapitest.CompareTranscript(t, httpapitest.Transcript(t, s.url(t), validated, admin))
			})
			t.Run("conformance", func(t *testing.T) {
				domaintest.Run(t, domaintest.Fixture{Shop: httpapi.NewClient(s.url(t), validated), Admin: admin})
			})
		})
	}
}
