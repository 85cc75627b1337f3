package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/template"
)

const (
	maxOutput   = 4 << 20 // bytes of a command's output
	maxLines    = 50_000
	commandTail = 1000 // bytes of what a failed command said
	// commandLimit bounds a command whose configuration says nothing.
	commandLimit = 10 * time.Second
	// pipeLimit bounds the wait for what a killed command left behind with its output open.
	pipeLimit = time.Second
)

// command counts the lines that a program prints.
type command struct {
	args   []*template.Template
	within time.Duration
}

func newCommand(op *config.Operation, c *config.CommandEffect) (*Probe, error) {
	cmd := &command{within: c.Within}
	if cmd.within <= 0 {
		cmd.within = commandLimit
	}
	apart := false
	for i, text := range c.Run {
		arg, err := template.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("command.run[%d]: %w", i, err)
		}
		cmd.args = append(cmd.args, arg)
		apart = apart || tellsApart(op, arg.Placeholders())
	}
	if len(cmd.args) == 0 {
		return nil, errors.New("command.run: found nothing, expected a program")
	}
	return &Probe{Name: "command", Kind: Resource, Shared: !apart, reader: cmd}, nil
}

func (*command) close() error { return nil }

func (c *command) read(ctx context.Context, from Source, s Subject) (Reading, error) {
	args := make([]string, len(c.args))
	for i, t := range c.args {
		var err error
		if args[i], err = t.Expand(s.Vars); err != nil {
			return Reading{}, err
		}
	}
	limited, cancel := context.WithTimeout(ctx, c.within)
	defer cancel()
	run := exec.CommandContext(limited, args[0], args[1:]...)
	run.Dir, run.WaitDelay = from.Dir, pipeLimit
	together(run)
	out, said := &bounded{most: maxOutput, full: cancel}, &tail{}
	run.Stdout, run.Stderr = out, said

	name := head(strings.Join(args, " "), 200)
	err := run.Run()
	switch {
	case out.over:
		return Reading{}, fmt.Errorf("command %s: expected at most %d MiB of lines, found more", name, maxOutput>>20)
	case ctx.Err() != nil:
		return Reading{}, fmt.Errorf("command %s: %w", name, context.Cause(ctx))
	case limited.Err() != nil:
		return Reading{}, fmt.Errorf("command %s: expected it to end within %s, found it running%s", name, c.within, said.quoted(out))
	case err != nil:
		return Reading{}, fmt.Errorf("command %s: expected exit code 0: %w%s", name, err, said.quoted(out))
	}
	return lines(out.kept.String(), name)
}

func lines(text, name string) (Reading, error) {
	var r Reading
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) == "" {
			continue
		}
		if r.Count == maxLines {
			return Reading{}, fmt.Errorf("command %s: expected at most %d lines, found more", name, maxLines)
		}
		r.Count++
		r.IDs = append(r.IDs, line)
	}
	return r, nil
}

// bounded keeps output up to its limit, and then ends the command. The buffer is no embedded one: io.Copy would read into it
// past the limit.
type bounded struct {
	kept bytes.Buffer
	most int
	over bool
	full func()
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.kept.Len()+len(p) > b.most {
		b.over = true
		b.full()
		return 0, errors.New("too much output")
	}
	return b.kept.Write(p)
}

// tail keeps the last that was written.
type tail struct{ text []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p[max(0, len(p)-commandTail):]...)
	if extra := len(t.text) - commandTail; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

// quoted is what the command said last, on its error output or else on its output.
func (t *tail) quoted(out *bounded) string {
	text := t.text
	if len(bytes.TrimSpace(text)) == 0 {
		text = out.kept.Bytes()[max(0, out.kept.Len()-commandTail):]
	}
	if text = bytes.TrimSpace(text); len(text) == 0 {
		return ", which said nothing"
	}
	return fmt.Sprintf(", which said %q", strings.ToValidUTF8(string(text), "\uFFFD"))
}
