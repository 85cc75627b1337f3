package main_test

import (
	"bytes"
	"io"
	"os"
	"testing"
)

// startSignalled starts a command line and signals it once, at the first line on stderr that is so.
func (p *process) startSignalled(t *testing.T, signal os.Signal, at func(line string) bool) {
	t.Helper()
	p.Stderr = io.MultiWriter(&p.err, &watch{at: at, act: func() { p.Process.Signal(signal) }})
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
}

// watch is written to, and acts at the first line that is so.
type watch struct {
	at   func(line string) bool
	act  func()
	rest []byte // of a line that has not ended
	done bool
}

func (w *watch) Write(text []byte) (int, error) {
	w.rest = append(w.rest, text...)
	for !w.done {
		line, rest, ended := bytes.Cut(w.rest, []byte("\n"))
		if !ended {
			break
		}
		w.rest = rest
		if w.done = w.at(string(bytes.TrimSuffix(line, []byte("\r")))); w.done {
			w.act()
		}
	}
	return len(text), nil
}
