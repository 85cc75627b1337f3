package life

import (
	"os/exec"
	"testing"
)

func TestNumbersGivenOutSince(t *testing.T) {
	t.Parallel()
	highest := highestPID()
	if highest == 0 {
		t.Fatal("the highest number of a process is not known")
	}
	for name, c := range map[string]struct {
		from, now numbering
		pid       int
		later     bool
	}{
		"after it":                       {numbering{100, 5}, numbering{200, 50}, 150, true},
		"the last":                       {numbering{100, 5}, numbering{200, 50}, 200, true},
		"before it":                      {numbering{100, 5}, numbering{200, 50}, 100, false},
		"not given out yet":              {numbering{100, 5}, numbering{200, 50}, 201, false},
		"round, high":                    {numbering{30000, 5}, numbering{400, 50}, 31000, true},
		"round, low":                     {numbering{30000, 5}, numbering{400, 50}, 399, true},
		"round, before it":               {numbering{30000, 5}, numbering{400, 50}, 20000, false},
		"so many that it may be any":     {numbering{100, 5}, numbering{200, 5 + highest}, 50, true},
		"nobody knows where it was then": {numbering{}, numbering{200, 50}, 50, true},
		"nobody knows where it is now":   {numbering{100, 5}, numbering{}, 50, true},
	} {
		if got := c.now.since(c.from)(c.pid); got != c.later {
			t.Errorf("%s: %v, expected %v", name, got, c.later)
		}
	}
}

func TestWhoWasStartedLaterIsFoundByNumber(t *testing.T) {
	t.Parallel()
	before := exec.Command("sleep", "60")
	if err := before.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = before.Process.Kill(); _ = before.Wait() }()
	from := numbered()
	after := exec.Command("sleep", "60")
	if err := after.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = after.Process.Kill(); _ = after.Wait() }()
	if from.last == 0 {
		t.Fatal("the system does not say how far it has counted")
	}
	later := numbered().since(from)
	if later(before.Process.Pid) || !later(after.Process.Pid) {
		t.Errorf("from %d: %d, started before, %v; %d, started after, %v", from.last, before.Process.Pid, later(before.Process.Pid), after.Process.Pid, later(after.Process.Pid))
	}
}
