package httpapi

import (
	_ "embed"
	"net/http"
)

//go:embed openapi.yaml
var openAPI string

// OpenAPI returns the API's description (OpenAPI 3.1, YAML), as /openapi.yaml serves it.
func OpenAPI() []byte { return []byte(openAPI) }

func serveOpenAPI(w http.ResponseWriter, _ *http.Request) error {
	write(w, http.StatusOK, "application/yaml", OpenAPI())
	return nil
}
