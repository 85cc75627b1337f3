package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// The test binary plays the programs that start things: ROLE says which.
func TestMain(m *testing.M) {
	if os.Getenv("ROLE") == "starts things" {
		for _, name := range []string{"first", "second", "third"} {
			e, err := Begin(Thing{Kind: "thing", Name: name})
			if err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			if name == "second" {
				e.End()
			}
		}
		dir, _, err := MakeScratch()
		fmt.Println(dir, err)
		_, _ = io.Copy(io.Discard, os.Stdin) // lives until it is killed; blocking for ever without a reader would be a deadlock to Go
		os.Exit(0)
	}
	goleak.VerifyTestMain(m) // leaktest rests on this package
}

// starter is another program that has started things.
func starter(t *testing.T) (program *exec.Cmd, scratch string) {
	t.Helper()
	program = exec.Command(os.Args[0])
	program.Env = append(os.Environ(), "ROLE=starts things")
	out, err := program.StdoutPipe()
	if err == nil {
		_, err = program.StdinPipe() // open until the program is waited for
	}
	if err == nil {
		err = program.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Process.Kill(); program.Wait() })
	var word string
	if _, err := fmt.Fscan(out, &scratch, &word); err != nil || word != "<nil>" {
		t.Fatalf("the program said %q %q, %v", scratch, word, err)
	}
	return program, scratch
}

// TestWhatAKilledProgramLeft is ended once, last thing first, and nothing of a program that lives.
func TestWhatAKilledProgramLeft(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	program, scratch := starter(t)
	var ended []string
	refuse := errors.New("not now")
	by := map[string]Ender{Scratch: EndScratch, "thing": func(_ context.Context, thing Thing) error {
		if refuse == nil {
			ended = append(ended, thing.Name)
		}
		return refuse
	}}
	sweep := func() (int, error) {
		done, err := Sweep(t.Context(), by)
		return len(done), err
	}
	refuse = nil
	if n, err := sweep(); n != 0 || err != nil || len(ended) != 0 {
		t.Fatalf("of a program that lives: %d ended, %v, %v", n, ended, err)
	}
	program.Process.Kill()
	program.Wait()
	refuse = errors.New("not now")
	if n, err := sweep(); n != 1 || !errors.Is(err, refuse) {
		t.Errorf("while it cannot be: %d ended, %v", n, err)
	}
	if _, err := os.Stat(scratch); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the scratch folder: %v", err)
	}
	refuse = nil
	if n, err := sweep(); n != 3 || err != nil || strings.Join(ended, " ") != "third first" {
		t.Errorf("%d ended, %v, %v", n, ended, err)
	}
	if n, err := sweep(); n != 0 || err != nil {
		t.Errorf("again: %d ended, %v", n, err)
	}
}

// TestAScratchFolderStaysForWhatStandsOnIt: what cannot be ended yet may need it to be.
func TestAScratchFolderStaysForWhatStandsOnIt(t *testing.T) {
	refuse := errors.New("not now")
	var removed bool
	by := map[string]Ender{
		Scratch: func(context.Context, Thing) error { removed = true; return nil },
		"thing": func(context.Context, Thing) error { return refuse },
	}
	left := []Thing{{Kind: Scratch, Name: "folder"}, {Kind: "thing", Name: "one"}}
	if done, err := end(t.Context(), left, by); len(done) != 0 || !errors.Is(err, refuse) || removed {
		t.Errorf("ended %v, %v, removed: %v", done, err, removed)
	}
	refuse = nil
	if done, err := end(t.Context(), left, by); len(done) != 2 || err != nil || !removed {
		t.Errorf("ended %v, %v, removed: %v", done, err, removed)
	}
}

// TestTheFileGoesWithTheLastThing: a program that ends well leaves no journal.
func TestTheFileGoesWithTheLastThing(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	files := func() int {
		found, _ := filepath.Glob(filepath.Join(state, "oncespec", "*"))
		return len(found)
	}
	for range 2 {
		a, err := Begin(Thing{Kind: "thing", Name: "a"})
		if err != nil {
			t.Fatal(err)
		}
		b, err := Begin(Thing{Kind: "thing", Name: "b"})
		if err != nil {
			t.Fatal(err)
		}
		if files() != 1 || len(Open()) != 2 {
			t.Errorf("%d files, open %v", files(), Open())
		}
		a.End()
		a.End()
		if files() != 1 || len(Open()) != 1 {
			t.Errorf("%d files, open %v", files(), Open())
		}
		b.End()
		if files() != 0 || len(Open()) != 0 {
			t.Errorf("%d files, open %v", files(), Open())
		}
	}
	(*Entry)(nil).End()
}

// TestAFolderThatOthersMayWriteIsNotTrusted: what stands in a journal is acted upon.
func TestAFolderThatOthersMayWriteIsNotTrusted(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	t.Setenv("TMPDIR", t.TempDir())
	dir := filepath.Join(state, "oncespec")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	owner := Owner{Place: place(), PID: 1 << 22, Started: "long ago"}
	head, _ := json.Marshal(line{Owner: &owner})
	text := string(head) + "\n" + `{"begin":1,"thing":{"kind":"thing","name":"somebody's"}}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "1-x"+suffix), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ended, err := Sweep(t.Context(), map[string]Ender{"thing": func(context.Context, Thing) error { return nil }})
	if len(ended) != 0 || err != nil {
		t.Errorf("acted upon: %v, %v", ended, err)
	}
	e, err := Begin(Thing{Kind: "thing", Name: "ours"})
	if err != nil {
		t.Fatal("the folder for temporary files would do: ", err)
	}
	e.End()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if ended, err := Sweep(t.Context(), map[string]Ender{"thing": func(context.Context, Thing) error { return nil }}); len(ended) != 1 || err != nil {
		t.Errorf("once it is ours: %v, %v", ended, err)
	}
}

// TestFilesThatAreTorn: a program may be killed in the middle of a line.
func TestFilesThatAreTorn(t *testing.T) {
	const owner, begin = `{"owner":{"place":"here","pid":7,"started":"then"}}` + "\n", `{"begin":1,"thing":{"kind":"k","name":"n"}}` + "\n"
	for name, c := range map[string]struct {
		text  string
		owned bool
		left  int
	}{
		"empty":             {"", false, 0},
		"no owner":          {begin, false, 0},
		"half an owner":     {owner[:20], false, 0},
		"an owner":          {owner, true, 0},
		"a thing":           {owner + begin, true, 1},
		"half a thing":      {owner + begin[:20], true, 0},
		"ended":             {owner + begin + `{"end":1}` + "\n", true, 0},
		"half ended":        {owner + begin + `{"end":1}`, true, 1},
		"another owner":     {owner + begin + owner, true, 1},
		"noise":             {owner + begin + "noise\n" + `{"end":1}` + "\n", true, 0},
		"torn in between":   {owner + begin[:20] + "\n" + `{"begin":2,"thing":{"kind":"k","name":"m"}}` + "\n", true, 1},
		"ends what is not":  {owner + begin + `{"end":9}` + "\n", true, 1},
		"a thing of no one": {owner + `{"begin":1}` + "\n", true, 0},
	} {
		o, left := parse([]byte(c.text))
		if (o != nil) != c.owned || len(left) != c.left {
			t.Errorf("%s: owner %v, left %v", name, o, left)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"owner":{"place":"here","pid":7,"started":"then"}}` + "\n" + `{"begin":1,"thing":{"kind":"k","name":"n"}}` + "\n" + `{"end":1}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if owner, left := parse(data); owner == nil && len(left) > 0 {
			t.Errorf("things without an owner: %v", left)
		}
	})
}

func TestOnlyFoldersOfOursAreRemoved(t *testing.T) {
	keep := t.TempDir()
	for _, name := range []string{keep, "oncespec-relative", "/etc"} {
		if err := EndScratch(t.Context(), Thing{Kind: Scratch, Name: name}); err == nil {
			t.Errorf("%s was removed", name)
		}
	}
	if _, err := os.Stat(keep); err != nil {
		t.Error(err)
	}
}

func TestWhoIsGone(t *testing.T) {
	for name, c := range map[string]struct {
		owner Owner
		want  bool
	}{
		"this program":                   {Self(), false},
		"a number that is another's now": {Owner{place(), os.Getpid(), "long ago"}, true},
		"a number that nobody has":       {Owner{place(), 2147483646, "long ago"}, true},
		"of another place":               {Owner{"elsewhere", 2147483646, "long ago"}, false},
		"of a program that cannot tell":  {Owner{place(), 2147483646, ""}, false},
		"nobody":                         {Owner{}, false},
	} {
		if got := c.owner.Gone(); got != c.want {
			t.Errorf("%s: gone %v", name, got)
		}
	}
}
