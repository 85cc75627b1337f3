package scenarios_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/oncespec/oncespec/"

// floors lists the house from the ground up: a package may import what stands before it. "x/..." covers all that lies under x.
var floors = []string{
	"faults/needtest", "faults/journal", "faults/leaktest", "faults/valve", "faults/burst", "faults/link", "faults/link/linktest", "faults/life", "faults",
	"mockapi/spelling", "mockapi/contract", "mockapi/fingerprint", "mockapi/reference", "mockapi/provider", "mockapi/store", "mockapi/store/storetest",
	"mockapi/command", "mockapi/racy", "mockapi/flow", "mockapi/tickets", "mockapi/payments", "mockapi/mutants", "mockapi",
	"scenarios/jsonfile", "scenarios/storm", "scenarios/display", "scenarios/history", "scenarios/history/historytest", "scenarios/verdict",
	"scenarios/catalogue", "scenarios/rewrite", "scenarios/schema", "scenarios/target/template", "scenarios/target/secret", "scenarios/target/config",
	"scenarios/target/wire", "scenarios/target/probe", "scenarios/target/power", "scenarios/target",
	"scenarios/rule", "scenarios/rule/ruletest", "scenarios/linear",
	"scenarios/replay", "scenarios/conflict", "scenarios/key", "scenarios/lost", "scenarios/race", "scenarios/crash",
	"scenarios/failure", "scenarios/downstream", "scenarios/status", "scenarios/fingerprint",
	"scenarios/fuzz", "scenarios/run", "scenarios/run/runtest", "scenarios",
	"reports", "suites", "suites/example", "cmd/...",
}

// packs do not know one another.
var packs = []string{"replay", "conflict", "key", "lost", "race", "crash", "failure", "downstream", "status", "fingerprint"}

// TestImportsGoDownOnly holds the house together.
func TestImportsGoDownOnly(t *testing.T) {
	t.Parallel()
	eachFile(t, func(t *testing.T, file, pkg string, imports []string) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		from := floor(pkg)
		if from < 0 {
			t.Errorf("%s: package %s has no floor; add it to the list in scenarios/house_test.go", file, pkg)
		}
		for _, imp := range imports {
			to, ours := strings.CutPrefix(imp, module)
			if !ours || to == pkg {
				continue
			}
			if f := floor(to); f >= from && !sameWildcard(pkg, to) {
				t.Errorf("%s: %s imports %s, which stands above it", file, pkg, to)
			}
			if isPack(pkg) && isPack(to) {
				t.Errorf("%s: pack %s imports pack %s", file, pkg, to)
			}
		}
	})
}

// TestRulesArePure: a rule judges a history; it can neither send nor read a file.
func TestRulesArePure(t *testing.T) {
	t.Parallel()
	allowed := []string{"scenarios/history", "scenarios/history/historytest", "scenarios/verdict", "scenarios/catalogue", "scenarios/rule", "mockapi/contract",
		"mockapi/fingerprint", "mockapi/reference", "scenarios/storm", "scenarios/linear", "scenarios/rewrite"} // rewrites are pure data: what B means compared with A
	banned := []string{"os", "net", "net/http", "io/fs", "os/exec", "time", "math/rand", "math/rand/v2", "crypto/rand", "syscall"}
	judging := []string{"scenarios/rule", "scenarios/linear"} // in whole
	found := 0
	eachFile(t, func(t *testing.T, file, pkg string, imports []string) {
		rule := strings.HasSuffix(file, "_rule.go") || slices.Contains(judging, pkg) && !strings.HasSuffix(file, "_test.go")
		if !rule {
			return
		}
		found++
		for _, imp := range imports {
			if to, ours := strings.CutPrefix(imp, module); ours && !slices.Contains(allowed, to) {
				t.Errorf("%s: a rule imports %s", file, to)
			}
			if slices.Contains(banned, imp) {
				t.Errorf("%s: a rule imports %s, which acts or depends on the moment", file, imp)
			}
		}
	})
	if found < 10 {
		t.Fatalf("only %d rule files found: does the test look in the right place?", found)
	}
}

// searches have to run their rule in the loop.
var searches = map[string]bool{"scenarios/fingerprint/property.go": true, "scenarios/fingerprint/hunt.go": true, "scenarios/fingerprint/many.go": true, "scenarios/lost/storm.go": true}

// TestActingAndJudgingAreApart: a procedure steers by what the contract calls an answer, never by a rule. A pack's own table,
// named like the pack, holds its procedures beside its rules; the random searches have to run their rule in the loop.
func TestActingAndJudgingAreApart(t *testing.T) {
	t.Parallel()
	eachFile(t, func(t *testing.T, file, pkg string, imports []string) {
		table := pkg + "/" + path.Base(pkg) + ".go"
		if !isPack(pkg) || strings.HasSuffix(file, "_rule.go") || strings.HasSuffix(file, "_test.go") || file == table || searches[file] {
			return
		}
		if slices.Contains(imports, module+"scenarios/rule") {
			t.Errorf("%s: a procedure imports scenarios/rule", file)
		}
	})
}

// TestWhoMayImportWhat keeps the heavy libraries in the rooms that own them.
func TestWhoMayImportWhat(t *testing.T) {
	t.Parallel()
	owners := map[string][]string{
		"github.com/onsi/ginkgo":        {"suites"},
		"github.com/onsi/gomega":        {"suites"},
		"github.com/Shopify/toxiproxy":  {"faults/link", "faults/link/linktest"},
		"github.com/testcontainers/":    {"faults/life"},
		"modernc.org/sqlite":            {"mockapi/store", "scenarios/target/probe"},
		"github.com/jackc/pgx":          {"mockapi/store", "scenarios/target/config", "scenarios/target/probe"},
		"github.com/alecthomas/kong":    {"cmd/oncespec"},
		"charm.land/lipgloss":           {"reports", "cmd/oncespec"},
		"github.com/invopop/jsonschema": {"scenarios/target/config", "reports", "scenarios/history"},
	}
	pure := []string{"mockapi/reference", "mockapi/contract", "mockapi/fingerprint"}
	eachFile(t, func(t *testing.T, file, pkg string, imports []string) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, imp := range imports {
			for lib, who := range owners {
				if strings.HasPrefix(imp, lib) && !slices.Contains(who, pkg) {
					t.Errorf("%s: %s imports %s, which belongs to %s", file, pkg, imp, strings.Join(who, " and "))
				}
			}
			if slices.Contains(pure, pkg) && slices.Contains([]string{"os", "net", "net/http", "os/exec"}, imp) {
				t.Errorf("%s: %s does no I/O, but imports %s", file, pkg, imp)
			}
		}
	})
}

// TestEveryPackageLooksForLeaks: the tests of a package fail where they leave something behind.
func TestEveryPackageLooksForLeaks(t *testing.T) {
	t.Parallel()
	looks := map[string]bool{}
	eachFile(t, func(t *testing.T, file, pkg string, imports []string) {
		if !strings.HasSuffix(file, "_test.go") {
			return
		}
		src, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			t.Fatal(err)
		}
		_, main, found := strings.Cut(string(src), "\nfunc TestMain(m *testing.M) {")
		main, _, _ = strings.Cut(main, "\nfunc ")
		who := "leaktest." // itself in its own tests, and what it rests on goes without its journal
		switch pkg {
		case "faults/leaktest":
			who = "Main(m)"
		case "faults/journal":
			who = "goleak."
		case "cmd/oncespec":
			main = string(src) // TestMain calls another
		}
		looks[pkg] = looks[pkg] || found && strings.Contains(main, who)
	})
	for pkg, does := range looks {
		if !does {
			t.Errorf("the tests of %s do not look for what they leave: their TestMain is to call leaktest.Main", pkg)
		}
	}
}

// TestEveryPackageExplainsItself: doc.go says what a package is for.
func TestEveryPackageExplainsItself(t *testing.T) {
	t.Parallel()
	dirs := map[string]bool{}
	eachFile(t, func(_ *testing.T, file, pkg string, _ []string) { dirs[path.Dir(file)] = true })
	for dir := range dirs {
		if _, err := os.Stat(filepath.Join("..", dir, "doc.go")); err != nil {
			t.Errorf("%s has no doc.go", dir)
		}
	}
}

func eachFile(t *testing.T, visit func(t *testing.T, file, pkg string, imports []string)) {
	t.Helper()
	root := os.DirFS("..")
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && p != "." || strings.HasPrefix(d.Name(), "oncespec-report")) {
			return fs.SkipDir
		}
		if d.IsDir() || path.Ext(p) != ".go" {
			return nil
		}
		src, err := fs.ReadFile(root, p)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, src, parser.ImportsOnly)
		if err != nil {
			return err
		}
		var imports []string
		for _, i := range f.Imports {
			imp, _ := strconv.Unquote(i.Path.Value)
			imports = append(imports, imp)
		}
		visit(t, p, path.Dir(p), imports)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func floor(pkg string) int {
	for i, f := range floors {
		if f == pkg {
			return i
		}
	}
	for i, f := range floors {
		if prefix, wild := strings.CutSuffix(f, "/..."); wild && strings.HasPrefix(pkg, prefix+"/") {
			return i
		}
	}
	return -1
}

func sameWildcard(a, b string) bool {
	return floor(a) == floor(b) && strings.HasSuffix(floors[floor(a)], "/...")
}

func isPack(pkg string) bool {
	name, under := strings.CutPrefix(pkg, "scenarios/")
	return under && slices.Contains(packs, name)
}
