package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestExit4Usage(t *testing.T) {
	t.Parallel()
	good := tickets("http://127.0.0.1:1")
	edit := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("%q is not in the configuration", old)
		}
		return file(t, "oncespec.yaml", strings.Replace(good, old, new, 1))
	}
	for _, c := range []struct {
		name string
		args []string
		says []string
	}{
		{"mistyped requirement", []string{"run", "-r", "replay/one-efect"}, []string{`"replay/one-efect"`, `did you mean "replay/one-effect"?`, "oncespec list requirements"}},
		{"glob that matches nothing", []string{"run", "-r", "rase/*"}, []string{`"rase/*"`, "matches nothing"}},
		{"broken glob", []string{"run", "-r", "race/["}, []string{"no valid pattern"}},
		{"mistyped pack", []string{"run", "--pack", "rase"}, []string{`"rase"`, `did you mean "race"?`}},
		{"mistyped level", []string{"run", "--level", "musst"}, []string{`"musst"`, "must, should"}},
		{"mistyped operation", []string{"run", "--operation", "create-tickt"}, []string{`"create-tickt"`, `did you mean "create-ticket"?`}},
		{"filters that exclude one another", []string{"run", "-r", "replay/one-effect", "--pack", "race"}, []string{"select no requirement"}},
		{"nothing of it can be assessed", []string{"run", "-r", "key/in-path", "--operation", "create-ticket"}, []string{"nothing that was selected can be assessed"}},
		{"mistyped verb", []string{"rnu"}, []string{"rnu", `did you mean "run"?`}},
		{"mistyped flag", []string{"run", "--requirment", "x"}, []string{"--requirment", `did you mean "--requirement"?`}},
		{"flag without value", []string{"run", "--out"}, []string{"--out"}},
		{"configuration without its flag", []string{"run", "oncespec.yaml"}, []string{"unexpected argument oncespec.yaml", "-c oncespec.yaml"}},
		{"unexpected argument", []string{"run", "fast"}, []string{"unexpected argument fast", "`oncespec run --help`"}},
		{"fewer jobs than one", []string{"run", "--jobs=-1"}, []string{"--jobs", "-1", "1 or more"}},
		{"no job", []string{"run", "--jobs", "0"}, []string{"--jobs", "1 or more"}},
		{"seed that is no number", []string{"run", "--seed", "x"}, []string{"--seed"}},
		{"unknown mutant", []string{"run", "--mutant", "mismatch-replay"}, []string{`"mismatch-replay"`, `did you mean "mismatch-replays"?`}},
		{"mutant of a file", []string{"run", "--mutant", "mismatch-replays", "-c", file(t, "oncespec.yaml", good)}, []string{"--mutant", "--config"}},
		{"lifecycle of a file", []string{"run", "--lifecycle", "container", "-c", file(t, "oncespec.yaml", good)}, []string{"--lifecycle", "target.lifecycle.container"}},
		{"unknown lifecycle", []string{"run", "--lifecycle", "pod"}, []string{"--lifecycle", "process", "container"}},
		{"unknown mutant of the mock", []string{"mock", "--listen", "127.0.0.1:0", "--mutant", "mismatch-replay"}, []string{`did you mean "mismatch-replays"?`}},
		{"unknown profile of the mock", []string{"mock", "--listen", "127.0.0.1:0", "--profile", "ietf-08"}, []string{"ietf-08", "ietf-07"}},
		{"unknown database of the mock", []string{"mock", "--listen", "127.0.0.1:0", "--db", "mysql://127.0.0.1/mock"}, []string{"--db", `"mysql"`, "postgres://", "SQLite"}},
		{"no such file", []string{"run", "-c", "nowhere.yaml"}, []string{"nowhere.yaml"}},
		{"bad YAML", []string{"run", "-c", edit("name: tickets", "name: tickets: again")}, []string{"oncespec.yaml:3:"}},
		{"unknown field", []string{"run", "-c", edit("unique:", "uniqe:")}, []string{"oncespec.yaml:11:5", "uniqe", "unique"}},
		{"unknown field at the top", []string{"run", "-c", edit("timeouts:", "timeout:")}, []string{"oncespec.yaml:14:1", "timeout", "timeouts"}},
		{"wrong type", []string{"run", "-c", edit("request: 3s", "request: soon")}, []string{"oncespec.yaml:14:", "soon"}},
		{"unknown profile", []string{"run", "-c", edit("ietf-07", "ietf-7")}, []string{"oncespec.yaml:7:", "ietf-7", "ietf-07"}},
		{"unset variable", []string{"run", "-c", edit("Bearer acme-token", `"Bearer ${NO_SUCH_VARIABLE}"`)}, []string{"oncespec.yaml:6:", "NO_SUCH_VARIABLE"}},
		{"remote host", []string{"run", "-c", edit("http://127.0.0.1:1", "http://192.0.2.1")}, []string{"192.0.2.1", "allow_hosts"}},
		{"production", []string{"run", "-c", edit("name: tickets", "name: tickets-prod")}, []string{"tickets-prod", "looks like production"}},
		{"command that is not there", []string{"run", "-c", edit("\n  tenants:", "\n  lifecycle: {process: {command: [./no-such-server]}}\n  tenants:")}, []string{"no-such-server"}},
		{"empty file", []string{"run", "-c", file(t, "oncespec.yaml", "")}, []string{"oncespec.yaml"}},
		{"fuzz: mistyped rewrite", []string{"fuzz", "--rewrite", "number/beyond-2^54"}, []string{`did you mean "number/beyond-2^53"?`, "oncespec list rewrites"}},
		{"fuzz: broken glob", []string{"fuzz", "--rewrite", "number/["}, []string{"number/["}},
		{"fuzz: mistyped operation", []string{"fuzz", "--operation", "create-tickt"}, []string{`did you mean "create-ticket"?`}},
		{"fuzz: key in the path", []string{"fuzz", "--operation", "put-label"}, []string{"put-label", "in the path"}},
		{"fuzz: unknown mutant", []string{"fuzz", "--mutant", "fingerprint-float"}, []string{`did you mean "fingerprint-float64"?`}},
		{"fuzz: time that is none", []string{"fuzz", "--for", "soon"}, []string{"--for"}},
		{"fuzz: less than nothing", []string{"fuzz", "--cases=-1"}, []string{"--cases"}},
		{"fuzz: corpus that is broken", []string{"fuzz", "--corpus", filepath.Dir(file(t, "pair.json", "{\n  \"schema\": oops\n}"))}, []string{"--corpus", "pair.json:2:13:", "mend or remove"}},
		{"plan of a mistyped requirement", []string{"plan", "-r", "replay/one-efect"}, []string{`did you mean "replay/one-effect"?`}},
		{"plan of a bad file", []string{"plan", "-c", edit("unique:", "uniqe:")}, []string{"oncespec.yaml:11:5"}},
		{"explain a mistyped requirement", []string{"explain", "lost/respons"}, []string{`did you mean "lost/response"?`}},
		{"list what there is not", []string{"list", "mutant"}, []string{`did you mean "mutants"?`, "requirements"}},
		{"a mutant like none", []string{"run", "--mutant", "zzz"}, []string{`there is no mutant "zzz"; `, "oncespec list mutants"}},
		{"a piece of a mutant's name", []string{"run", "--mutant", "float64"}, []string{`did you mean "fingerprint-float64"?`}},
		{"mistyped profile", []string{"mock", "--profile", "ietf-7"}, []string{"--profile", `did you mean "ietf-07"?`}},
		{"explain a mistyped setting", []string{"explain", "target.lifecicle"}, []string{`did you mean "target.lifecycle"?`}},
		{"explain a mistyped profile", []string{"explain", "ietf-7"}, []string{`did you mean "ietf-07"?`}},
		{"help of a mistyped verb", []string{"help", "rnu"}, []string{`did you mean "run"?`}},
		{"a shard without a seed", []string{"run", "--shard", "1/2"}, []string{"--shard 1/2", "one --seed", "report merge"}},
		{"schema of nothing", []string{"schema"}, []string{"<what>", "`oncespec schema --help`"}},
		{"schema of what there is not", []string{"schema", "plan"}, []string{"config", "report"}},
		{"merge nothing", []string{"report", "merge"}, []string{"`oncespec report merge --help`"}},
		{"merge into one of the folders", []string{"report", "merge", ".", "--out", "./"}, []string{"--out ./", "choose another"}},
		{"judge nothing", []string{"judge", t.TempDir()}, []string{"holds no stored run"}},
		{"judge what is not there", []string{"judge", filepath.Join(t.TempDir(), "nowhere")}, []string{"holds no stored run"}},
		{"judge without a folder", []string{"judge"}, []string{"<dir>"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := command(t, c.args...)
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			e := p.wait(t).want(t, 4).says(t, c.says...)
			if e.out != "" {
				t.Errorf("stdout is for data:\n%s", e.out)
			}
			if _, err := os.Stat(filepath.Join(p.Dir, "oncespec-report", "report.json")); err == nil {
				t.Error("a report was written of a run that never was")
			}
		})
	}
}

func TestABrokenStoredRunIsNamed(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	oncespec(t, "run", "-c", serve(t, nil), "-r", "replay/one-effect", "--out", out).want(t, 0)
	histories, err := filepath.Glob(filepath.Join(out, "histories", "replay-again*.json"))
	if err != nil || len(histories) == 0 {
		t.Fatalf("no history: %v", err)
	}
	if err := os.WriteFile(histories[0], []byte("{\n  \"schema\": oops\n}"), 0o644); err != nil {
		t.Fatal(err)
	}
	oncespec(t, "judge", out).want(t, 4).says(t, histories[0]+":2:")
}

// verbs are all that the help lists, as they are typed.
func verbs(t *testing.T) (verbs []string) {
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z]+(?: [a-z]+)*) .*\[flags\]$`).FindAllStringSubmatch(oncespec(t, "--help").want(t, 0).out, -1) {
		verbs = append(verbs, m[1])
	}
	if len(verbs) < 10 {
		t.Fatalf("the help lists %q", verbs)
	}
	return verbs
}

func TestHelpOfEachVerbHoldsAnExample(t *testing.T) {
	t.Parallel()
	for _, verb := range verbs(t) {
		e := oncespec(t, append(strings.Fields(verb), "--help")...).want(t, 0)
		if !strings.Contains(e.out, "\n    oncespec "+verb) {
			t.Errorf("oncespec %s --help shows no example:\n%s", verb, e.out)
		}
		if other := oncespec(t, append([]string{"help"}, strings.Fields(verb)...)...).want(t, 0); other.out != e.out {
			t.Errorf("oncespec help %s says:\n%s", verb, other.out)
		}
		for line := range strings.Lines(e.out) {
			if n := utf8.RuneCountInString(line) - 1; n > 80 {
				t.Errorf("oncespec %s --help has a line of %d columns: %s", verb, n, line)
			}
		}
	}
	for _, args := range [][]string{nil, {"--help"}, {"help"}} {
		e := oncespec(t, args...).want(t, 0)
		for _, text := range []string{"oncespec run -c oncespec.yaml", "--version", "Exit codes: 0 conformant", "130 interrupted"} {
			if !strings.Contains(e.out, text) {
				t.Errorf("oncespec %v does not say %q:\n%s", args, text, e.out)
			}
		}
	}
}

// TestExamplesNameWhatThereIs: whoever copies a command line out of a help text or the README must not be told that it is wrong.
func TestExamplesNameWhatThereIs(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"README.md": string(readme), "--help": oncespec(t, "--help").out}
	for _, verb := range verbs(t) {
		texts[verb+" --help"] = oncespec(t, append(strings.Fields(verb), "--help")...).out
	}
	names := func(what string) string { return "\n" + oncespec(t, "list", what).want(t, 0).out }
	mutants, requirements, rewrites := names("mutants"), names("requirements"), names("rewrites")
	for where, text := range texts {
		for _, m := range regexp.MustCompile(`oncespec [^\n]*--mutant ([a-z0-9][a-z0-9-]+)`).FindAllStringSubmatch(text, -1) {
			if !strings.Contains(mutants, "\n"+m[1]+" ") {
				t.Errorf("%s: there is no mutant %s", where, m[1])
			}
		}
		for _, m := range regexp.MustCompile(`oncespec explain ([a-z0-9-]+/[a-z0-9^-]+)`).FindAllStringSubmatch(text, -1) {
			if !strings.Contains(requirements+rewrites, "\n"+m[1]+" ") {
				t.Errorf("%s: there is no requirement %s", where, m[1])
			}
		}
	}
}
