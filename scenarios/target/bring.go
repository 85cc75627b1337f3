package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/mockapi/provider"
	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/template"
)

// openGate starts the downstream stub, where one is configured.
func (t *Target) openGate(ctx context.Context) error {
	d := t.cfg.Target.Downstream
	if d == nil {
		return nil
	}
	room := max(leastCalls, callsOfOne*t.cfg.Limits.Objects)
	options := provider.Options{MaxCalls: room, MaxBytes: int64(room) * bytesOfCall, Key: provider.KeyAt{Header: d.Key.Header, Query: d.Key.Query, Body: d.Key.Body}}
	for _, r := range d.Routes {
		for _, path := range segments(r.Path) {
			options.Routes = append(options.Routes, provider.Route{Method: r.Method, Path: path, Status: r.Status, Headers: r.Headers, Body: r.Body})
		}
	}
	if _, err := provider.New(options); err != nil {
		return &ConfigurationError{What: "target.downstream", Err: err}
	}
	listen, err := t.gateAddress(ctx, d.Listen)
	if err != nil {
		return &EnvironmentError{What: "target.downstream", Err: err}
	}
	gate, err := provider.Listen(listen, options)
	if err != nil {
		return &EnvironmentError{What: "target.downstream", Err: err}
	}
	t.gate = gate
	return nil
}

// The gate's ledger has room for so many calls of each intent that the run may make. Few intents may be tried often.
const (
	callsOfOne  = 8
	leastCalls  = 20_000
	bytesOfCall = 3200
)

// restSegments is how many segments the rest of a path may have.
const restSegments = 8

// segments names the wildcards of a route's path, as the gate wants them. The rest of a path becomes a path of each length.
func segments(path string) []string {
	list := strings.Split(path, "/")
	for i, s := range list {
		if s == "*" {
			list[i] = fmt.Sprintf("{any%d}", i)
		}
	}
	if last := len(list) - 1; list[last] == "**" {
		list = list[:last]
		paths := []string{cmp.Or(strings.Join(list, "/"), "/")}
		for n := range restSegments {
			list = append(list, fmt.Sprintf("{rest%d}", n))
			paths = append(paths, strings.Join(list, "/"))
		}
		return paths
	}
	return []string{strings.Join(list, "/")}
}

// bringAll starts the target, or sees that somebody else did. Further instances that the run starts itself wait until they are
// wanted.
func (t *Target) bringAll(ctx context.Context) error {
	for _, i := range t.instances {
		if err := t.equip(i); err != nil {
			return err
		}
		if i.onDemand() {
			i.becomes(down)
			continue
		}
		if err := t.bring(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// equip says how the instance is started and ended.
func (t *Target) equip(i *instance) error {
	switch l := t.cfg.Target.Lifecycle; {
	case l == nil:
		return nil
	case l.Process != nil:
		return t.makeProcess(i, l.Process)
	case l.Container != nil:
		return t.makeContainer(i, l.Container)
	case l.Hooks != nil:
		t.makeHooks(i, l.Hooks)
	}
	return nil
}

// bring starts an instance, unless somebody else did.
func (t *Target) bring(ctx context.Context, i *instance) error {
	if !i.managed {
		seen := i.seeUp(ctx)
		if startable := t.cfg.Target.Lifecycle != nil && t.cfg.Target.Lifecycle.Hooks.Start != ""; seen == nil || !startable {
			return seen
		}
	}
	if err := i.life.Start(ctx); err != nil {
		if lost := t.throughLost(ctx, i); lost != nil {
			return lost
		}
		return t.cannotStart(i, err)
	}
	i.becomes(serving)
	return nil
}

func (i *instance) seeUp(ctx context.Context) error {
	if err := i.accepts(ctx); err != nil {
		return &EnvironmentError{What: i.what, Err: fmt.Errorf("nobody takes connections at %s (%w); is it running?", i.base.addr, err)}
	}
	return nil
}

func (t *Target) makeProcess(i *instance, p *config.Process) error {
	command := life.Command{Dir: t.beside(p.Dir), Ready: t.ready(i, p.Ready), ReadyWithin: p.Ready.Within, Listens: i.base.addr}
	vars := t.varsOf(i)
	for n, arg := range p.Command {
		text, err := expand(arg, vars)
		if err != nil {
			return &ConfigurationError{What: fmt.Sprintf("target.lifecycle.process.command[%d]", n), Err: err}
		}
		command.Argv = append(command.Argv, text)
	}
	for name, value := range p.Env {
		text, err := expand(value, vars)
		if err != nil {
			return &ConfigurationError{What: "target.lifecycle.process.env." + name, Err: err}
		}
		command.Env = append(command.Env, name+"="+text)
	}
	process, err := life.NewProcess(command)
	if err != nil {
		return &ConfigurationError{What: "target.lifecycle.process", Err: err}
	}
	i.life, i.managed = process, true
	return nil
}

func (t *Target) makeHooks(i *instance, h *config.Hooks) {
	i.life = life.NewHooks(life.HookCommands{
		Start: h.Start, Kill: h.Kill, Stop: h.Stop, Pause: h.Pause, Resume: h.Resume,
		Env:   []string{"PORT=" + i.port, "DIR=" + t.dir, "DOWNSTREAM=" + t.vars().Downstream, "STORE=" + t.vars().Store, fmt.Sprintf("REPLICA=%d", i.index)},
		Dir:   t.beside(""),
		Limit: h.Within,
		Ready: t.ready(i, h.Ready), ReadyWithin: h.Ready.Within,
	})
}

// cannotStart says why the target does not come up. What the command is and whether it can be found is the configuration's.
func (t *Target) cannotStart(i *instance, err error) error {
	if errors.Is(err, life.ErrNotFound) || errors.Is(err, life.ErrNotStatic) {
		return &ConfigurationError{What: "target.lifecycle", Err: redactedError{t.redact.text(err.Error()), err}}
	}
	return &EnvironmentError{What: t.name(i) + " does not come up", Err: redactedError{t.redact.text(err.Error()), err}}
}

// redactedError is an error whose words were cleared of secrets.
type redactedError struct {
	text string
	err  error
}

func (e redactedError) Error() string { return e.text }

func (e redactedError) Unwrap() error { return e.err }

// beside is a folder relative to the configuration's file.
func (t *Target) beside(dir string) string {
	if filepath.IsAbs(dir) || t.cfg.Path == "" {
		return dir
	}
	return filepath.Join(filepath.Dir(t.cfg.Path), dir)
}

// ready looks once whether an instance may be used.
func (t *Target) ready(i *instance, r config.Ready) func(context.Context) error {
	return func(ctx context.Context) error {
		if r.HTTP == "" {
			return i.accepts(ctx)
		}
		path, query, _ := strings.Cut(r.HTTP, "?")
		answer, err := t.callAt(ctx, i, rewrite.Request{Method: http.MethodGet, Path: path, RawQuery: query, Header: []rewrite.Field{{Name: "User-Agent", Value: agent}}})
		if err != nil {
			return fmt.Errorf("GET %s: %w", r.HTTP, err)
		}
		if answer.Status < 200 || answer.Status > 299 {
			return fmt.Errorf("GET %s: expected a 2xx answer, found %d", r.HTTP, answer.Status)
		}
		return nil
	}
}

func expand(text string, v template.Vars) (string, error) {
	parsed, err := template.Parse(text)
	if err != nil {
		return "", err
	}
	return parsed.Expand(v)
}
