package life

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/faults/journal"
)

func TestScratchHoldsTheProgramAndItsFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program, conf := filepath.Join(dir, "program"), filepath.Join(dir, "conf")
	if err := errors.Join(os.WriteFile(program, []byte("code"), 0o600), os.WriteFile(conf, []byte("words"), 0o600)); err != nil {
		t.Fatal(err)
	}
	archive, err := scratch(program, map[string]string{"/etc/conf": conf, "../../escape": conf}, map[string]string{"oncespec.pid": "7", "odd": "a \"b\" $c"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for r := tar.NewReader(archive); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, _ := io.ReadAll(r)
		got[h.Name+" "+os.FileMode(h.Mode).String()] = string(data)
	}
	for name, want := range map[string]string{
		"Dockerfile -rw-r--r--":    "FROM scratch\nLABEL \"odd\"=\"a \\\"b\\\" \\$c\" \"oncespec.pid\"=\"7\"\nCOPY root/ /\nENTRYPOINT [\"/program\"]\n",
		"root/program -rwxr-xr-x":  "code",
		"root/etc/conf -rw-r--r--": "words",
		"root/escape -rw-r--r--":   "words",
	} {
		if got[name] != want {
			t.Errorf("%s: got %q, want %q (all: %q)", name, got[name], want, got)
		}
	}
}

func TestStaticProgramsOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, data, 0o700); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for name, c := range map[string]struct {
		file, arch, want string
	}{
		"static":          {write("static", program64(62, 1)), "x86_64", ""},
		"other words":     {write("words", program64(183, 1)), "arm64", ""},
		"unknown machine": {write("unknown", program64(62, 1)), "riscv64", ""},
		"dynamic":         {write("dynamic", program64(62, 3)), "x86_64", "CGO_ENABLED=0 GOOS=linux"},
		"other machine":   {write("other", program64(183, 1)), "x86_64", "set GOARCH"},
		"no program":      {write("text", []byte("#!/bin/sh\n")), "x86_64", "no program for Linux"},
		"nothing":         {write("empty", nil), "x86_64", "no program for Linux"},
		"not there":       {filepath.Join(dir, "none"), "x86_64", "not found"},
	} {
		err := checkStatic(c.file, c.arch)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// program64 is an ELF file with one segment: 1 is loaded, 3 names a loader.
func program64(machine, segment byte) []byte {
	b := bytes.NewBuffer([]byte{0x7f, 'E', 'L', 'F', 2, 1, 1, 15: 0})
	b.Write([]byte{2, 0, machine, 0, 1, 0, 0, 0})
	b.Write(make([]byte, 8))            // entry
	b.Write([]byte{64, 7: 0})           // where the segments are
	b.Write(make([]byte, 8+4))          // no sections, no flags
	b.Write([]byte{64, 0, 56, 0, 1, 0}) // sizes, one segment
	b.Write([]byte{64, 0, 0, 0, 0, 0})  // no sections
	b.Write(append([]byte{segment}, make([]byte, 55)...))
	return b.Bytes()
}

func TestOnlyWhatBelongsToAProgramThatIsGoneIsLeftOver(t *testing.T) {
	t.Parallel()
	me := labelsOf(journal.Self())
	change := func(name, value string) map[string]string {
		labels := maps.Clone(me)
		labels[name] = value
		return labels
	}
	for name, c := range map[string]struct {
		labels map[string]string
		want   bool
	}{
		"this program's":                  {me, false},
		"a number that is another's now":  {change(labelStarted, "long ago"), true},
		"a number that nobody has":        {change(labelPID, "2147483646"), true},
		"of another place":                {map[string]string{labelPlace: "elsewhere", labelPID: "2147483646", labelStarted: "long ago"}, false},
		"of a program that cannot tell":   {change(labelStarted, ""), false},
		"without a number":                {change(labelPID, "x"), false},
		"of somebody who is not oncespec": {nil, false},
	} {
		if got := dead(c.labels); got != c.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}
