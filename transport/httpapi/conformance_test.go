package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"splitshop/domain"
	"splitshop/domain/domaintest"
	"splitshop/transport/httpapi"
	"splitshop/transport/httpapi/httpapitest"
)

// serve runs the public API on a real listener; every exchange over the client is held against openapi.yaml.
func serve(t *testing.T, shop domain.Shop, o httpapi.Options) (url string, hc *http.Client) {
	t.Helper()
	server := httptest.NewServer(httpapi.Public(shop, o))
	t.Cleanup(server.Close)
	return server.URL, &http.Client{Transport: httpapitest.Validator(t, server.Client().Transport)}
}

func TestClientIsTheShop(t *testing.T) {
	t.Parallel()
	f := domaintest.NewFixture()
	url, hc := serve(t, f.Shop, httpapi.Options{})
	domaintest.Run(t, domaintest.Fixture{Shop: httpapi.NewClient(url, hc), Admin: f.Admin})
}
