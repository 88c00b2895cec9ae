package main

import (
	"testing"

	"splitshop/loadtest/result"
)

func TestSchemaIsPrinted(t *testing.T) {
	t.Parallel()
	if code, out, said := runLab(t.Context(), "schema"); code != exitMeasured || out != result.JSONSchema() || out == "" || said != "" {
		t.Errorf("exit code %d, %d bytes, and it says %q", code, len(out), said)
	}
}
