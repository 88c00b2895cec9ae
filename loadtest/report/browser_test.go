package report

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// screenshots names a folder where TestInABrowser leaves what the pages look like.
const screenshots = "SHOP_SCREENSHOTS"

// chromium is a headless browser's program.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("no Chromium to look at the page with. On Debian: sudo apt-get install chromium")
	return ""
}

// browse loads an address and returns the document that it became, and what was said on its console.
func browse(t *testing.T, url string, flags ...string) (dom, console string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	args := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
		"--disable-background-networking", "--enable-logging=stderr", "--user-data-dir=" + t.TempDir()}, flags...)
	c := exec.CommandContext(ctx, chromium(t), append(args, url)...)
	var out, log bytes.Buffer
	c.Stdout, c.Stderr, c.WaitDelay = &out, &log, 10*time.Second
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", c.Args, err, log.String())
	}
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "CONSOLE") {
			console += line
		}
	}
	return out.String(), console
}

// framed serves a page, and under / another with the first in a frame of each size, which says how wide and high it became
// there. The page itself is as it ships.
func framed(t *testing.T, page string) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, page) })
	mux.HandleFunc("/favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `<!DOCTYPE html><body style="margin:0">`)
		for _, size := range r.URL.Query()["size"] {
			width, height, _ := strings.Cut(size, "x")
			fmt.Fprintf(w, `<iframe src="/page" style="border:0;display:block;width:%spx;height:%spx"></iframe>`, width, height)
		}
		fmt.Fprint(w, `<script>onload = () => {
	for (const f of document.querySelectorAll("iframe")) {
		const d = f.contentDocument;
		document.body.append("became " + d.documentElement.scrollWidth + " x " + d.documentElement.scrollHeight + " with " +
			d.querySelectorAll("section").length + " sections; ");
	}
}</script>`)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

var becameLine = regexp.MustCompile(`became (\d+) x (\d+) with (\d+) sections`)

// became is what a page was in a frame.
type became struct{ width, height, sections int }

// measured is what a page became in frames of some sizes, and what it said on the console.
func measured(t *testing.T, url string, sizes ...string) (all []became, console string) {
	t.Helper()
	dom, console := browse(t, url+"/?size="+strings.Join(sizes, "&size="), "--dump-dom", "--window-size=1400,900")
	for _, m := range becameLine.FindAllStringSubmatch(dom, -1) {
		var n [3]int
		for i := range n {
			n[i], _ = strconv.Atoi(m[i+1])
		}
		all = append(all, became{n[0], n[1], n[2]})
	}
	if len(all) != len(sizes) {
		t.Fatalf("the page did not say its size:\n%s", dom)
	}
	return all, console
}

func TestInABrowser(t *testing.T) {
	t.Parallel()
	long := twoDesigns()
	long.Designs[0].Name = strings.Repeat("a-very-long-name", 20)
	long.Designs[1].Name = strings.Repeat("W", 200)
	long.Warnings = []string{strings.Repeat("/a/path", 100)}
	long.Command = append(long.Command, strings.Repeat("x", 500))
	all := documents()
	for name, page := range map[string]string{"usual": rendered(t, AsHTML, twoDesigns(), all["closed"]),
		"searched": rendered(t, AsHTML, all["search"], all["fixed"]), "hostile": rendered(t, AsHTML, long, hostile())} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, widths := framed(t, page), []int{360, 1280}
			all, console := measured(t, url, "360x800", "1280x900")
			if console != "" {
				t.Errorf("the console says: %s", console)
			}
			for i, width := range widths {
				if b := all[i]; b.width > width || b.sections < 16 {
					t.Errorf("in a window %d wide the page is %+v", width, b)
				}
				shoot(t, name, url, width, all[i].height)
			}
		})
	}
}

// shoot leaves pictures of a page, light and dark, where somebody wants them.
func shoot(t *testing.T, name, url string, width, height int) {
	t.Helper()
	dir := os.Getenv(screenshots)
	if dir == "" {
		return
	}
	for scheme, flag := range map[string]string{"light": "1", "dark": "0"} {
		file, err := filepath.Abs(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)))
		if err != nil {
			t.Fatal(err)
		}
		browse(t, fmt.Sprintf("%s/?size=%dx%d", url, width, height), "--screenshot="+file,
			fmt.Sprintf("--window-size=%d,%d", width, height), "--blink-settings=preferredColorScheme="+flag)
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
}

// The negative control: a page that is too wide and one that complains are found.
func TestTheBrowserFindsFaults(t *testing.T) {
	t.Parallel()
	url := framed(t, `<!DOCTYPE html><body><div style="width:2000px">wide</div><script>console.error("broken")</script>`)
	if all, console := measured(t, url, "360x800"); all[0].width < 2000 || !strings.Contains(console, "broken") {
		t.Errorf("%+v, console %q", all, console)
	}
}
