package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"splitshop/loadtest/load"
)

// progress says once a second how far the run is: one line rewritten on a terminal, plain lines elsewhere.
type progress struct {
	w        io.Writer
	terminal bool

	mu    sync.Mutex
	line  func() string // what to say now; nil: nothing
	shown int           // width of the line on the terminal
	stop  chan struct{}
	ended sync.WaitGroup
}

func newProgress(w io.Writer) *progress {
	p := &progress{w: w, terminal: isTerminal(w), stop: make(chan struct{})}
	p.ended.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-p.stop:
				return
			case <-tick.C:
				p.say()
			}
		}
	})
	return p
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// close ends the progress and clears its line.
func (p *progress) close() {
	close(p.stop)
	p.ended.Wait()
	p.stage(nil)
}

// stage sets what the line says from now on.
func (p *progress) stage(line func() string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.line = line
}

// note writes a line that stays.
func (p *progress) note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprintf(p.w, format+"\n", args...)
}

func (p *progress) clear() {
	if p.shown > 0 {
		fmt.Fprintf(p.w, "\r%*s\r", p.shown, "")
		p.shown = 0
	}
}

func (p *progress) say() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.line == nil {
		return
	}
	text := p.line()
	if !p.terminal {
		fmt.Fprintln(p.w, text)
		return
	}
	p.clear()
	fmt.Fprint(p.w, text)
	p.shown = len(text)
}

// watch shows a running load: prefix, the rate, the step where there are several, and what became of the arrivals since a second ago.
func (p *progress) watch(prefix string, live *load.Progress, steps []load.Step) {
	last := int64(0)
	p.stage(func() string {
		at := ""
		switch {
		case len(steps) == 1:
			at = fmt.Sprintf(", %.0f/s", steps[0].Rate)
		case len(steps) > 1:
			i := min(int(live.Step.Load()), len(steps)-1)
			at = fmt.Sprintf(", step %d of %d (%.0f/s)", i+1, len(steps), steps[i].Rate)
		}
		finished := live.Finished.Load()
		done := finished - last
		last = finished
		return fmt.Sprintf("%s%s: %d done in the last second, %d in all, %d failed, %d dropped",
			prefix, at, done, finished, live.Failed.Load(), live.Dropped.Load())
	})
}
