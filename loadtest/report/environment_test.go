package report

import (
	"strings"
	"testing"

	"splitshop/loadtest/result"
)

// TestContainers has the images of a run in containers in every form of its report, each once; of processes there is nothing.
func TestContainers(t *testing.T) {
	t.Parallel()
	r := document("closed")
	r.Where, r.Cores.Preset = "containers", "compose/presets/2-even.env"
	image := &result.Image{Name: "splitshop/monolith:latest", ID: "sha256:0123456789abcdef0123456789", Size: 17_612_962}
	for repeat := range 2 {
		d := result.Design{Name: "mono", Repeat: repeat + 1, Parts: parts("monolith"), Steps: []result.Step{step(100, 900)}}
		d.Parts[0].Image = image
		d.Generator = &result.Part{Name: "generator", Actual: []int{0}, Image: &result.Image{Name: "splitshop/loadtest:latest", ID: "sha256:1", Size: 18e6}}
		r.Designs = append(r.Designs, d)
	}
	for f, want := range map[Format][]string{
		AsText:     {"Containers: preset compose/presets/2-even.env; images of monolith 17.6 MB, generator 18.0 MB\n"},
		AsMarkdown: {"in containers", "2-even.env", "monolith 17.6 MB (splitshop/monolith:latest, sha256:0123456789ab); generator 18.0 MB"},
	} {
		text := rendered(t, f, r)
		for _, w := range want {
			if strings.Count(text, w) != 1 {
				t.Errorf("%s: %d times %q in\n%s", f, strings.Count(text, w), w, text)
			}
		}
		local := rendered(t, f, document("closed"))
		if strings.Contains(local, " MB") || strings.Contains(local, "preset") {
			t.Errorf("%s of processes:\n%s", f, local)
		}
	}
}
