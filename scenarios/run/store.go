package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/oncespec/oncespec/scenarios/history"
)

// historiesDir is the folder of the histories inside a run's output folder.
const historiesDir = "histories"

var errNoName = errors.New("the output folder has no name; choose one with --out")

// Prepare makes the output folder, which this program should Own, and clears what an earlier run left there. It refuses a folder in which something else
// bears the name of a file that a run writes, and touches nothing in it then.
func Prepare(dir string) error {
	if dir == "" {
		return errNoName
	}
	old, err := leftovers(dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, historiesDir), 0o755); err != nil {
		return fmt.Errorf("output folder %s cannot be made: %w; choose another with --out", dir, err)
	}
	probe, err := os.CreateTemp(dir, ".write-*")
	if err != nil {
		return fmt.Errorf("output folder %s cannot be written: %w; choose another with --out", dir, err)
	}
	probe.Close()
	os.Remove(probe.Name())
	for _, f := range old {
		if err := os.Remove(f); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("output folder %s: an old file cannot be removed: %w", dir, err)
		}
	}
	return nil
}

// leftovers lists what an earlier run left and the next one would judge. It is an error where something there is nobody's but
// the user's: plan.json is the name of many things.
func leftovers(dir string) (old []string, err error) {
	histories, err := filepath.Glob(filepath.Join(globSafe(dir), historiesDir, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("output folder %s: %w", dir, err)
	}
	storms, err := filepath.Glob(filepath.Join(globSafe(dir), StormsDir, "*", "schedule.json"))
	if err != nil {
		return nil, fmt.Errorf("output folder %s: %w", dir, err)
	}
	histories = append(histories, storms...)
	plan, report := filepath.Join(dir, "plan.json"), filepath.Join(dir, "report.json")
	ours := false
	for _, f := range append(histories, plan, report) {
		schema, err := schemaOf(f)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, fmt.Errorf("output folder %s: %w; choose another with --out", dir, err)
		case !strings.HasPrefix(schema, "oncespec."):
			return nil, foreign(f)
		}
		ours = true
		old = append(old, f)
	}
	for _, name := range []string{"report.html", "report.md", "report.xml"} {
		f := filepath.Join(dir, name)
		switch _, err := os.Lstat(f); {
		case err == nil && !ours:
			return nil, foreign(f)
		case err == nil:
			old = append(old, f) // a report that does not go with the plan is worse than none
		}
	}
	if ours {
		// What a run that was killed had not finished writing.
		for _, pattern := range []string{"*.tmp", filepath.Join(historiesDir, "*.json.tmp"), ".write-*"} {
			torn, _ := filepath.Glob(filepath.Join(globSafe(dir), pattern))
			old = append(old, slices.DeleteFunc(torn, func(f string) bool {
				name := strings.TrimSuffix(filepath.Base(f), ".tmp")
				return filepath.Dir(f) == filepath.Clean(dir) && !strings.HasPrefix(name, "report.") && name != "plan.json" && !strings.HasPrefix(name, ".write-")
			})...)
		}
	}
	return old, nil
}

func foreign(file string) error {
	return fmt.Errorf("%s was not written by oncespec and would be lost; choose another folder with --out", file)
}

// schemaOf reads which format a file says that it has; empty where it says nothing, or is no JSON.
func schemaOf(file string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if json.Unmarshal(data, &head) != nil {
		return "", nil
	}
	return head.Schema, nil
}

// globSafe escapes a folder's name for use in a glob pattern.
func globSafe(dir string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(dir)
}

// Save writes the plan and the histories.
func Save(dir string, p *Plan, hs []*history.History) error {
	if err := write(filepath.Join(dir, "plan.json"), p, "  "); err != nil {
		return err
	}
	return each(hs, func(_ int, h *history.History) error {
		if err := write(filepath.Join(dir, historiesDir, h.ID+".json"), h, ""); err != nil || h.Storm == nil {
			return err
		}
		return writeSchedule(filepath.Join(dir, StormsDir, h.ID), h.Storm.Schedule)
	})
}

// filesAtOnce is how many histories are written or read at a time: there are hundreds, and most of it is waiting.
const filesAtOnce = 4

// each does something with every element, several at a time, and returns the first of their errors in the list's order.
func each[T any](list []T, do func(i int, element T) error) error {
	failed := make([]error, len(list))
	free := make(chan struct{}, filesAtOnce)
	var all sync.WaitGroup
	for i, element := range list {
		free <- struct{}{}
		all.Go(func() {
			failed[i] = do(i, element)
			<-free
		})
	}
	all.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

// Load reads what Save wrote. Errors name the file, and the line where one is known.
func Load(dir string) (*Plan, []*history.History, error) {
	p, err := readPlan(filepath.Join(dir, "plan.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s holds no stored run: there is no plan.json in it", dir)
	}
	if err != nil {
		return nil, nil, err
	}
	files, err := filepath.Glob(filepath.Join(globSafe(dir), historiesDir, "*.json"))
	if err != nil {
		return nil, nil, err
	}
	slices.Sort(files)
	hs := make([]*history.History, len(files))
	if err := each(files, func(i int, file string) (err error) {
		hs[i], err = readHistory(file)
		return err
	}); err != nil {
		return nil, nil, err
	}
	return p, hs, nil
}

func write(path string, v any, indent string) error {
	marshal := json.Marshal
	if indent != "" {
		marshal = func(v any) ([]byte, error) { return json.MarshalIndent(v, "", indent) }
	}
	data, err := marshal(v)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return writeBytes(path, append(data, '\n'))
}

// writeBytes makes the file whole or not at all.
func writeBytes(path string, data []byte) error {
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o644); err != nil {
		os.Remove(tmp)
		return &Problem{fmt.Errorf("%s cannot be written: %w", path, err)} // such as a volume that is full
	}
	return os.Rename(tmp, path)
}

// ClearShards removes the folders that the shards of an earlier run left inside an output folder, and no other.
func ClearShards(dir string) error {
	folders, err := filepath.Glob(filepath.Join(globSafe(dir), "shard-*"))
	if err != nil {
		return err
	}
	for _, f := range folders {
		schema, err := schemaOf(filepath.Join(f, "plan.json"))
		if err == nil && schema == PlanSchema {
			err = os.RemoveAll(f)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("output folder %s: the old shard %s cannot be removed: %w", dir, filepath.Base(f), err)
		}
	}
	return nil
}
