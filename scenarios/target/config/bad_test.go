package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/target/config"
)

func environment(name string) (string, bool) {
	values := map[string]string{"TOKEN": "t0ken", "BROKEN": "a\nb", "URL": "http://127.0.0.1:8080", "EMPTY": ""}
	value, ok := values[name]
	return value, ok
}

// lines are the one-line forms of all problems, without the name of the file.
func lines(t *testing.T, err error, name string) []string {
	t.Helper()
	var problems config.Problems
	if !errors.As(err, &problems) {
		t.Fatalf("%v, want Problems", err)
	}
	var out []string
	for _, p := range problems {
		line, named := strings.CutPrefix(p.String(), name+":")
		if !named {
			t.Errorf("%q does not name the file", p)
		}
		out = append(out, line)
	}
	return out
}

const (
	targetLine = "target: {url: 'http://127.0.0.1:1'}\n"
	operations = "operations:\n  a:\n"
	request    = "    request: {method: POST, path: /a, body: {t: x, n: 1, o: {p: null}}}\n"
)

// write is a file with one operation, which gets lines of its own from line 5 on.
func write(lines ...string) string {
	return targetLine + operations + request + "    " + strings.Join(lines, "\n    ") + "\n"
}

// boxed is a file whose target runs in a container.
func boxed(container string, lines ...string) string {
	return strings.Replace(write(lines...), targetLine, "target: {url: 'http://127.0.0.1:1', lifecycle: {container: "+container+"}}\n", 1)
}

// sent is a file whose operation has another request.
func sent(lines ...string) string {
	return targetLine + operations + "    " + strings.Join(lines, "\n    ") + "\n"
}

// around is a file with another target.
func around(target string) string { return target + "\n" + operations + request }

func TestEveryProblemHasItsPlaceAndItsWords(t *testing.T) {
	t.Parallel()
	for _, c := range slices.Concat(badFiles, badOperations) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Parse("x.yaml", []byte(c.file), environment)
			if err == nil {
				t.Fatalf("no error, want\n%s\nin\n%s", strings.Join(c.want, "\n"), c.file)
			}
			if got := lines(t, err, "x.yaml"); !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s\nin\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"), c.file)
			}
		})
	}
}

func TestAProblemShowsItsLine(t *testing.T) {
	t.Parallel()
	_, err := config.Parse("x.yaml", []byte(write("\tisolate: x")), nil)
	if err == nil {
		t.Fatal("a tab for indentation was taken")
	}
	_, err = config.Parse("x.yaml", []byte(write("isolate: markers # ä")), nil)
	const want = `x.yaml:5:14: operations.a.isolate: found "markers", expected marker, parent or exclusive (did you mean "marker"?)
  5 |     isolate: markers # ä
    |              ^`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	large := filepath.Join(dir, "large.yaml")
	if err := os.WriteFile(large, []byte(strings.Repeat("# large\n", 1<<18)), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "none.yaml"): "no such file",
		dir:                             "found a folder, expected a file",
		large:                           "found a file of 1048577 bytes, expected at most 1048576",
	} {
		if _, err := config.Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", path, err, want)
		}
	}
}

func TestHostileFilesAreBounded(t *testing.T) {
	t.Parallel()
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for i := 'b'; i <= 'k'; i++ {
		bomb += string(i) + ": &" + string(i) + " [" + strings.TrimSuffix(strings.Repeat("*"+string(i-1)+",", 10), ",") + "]\n"
	}
	merges := "a: &a {x: 1}\n"
	for i := 'b'; i <= 'k'; i++ {
		merges += string(i) + ": &" + string(i) + " {<<: [" + strings.TrimSuffix(strings.Repeat("*"+string(i-1)+",", 10), ",") + "]}\n"
	}
	size := 1 << 18
	if testing.Short() {
		size /= 16 // a parser that runs alone shows the race detector nothing
	}
	for name, c := range map[string]struct{ file, want string }{
		"anchors that multiply":   {bomb, "found too much"},
		"merges that multiply":    {merges, "found too much"},
		"an anchor inside itself": {"a: &a [*a]\n", "found *a inside its own anchor"},
		"a merge of itself":       {"a: &a {<<: *a}\n", "found *a inside its own anchor"},
		"brackets":                {strings.Repeat("[", 4*size), "found too deep a nesting"},
		"braces":                  {strings.Repeat("{a: ", size), "found too deep a nesting"},
		"dashes":                  {strings.Repeat("- ", 2*size), "found too deep a nesting"},
		"question marks":          {strings.Repeat("? ", 2*size), "found too deep a nesting"},
		"tags":                    {strings.Repeat("!!a ", size), "found too deep a nesting"},
		"levels of indentation":   {steps(500), "found too much"},
		"a long list":             {"a: [" + strings.Repeat("1,", 100_000) + "1]", "found too much"},
		"unknown fields":          {strings.Repeat("a", 2*size) + ": 1", "found an unknown field"},
		"quotes":                  {strings.Repeat(`""`, size), "found a syntax error"},
		"reserved characters":     {strings.Repeat("@", size), "found a syntax error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Parse("x.yaml", []byte(c.file), nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("an error of %d bytes, want one with %q", len(err.Error()), c.want)
			}
			if len(err.Error()) > 20_000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		})
	}
}

func steps(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func FuzzParse(f *testing.F) {
	for _, c := range slices.Concat(badFiles, badOperations) {
		f.Add([]byte(c.file))
	}
	examples, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range examples {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	env := func(string) (string, bool) { return "x", true }
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := config.Parse("testdata/x.yaml", text, env)
		if (c == nil) == (err == nil) {
			t.Fatalf("a configuration %v and an error %v", c, err)
		}
		var problems config.Problems
		if err != nil && (!errors.As(err, &problems) || len(problems) == 0) {
			t.Fatalf("%v, want Problems", err)
		}
		for _, p := range problems {
			if p.Line < 1 || p.Column < 1 || p.Found == "" || p.Expected == "" {
				t.Errorf("a problem without place or words: %+v", p)
			}
		}
		if c != nil && (c.Timeouts.Request <= 0 || c.Contract.Name == "" || len(c.Order) != len(c.Operations) || c.Target.URL == "") {
			t.Errorf("a configuration that is not whole: %+v", c)
		}
	})
}
