package main_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"golang.org/x/sys/unix"
)

// onTerminal runs a command line on a terminal of so many columns, and returns what stands there.
func onTerminal(t *testing.T, columns int, env []string, args ...string) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("there are no terminals here: ", err)
	}
	defer master.Close()
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(columns)})
	}
	if err != nil {
		t.Fatal(err)
	}
	screen, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	shown := make(chan string)
	go func() {
		var all strings.Builder
		part := make([]byte, 4096)
		for {
			n, err := master.Read(part)
			all.Write(part[:n])
			if err != nil { // nobody holds the other end any more
				shown <- strings.ReplaceAll(all.String(), "\r\n", "\n")
				return
			}
		}
	}()
	p := command(t, args...)
	p.Env = append(p.Env, append([]string{"NO_COLOR=", "TERM=xterm"}, env...)...)
	p.Stdout, p.Stderr = screen, screen
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	screen.Close()
	p.wait(t)
	return <-shown
}

var failing = []string{"run", "-q", "--mutant", "mismatch-replays", "-r", "conflict/refused", "--operation", "create-ticket"}

// Long lines go on below in their own column where somebody looks, and stay one where a program may.
func TestLongLinesAreBrokenOnATerminal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		goOn string // how the second line of something begins
	}{
		{failing, `(?m)^fail conflict/refused .*\n    \S`},
		{[]string{"list", "requirements"}, `(?m)^key/required +SHOULD  A write without\b.*\n {36}\S`},
		{[]string{"plan"}, `(?m)^replay/again .*\n {20,}\S`},
		{[]string{"run", "-c", "x.yaml", "--lifecycle", "container"}, `(?m)^oncespec: --lifecycle is .*\n  \S`},
	} {
		piped := oncespec(t, c.args...)
		wide := onTerminal(t, 500, nil, c.args...)
		const columns = 72
		narrow := onTerminal(t, columns, []string{"NO_COLOR=1"}, c.args...)
		for line := range strings.Lines(narrow) {
			if w := lipgloss.Width(strings.TrimRight(line, "\n")); w > columns && len(strings.Fields(line)) > 1 {
				t.Errorf("%v: a line of %d columns: %s", c.args, w, line)
			}
		}
		if goOn := regexp.MustCompile(c.goOn); !goOn.MatchString(narrow) || goOn.MatchString(piped.out+piped.err) || goOn.MatchString(wide) {
			t.Errorf("%v: expected %s on the narrow terminal alone, found\n%s\nwide\n%s\npiped\n%s", c.args, c.goOn, narrow, wide, piped.out)
		}
		if a, b := strings.Fields(narrow), strings.Fields(piped.out+piped.err); c.args[0] != "run" && strings.Join(a, " ") != strings.Join(b, " ") {
			t.Errorf("%v: other words on a terminal:\n%s", c.args, narrow)
		}
	}
}

func TestColourIsForTerminalsThatWantIt(t *testing.T) {
	t.Parallel()
	const escape = "\x1b["
	if got := onTerminal(t, 100, nil, failing...); !strings.Contains(got, escape+"1;31mfail"+escape+"0m") {
		t.Errorf("no colour on a terminal:\n%q", got)
	}
	for _, env := range []string{"NO_COLOR=1", "TERM=dumb"} {
		if got := onTerminal(t, 100, []string{env}, failing...); strings.Contains(got, escape) {
			t.Errorf("colour with %s:\n%q", env, got)
		}
	}
}
