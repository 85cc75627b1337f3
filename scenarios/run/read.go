package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/jsonfile"
	"github.com/oncespec/oncespec/scenarios/storm"
)

// StormsDir is the folder of the schedules that storms played, a folder a history, inside a run's output folder.
const StormsDir = "storms"

func writeSchedule(dir string, s *storm.Schedule) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("%s cannot be made: %w", dir, err)
	}
	return writeBytes(filepath.Join(dir, "schedule.json"), s.Text())
}

// ReadSchedule reads a schedule; errors name the place.
func ReadSchedule(path string) (*storm.Schedule, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return storm.Parse(path, data)
}

func readPlan(path string) (*Plan, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := new(Plan)
	if err := jsonfile.Decode(path, data, PlanSchema, p); err != nil {
		return nil, err
	}
	if pointer, detail := p.misfit(); detail != "" {
		return nil, jsonfile.At(path, data, pointer, "%s", detail)
	}
	return p, nil
}

// misfit finds a value that no run can have written.
func (p *Plan) misfit() (pointer, detail string) {
	for i, o := range p.Operations {
		if o.Name == "" {
			return fmt.Sprintf("/operations/%d/name", i), "names no operation"
		}
	}
	for i, s := range p.Steps {
		if _, known := p.Operation(s.Operation); !known {
			return fmt.Sprintf("/steps/%d/operation", i), fmt.Sprintf("found %q, which is none of the plan's operations", s.Operation)
		}
	}
	for i, c := range p.Checks {
		if _, known := p.Operation(c.Operation); !known {
			return fmt.Sprintf("/checks/%d/operation", i), fmt.Sprintf("found %q, which is none of the plan's operations", c.Operation)
		}
		if c.Requirement == "" || !strings.Contains(c.Requirement, "/") {
			return fmt.Sprintf("/checks/%d/requirement", i), fmt.Sprintf("found %q, expected an id such as replay/one-effect", c.Requirement)
		}
	}
	if len(p.Checks) == 0 {
		return "/checks", "there is nothing to judge, expected at least one requirement"
	}
	return "", ""
}

func readHistory(path string) (*history.History, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	h := new(history.History)
	if err := jsonfile.Decode(path, data, history.Schema, h); err != nil {
		return nil, err
	}
	if h.ID != strings.TrimSuffix(filepath.Base(path), ".json") {
		return nil, jsonfile.At(path, data, "/id", "the history inside is called %q; was the file renamed?", h.ID)
	}
	var at *history.Misfit
	if err := h.Check(); errors.As(err, &at) {
		return nil, jsonfile.At(path, data, at.Pointer, "%s; was the file edited?", at.Detail)
	}
	return h, nil
}
