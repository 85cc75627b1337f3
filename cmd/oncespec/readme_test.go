package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// TestTheREADMEsFileWorks runs the shortest configuration as it stands in the README, with another port, against the mock.
func TestTheREADMEsFileWorks(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(readme)
	if block == nil {
		t.Fatal("the README shows no configuration")
	}
	address := make(chan string, 1)
	served := make(chan error, 1)
	go func() {
		served <- mockapi.Serve(t.Context(), mockapi.ServeOptions{Listen: "127.0.0.1:0", Ready: func(a string) { address <- a }})
	}()
	select {
	case err := <-served:
		t.Fatal(err)
	case a := <-address:
		dir := t.TempDir()
		file := filepath.Join(dir, "oncespec.yaml")
		text := strings.Replace(string(block[1]), "127.0.0.1:8080", a, 1)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := config.Load(file); err != nil {
			t.Fatal(err)
		}
		out := oncespec(t, "run", "-c", file, "--out", filepath.Join(dir, "report"))
		out.want(t, 0)
		saysWhatTheREADMEShows(t, out.out, string(readme), "add target.downstream for ", "target is conformant (")
	}
}

// TestTheREADMEsDefectIsFound: the run of a mutant says today what the README shows.
func TestTheREADMEsDefectIsFound(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	const shown = "run --mutant check-then-insert --operation create-ticket"
	if !strings.Contains(string(readme), "$ oncespec "+shown+"\n") {
		t.Fatal("the README runs another one")
	}
	found := oncespec(t, append(strings.Fields(shown), "--out", t.TempDir())...).want(t, 1)
	saysWhatTheREADMEShows(t, found.out, string(readme), "pack ", "mutant check-then-insert is not conformant: ")
}

// saysWhatTheREADMEShows holds a run to the lines of the README from the one that begins so to the one that does, but for names
// and times that differ from run to run.
func saysWhatTheREADMEShows(t *testing.T, out, readme, from, to string) {
	t.Helper()
	said := map[string]bool{}
	for line := range strings.Lines(out) {
		said[strings.Join(strings.Fields(line), " ")] = true
	}
	within := false
	for line := range strings.Lines(readme) {
		line = strings.Join(strings.Fields(line), " ")
		within = within || strings.HasPrefix(line, from)
		if own := line == "" || line == "…" || strings.HasPrefix(line, "report: ") || strings.HasPrefix(line, "fail "); within && !own && !said[line] {
			t.Errorf("the README shows %q, the run said\n%s", line, out)
		}
		if within && strings.HasPrefix(line, to) {
			return
		}
	}
	t.Errorf("the README shows no lines from %q to %q", from, to)
}

// TestTheREADMENamesWhatThereIs: links lead somewhere, and each pack is in the table.
func TestTheREADMENamesWhatThereIs(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range regexp.MustCompile(`\]\(([^)h][^)]*)\)|src="([^"]+)"`).FindAllSubmatch(readme, -1) {
		path := string(link[1]) + string(link[2])
		if _, err := os.Stat(filepath.Join("..", "..", path)); err != nil {
			t.Errorf("the README links to %s: %v", path, err)
		}
	}
	listed := oncespec(t, "list", "requirements")
	for line := range strings.Lines(listed.out) {
		pack, _, _ := strings.Cut(line, "/")
		if !strings.Contains(string(readme), "\n| "+pack+" |") {
			t.Errorf("the README's table has no pack %q", pack)
		}
	}
}
