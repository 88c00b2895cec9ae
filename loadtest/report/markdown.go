package report

import (
	"fmt"
	"strings"

	"splitshop/loadtest/result"
)

// markdown is the report with GitHub's tables. Whatever comes from a result is escaped.
func markdown(rs []result.Result) string {
	var b strings.Builder
	for i, r := range rs {
		if i > 0 {
			b.WriteString("\n---\n\n")
		}
		fmt.Fprintf(&b, "# %s\n\nSLO: %s. Grade: %s.\n", plainMarkdown(title(r)), plainMarkdown(slo(r)), plainMarkdown(grade(r)))
		if lines := warned(r); len(lines) > 0 {
			markdownBlock(&b, block{Title: "Warnings", Lines: lines})
		}
		for _, block := range blocks(r) {
			markdownBlock(&b, block)
		}
	}
	markdownBlock(&b, elsewhere())
	return b.String()
}

func markdownBlock(b *strings.Builder, k block) {
	fmt.Fprintf(b, "\n## %s\n", plainMarkdown(k.Title))
	if k.Note != "" {
		fmt.Fprintf(b, "\n%s\n", plainMarkdown(k.Note))
	}
	for _, s := range k.Sheets {
		b.WriteString("\n")
		markdownSheet(b, s)
	}
	if len(k.Lines) > 0 {
		b.WriteString("\n")
	}
	for _, line := range k.Lines {
		fmt.Fprintf(b, "- %s\n", plainMarkdown(line))
	}
	if k.Code != "" {
		fence := "```"
		for strings.Contains(k.Code, fence) {
			fence += "`"
		}
		fmt.Fprintf(b, "\n%ssh\n%s\n%s\n", fence, k.Code, fence)
	}
}

func markdownSheet(b *strings.Builder, s sheet) {
	row := func(cells []string) {
		for _, c := range cells {
			fmt.Fprintf(b, "| %s ", plainMarkdown(c))
		}
		b.WriteString("|\n")
	}
	row(s.Head)
	for i := range s.Head {
		if s.IsWords(i) {
			b.WriteString("|---")
		} else {
			b.WriteString("|---:")
		}
	}
	b.WriteString("|\n")
	for _, cells := range s.Rows {
		row(cells)
	}
}

// markdownEscapes takes the meaning from what has one inside a line.
var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`,
	"|", `\|`, "&", `\&`, "#", `\#`, "~", `\~`, "!", `\!`, "\n", " ", "\r", " ")

func plainMarkdown(s string) string { return markdownEscapes.Replace(s) }
