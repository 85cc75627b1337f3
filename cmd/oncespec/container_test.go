package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/faults/needtest"
)

func needDocker(t *testing.T) {
	t.Helper()
	_, _, err := life.ReachHost(t.Context())
	needtest.Have(t, "docker", err)
}

// withoutCgo builds the command so that it is linked statically wherever that is done.
func withoutCgo(dir string) (string, error) {
	file := filepath.Join(dir, "oncespec-static")
	build := exec.Command("go", "build", "-o", file, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return file, nil
}

// inContainer is a command line of a command that is linked statically.
func inContainer(t *testing.T, args ...string) *process {
	t.Helper()
	needDocker(t)
	self, err := inContainers()
	if err != nil {
		t.Fatal(err)
	}
	p := command(t, args...)
	p.Path, p.Args[0] = self, self
	return p
}

// nothingOf fails the test where Docker still holds something that the process made.
func nothingOf(t *testing.T, p *process) {
	t.Helper()
	left, err := life.Left(t.Context(), p.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range left {
		t.Errorf("left behind: %s", what)
	}
}

// The mock is killed in mid-work in a container made of this very program, comes back on its volume, and is conformant; so are two
// of them on one volume, of which one is paused.
func TestMockInAContainerIsKilledAndConformant(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	p := inContainer(t, "run", "--lifecycle", "container", "-r", "crash/durable", "-r", "race/replicas", "-r", "crash/fencing", "--operation", "create-ticket", "--out", out)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	p.wait(t).want(t, 0)
	written(t, out)
	r := report(t, out)
	if r.Result != "conformant" || r.Summary.Pass == 0 {
		t.Errorf("result %q with %d passes", r.Result, r.Summary.Pass)
	}
	for _, id := range []string{"crash/durable", "race/replicas", "crash/fencing"} {
		if i := strings.Index(string(r.Verdicts), id); i < 0 || !strings.Contains(string(r.Verdicts)[i:][:400], `"verdict": "pass"`) {
			t.Errorf("%s did not pass: %s", id, r.Verdicts)
		}
	}
	kills := 0
	for name, text := range files(t, out) {
		if strings.Contains(name, "histories") || strings.HasSuffix(name, ".json") {
			kills += len(killedContainer.FindAllString(text, -1))
		}
	}
	if kills == 0 {
		t.Error("no history says that a container was ended by SIGKILL")
	}
	nothingOf(t, p)
}

// Where the container has a network of its own, its port is published where the configuration says, at the same number after
// each kill, or where Docker likes, at another one; and it reaches the gate.
func TestContainerInANetworkOfItsOwn(t *testing.T) {
	t.Parallel()
	for name, port := range map[string]func() (int, error){"at a fixed port": life.FreePort, "where Docker likes": func() (int, error) { return 0, nil }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testContainerInANetworkOfItsOwn(t, port)
		})
	}
}

func testContainerInANetworkOfItsOwn(t *testing.T, port func() (int, error)) {
	needDocker(t)
	self, err := inContainers()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "suites", "mock.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	begin, end := bytes.Index(text, []byte("    process:\n")), bytes.Index(text, []byte("  downstream: {listen"))
	if begin < 0 || end < begin {
		t.Fatal("the mock's configuration has another shape")
	}
	lifecycle := `    container:
      program: ` + self + `
      command: [mock, --listen, "0.0.0.0:{port}", --db, "{dir}/mock.db", --downstream, "{downstream}"]
      volume: /data
      port: 8080
      ready: {http: /healthz}
`
	head := string(text[:begin])
	number, err := port()
	if err != nil {
		t.Fatal(err)
	}
	if number != 0 {
		head = strings.Replace(head, "{port}", fmt.Sprint(number), 1)
	}
	cfg := file(t, "oncespec.yaml", head+lifecycle+string(text[end:]))
	out := t.TempDir()
	p := command(t, "run", "-c", cfg, "-r", "crash/after-claim", "--operation", "create-ticket", "--out", out)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	p.wait(t).want(t, 0)
	if r := report(t, out); r.Result != "conformant" || r.Summary.Pass == 0 {
		t.Errorf("result %q with %d passes", r.Result, r.Summary.Pass)
	}
	nothingOf(t, p)
}

var killedContainer = regexp.MustCompile(`container [0-9a-f]{12} ended by SIGKILL`)

func TestInterruptedRunLeavesNoContainer(t *testing.T) {
	t.Parallel()
	for begun, pattern := range map[string]string{"while it is made": `^starting the target`, "while it is tested": `^ *\d+/\d+ replay`} {
		t.Run(begun, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "report")
			p := inContainer(t, "run", "--lifecycle", "container", "--pack", "replay", "--pack", "lost", "--out", out)
			p.startSignalled(t, os.Interrupt, regexp.MustCompile(pattern).MatchString)
			p.wait(t).want(t, 130)
			written(t, out)
			nothingOf(t, p)
		})
	}
}

func TestExit3WithoutDocker(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	p := command(t, "run", "--lifecycle", "container", "-r", "replay/one-effect", "--operation", "create-ticket", "--out", out)
	p.Env = append(p.Env, "DOCKER_HOST=tcp://127.0.0.1:1")
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	p.wait(t).want(t, 3)
	written(t, out)
	r := report(t, out)
	for _, words := range []string{"Docker at tcp://127.0.0.1:1", "from DOCKER_HOST", "does not answer"} {
		if !strings.Contains(r.Problem, words) {
			t.Errorf("the problem does not say %q: %s", words, r.Problem)
		}
	}
	if r.Result != "environment" {
		t.Errorf("result %q", r.Result)
	}
}

func TestPlanKnowsTheContainer(t *testing.T) {
	t.Parallel()
	e := oncespec(t, "plan", "--lifecycle", "container", "--json").want(t, 0) // needs no Docker
	if !json.Valid([]byte(e.out)) {
		t.Errorf("no JSON: %.200s", e.out)
	}
}
