package report

import (
	"strings"
	"testing"

	"splitshop/loadtest/result"
)

func TestBooks(t *testing.T) {
	t.Parallel()
	made := int64(12003)
	for _, test := range []struct {
		name  string
		books *result.Books
		want  string
	}{
		{"not checked", nil, ""},
		{"no database", &result.Books{Answered: 5, ReadBack: 5}, "a: 5 orders answered, 5 read back as they were answered"},
		{"balanced", &result.Books{Answered: 12000, ReadBack: 12000, Uncertain: 4, Made: &made},
			"a: 12,000 orders answered, 12,000 read back as they were answered, 4 asked for without a clear answer, 12,003 in the database"},
		{"too many", &result.Books{Answered: 12000, ReadBack: 12000, Uncertain: 2, Made: &made},
			"12,003 in the database; INVALID: the books do not balance: 12003 orders were made and only 12002 asked for"},
	} {
		r := result.Result{Mode: result.ModeRamp, Designs: []result.Design{{Name: "a", Books: test.books}}}
		got := strings.Join(books(r), "\n")
		if !strings.Contains(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		if says := strings.Contains(Text(r), "THE BOOKS"); says != (test.want != "") {
			t.Errorf("%s: the section is there: %v", test.name, says)
		}
	}
}
