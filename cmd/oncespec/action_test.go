package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// action is the composite action, as far as a test can hold it to something.
type action struct {
	Inputs map[string]struct {
		Description string  `yaml:"description"`
		Default     *string `yaml:"default"`
	} `yaml:"inputs"`
	Outputs map[string]struct {
		Description string `yaml:"description"`
		Value       string `yaml:"value"`
	} `yaml:"outputs"`
	Runs struct {
		Using string `yaml:"using"`
		Steps []struct {
			ID    string            `yaml:"id"`
			Name  string            `yaml:"name"`
			Uses  string            `yaml:"uses"`
			With  map[string]string `yaml:"with"`
			If    string            `yaml:"if"`
			Shell string            `yaml:"shell"`
			Run   string            `yaml:"run"`
			Env   map[string]string `yaml:"env"`
		} `yaml:"steps"`
	} `yaml:"runs"`
}

const actionDir = "../../.github/actions/run"

func readAction(t *testing.T) (a action, text string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(actionDir, "action.yml"))
	if err == nil {
		err = yaml.Unmarshal(data, &a)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a, string(data)
}

// script is the step that runs oncespec.
func (a action) script(t *testing.T) string {
	t.Helper()
	for _, s := range a.Runs.Steps {
		if s.ID == "run" {
			return s.Run
		}
	}
	t.Fatal("no step is called run")
	return ""
}

// TestTheActionIsWhole: what is used is declared, what is declared is used, and the flags are those of the verb.
func TestTheActionIsWhole(t *testing.T) {
	t.Parallel()
	a, text := readAction(t)
	if a.Runs.Using != "composite" || len(a.Inputs) == 0 {
		t.Fatalf("using %q, %d inputs", a.Runs.Using, len(a.Inputs))
	}
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`inputs\.([a-z-]+)`).FindAllStringSubmatch(text, -1) {
		used[m[1]] = true
		if _, declared := a.Inputs[m[1]]; !declared {
			t.Errorf("inputs.%s is not declared", m[1])
		}
	}
	for name, in := range a.Inputs {
		if !used[name] || in.Description == "" || in.Default == nil {
			t.Errorf("input %s: used %v, description %q, default %v", name, used[name], in.Description, in.Default)
		}
	}
	script := a.script(t)
	for name, out := range a.Outputs {
		if !strings.Contains(out.Value, "steps.run.outputs."+name+" ") || !strings.Contains(script, name+"=") {
			t.Errorf("output %s is %s, and nothing writes it", name, out.Value)
		}
	}
	for _, s := range a.Runs.Steps {
		if s.Run != "" && s.Shell == "" {
			t.Errorf("step %q has no shell, which a composite action needs", s.Name)
		}
		if strings.Contains(s.Run, "${{") {
			t.Errorf("step %q has an expression in its script, where an input could become code", s.Name)
		}
	}
	help := map[bool]string{false: oncespec(t, "run", "--help").out, true: oncespec(t, "report", "merge", "--help").out}
	for line := range strings.Lines(script) {
		merges := strings.Contains(line, "report merge")
		for _, flag := range regexp.MustCompile(`--[a-z]+`).FindAllString(line, -1) {
			if !strings.Contains(help[merges], flag+"=") {
				t.Errorf("there is no %s for %s", flag, line)
			}
		}
	}
}

// TestTheActionRuns: its script, as a runner would start it, writes the job's summary and outputs, and ends with the verdict's code.
func TestTheActionRuns(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here: ", err)
	}
	a, _ := readAction(t)
	script := file(t, "run.sh", a.script(t))
	dir := t.TempDir()
	perform := func(inputs ...string) (code int, output, summary, said string) {
		t.Helper()
		out, sum := file(t, "output", ""), file(t, "summary", "")
		p := command(t)
		p.Path, p.Args, p.Dir = bash, []string{bash, "--noprofile", "--norc", "-eo", "pipefail", script}, dir
		p.Env = append(p.Env, "RUNNER_TEMP="+filepath.Dir(binary), "GITHUB_OUTPUT="+out, "GITHUB_STEP_SUMMARY="+sum, "GITHUB_RUN_ID=4711", "SEED=", "SHARD=", "MERGE=", "OUT=report")
		p.Env = append(p.Env, inputs...)
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		e := p.wait(t)
		o, _ := os.ReadFile(out)
		s, _ := os.ReadFile(sum)
		return e.code, string(o), string(s), e.out + e.err
	}
	good, bad := serve(t, nil), serve(t, always(500, "boom"))
	for _, c := range []struct {
		name          string
		inputs        []string
		code          int
		output, sumUp string
	}{
		{"conformant", []string{"CONFIG=" + good, "ARGS=-r replay/* -q"}, 0, "exit-code=0\nresult=conformant\n", "is conformant"},
		{"a target that answers 500", []string{"CONFIG=" + bad, "ARGS=-q"}, 3, "exit-code=3\nresult=environment\n", "# nothing can be said of"},
		{"a flag that is none", []string{"CONFIG=" + good, "ARGS=--nonsense"}, 4, "exit-code=4\n", ""},
		{"a shard", []string{"CONFIG=" + good, "ARGS=--pack key -r key/* -q", "SHARD=1/2", "OUT=one"}, 0, "exit-code=0\nresult=conformant\n", "shard 1/2"},
		{"its other half is missing", []string{"MERGE=one", "ARGS="}, 2, "exit-code=2\nresult=inconclusive\n", "shard 2/2 is missing"},
	} {
		code, output, summary, said := perform(c.inputs...)
		if code != c.code || output != c.output || !strings.Contains(summary, c.sumUp) || c.sumUp == "" && summary != "" {
			t.Errorf("%s: code %d, output %q, summary:\n%s\nsaid:\n%s", c.name, code, output, summary, said)
		}
	}
}
