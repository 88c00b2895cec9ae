package report

import (
	"errors"
	"fmt"
	"strings"

	"splitshop/loadtest/result"
)

// Format is a form of report.
type Format string

// The formats.
const (
	AsText     Format = "text"     // for a terminal
	AsMarkdown Format = "markdown" // with tables, for an issue or a wiki
	AsCSV      Format = "csv"      // one row for each design, repeat and step
	AsHTML     Format = "html"     // one file, complete in itself
)

// Formats are all of them.
func Formats() []string {
	return []string{string(AsText), string(AsMarkdown), string(AsCSV), string(AsHTML)}
}

// Render shows results in one format, in the order given. It fails where the format is none of Formats and where there is no
// result.
func Render(f Format, rs ...result.Result) (string, error) {
	if len(rs) == 0 {
		return "", errors.New("there is no result to report")
	}
	switch f {
	case AsText:
		texts := make([]string, len(rs))
		for i, r := range rs {
			texts[i] = Text(r)
		}
		return strings.Join(texts, "\n\n"), nil
	case AsMarkdown:
		return markdown(rs), nil
	case AsCSV:
		return separated(rs)
	case AsHTML:
		return HTML(rs...)
	}
	return "", fmt.Errorf("there is no format %q, only %s", f, strings.Join(Formats(), ", "))
}
