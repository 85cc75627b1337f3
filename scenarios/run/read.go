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
	var at *jsonfile.Misfit
	if err := p.check(); errors.As(err, &at) {
		return nil, jsonfile.At(path, data, at.Pointer, "%s", at.Detail)
	}
	return p, nil
}

// check finds a value that no run can have written: somebody edited the file. The error is a *jsonfile.Misfit.
func (p *Plan) check() error {
	for i, o := range p.Operations {
		if o.Name == "" {
			return jsonfile.Misfitf(fmt.Sprintf("/operations/%d/name", i), "names no operation")
		}
	}
	for i, s := range p.Steps {
		if _, known := p.operation(s.Operation); !known {
			return jsonfile.Misfitf(fmt.Sprintf("/steps/%d/operation", i), "found %q, which is none of the plan's operations", s.Operation)
		}
	}
	for i, c := range p.Checks {
		if _, known := p.operation(c.Operation); !known {
			return jsonfile.Misfitf(fmt.Sprintf("/checks/%d/operation", i), "found %q, which is none of the plan's operations", c.Operation)
		}
		if c.Requirement == "" || !strings.Contains(c.Requirement, "/") {
			return jsonfile.Misfitf(fmt.Sprintf("/checks/%d/requirement", i), "found %q, expected an id such as replay/one-effect", c.Requirement)
		}
	}
	if len(p.Checks) == 0 {
		return jsonfile.Misfitf("/checks", "there is nothing to judge, expected at least one requirement")
	}
	return nil
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
	var at *jsonfile.Misfit
	if err := h.Check(); errors.As(err, &at) {
		return nil, jsonfile.At(path, data, at.Pointer, "%s; was the file edited?", at.Detail)
	}
	return h, nil
}
