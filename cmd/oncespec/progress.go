package main

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/oncespec/oncespec/scenarios/display"
	"github.com/oncespec/oncespec/scenarios/run"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// progress tells on one line what goes on: rewritten in place on a terminal, a line a pack elsewhere.
type progress struct {
	mu    sync.Mutex
	w     io.Writer
	live  bool // the line can be rewritten
	quiet bool
	width int
	pack  string
	bad   int
}

func newProgress(w io.Writer, quiet bool) *progress {
	p := &progress{w: w, quiet: quiet}
	if width, is := terminal(w); is {
		p.live, p.width = true, width
	}
	return p
}

// Doing names a phase.
func (p *progress) Doing(what string) { p.say(what + " …") }

// Started names a step.
func (p *progress) Started(n, of int, s run.Step) {
	pack, _, _ := strings.Cut(s.Scenario, "/")
	news := pack != p.pack
	p.pack = pack
	if p.live {
		p.say(fmt.Sprintf("%s %d/%d  %s%s", bar(n, of), n, of, s.Name(), p.trouble()))
	} else if news {
		p.say(fmt.Sprintf("%3d/%d %s%s", n, of, pack, p.trouble()))
	}
}

// Finished counts what did not pass.
func (p *progress) Finished(_, _ int, _ run.Step, vs []verdict.Verdict) {
	p.failed(failures(vs))
}

func (p *progress) failed(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bad += n
}

func failures(vs []verdict.Verdict) (n int) {
	for _, v := range vs {
		if v.Verdict == verdict.Fail {
			n++
		}
	}
	return n
}

func (p *progress) trouble() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bad == 0 {
		return ""
	}
	return fmt.Sprintf("  (%d failed)", p.bad)
}

func (p *progress) say(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	line = display.Line(line)
	switch {
	case p.quiet:
	case p.live:
		if r := []rune(line); len(r) >= p.width {
			line = string(r[:p.width-1])
		}
		fmt.Fprintf(p.w, "\r\x1b[K%s", line)
	default:
		fmt.Fprintln(p.w, line)
	}
}

// end clears the line.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live && !p.quiet {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

func bar(n, of int) string {
	const cells = 20
	full := cells * n / max(of, 1)
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", cells-full) + "]"
}
