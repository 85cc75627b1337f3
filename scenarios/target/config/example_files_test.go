package config_test

import (
	"path/filepath"
	"testing"

	"github.com/oncespec/oncespec/scenarios/target/config"
)

// TestExampleFilesAreConfigurations: what is there to be copied can be read.
func TestExampleFilesAreConfigurations(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../suites/example/*.yaml")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		cfg, err := config.Load(file)
		if err == nil {
			err = config.CheckHosts(cfg, false)
		}
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}
