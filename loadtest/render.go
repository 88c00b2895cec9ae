package main

import (
	"io"

	"splitshop/loadtest/report"
	"splitshop/loadtest/result"
)

// render is `loadtest report`.
type render struct {
	Format  string   `default:"text" enum:"${formats}" help:"Form of the report: ${enum}."`
	Out     string   `placeholder:"FILE" help:"Write it to this file instead of standard output."`
	Results []string `arg:"" name:"result" help:"Results of the measuring commands: files named result.json."`
}

// Run shows results again. It measures nothing: equal files give equal reports.
func (c *render) Run(s streams) error {
	all := make([]result.Result, len(c.Results))
	for i, file := range c.Results {
		r, err := result.ReadFile(file)
		if err != nil {
			return err
		}
		all[i] = r
	}
	text, err := report.Render(report.Format(c.Format), all...)
	if err != nil {
		return err
	}
	if c.Out != "" {
		return result.Replace(c.Out, []byte(text))
	}
	_, err = io.WriteString(s.out, text)
	return err
}
