package test

import (
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.made {
		w, err := shared.get()
		if w != nil {
			err = w.end(code != 0)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "FAIL: after all tests:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}
