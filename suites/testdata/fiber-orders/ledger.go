package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
)

// entry is one order or refund.
type entry struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"`
	Ref      string `json:"ref"`
	Item     string `json:"item"`
	Quantity int    `json:"quantity"`
}

// ledger is an append-only file of entries that survives a kill.
type ledger struct {
	mu      sync.Mutex
	file    *os.File
	entries []entry
}

func open(path string) (*ledger, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	l := &ledger{file: f}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var e entry
		if json.Unmarshal(lines.Bytes(), &e) == nil { // a torn last line was never acknowledged
			l.entries = append(l.entries, e)
		}
	}
	return l, lines.Err()
}

func (l *ledger) append(e entry) (entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.ID = fmt.Sprintf("%s-%d", e.Kind, len(l.entries)+1)
	line, err := json.Marshal(e)
	if err != nil {
		return e, err
	}
	if _, err := l.file.Write(append(line, '\n')); err != nil {
		return e, err
	}
	l.entries = append(l.entries, e)
	return e, nil
}

func (l *ledger) find(kind, ref string) []entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := []entry{}
	for _, e := range l.entries {
		if e.Kind == kind && (ref == "" || e.Ref == ref) {
			found = append(found, e)
		}
	}
	return found
}
