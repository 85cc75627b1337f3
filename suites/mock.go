package suites

import (
	_ "embed"
	"fmt"
	"os"

	"github.com/oncespec/oncespec/mockapi/mutants"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

//go:embed mock.yaml
var mockYAML []byte

// Mock returns the configuration of the built-in mock, started as a child process by the command, to which the flags of
// `oncespec mock` are appended. A mutant's name makes it that mutant; an unknown one is an error with its near miss.
func Mock(command []string, mutant string) (*config.Config, error) {
	cfg, err := config.Parse("built-in mock", mockYAML, os.LookupEnv)
	if err != nil {
		return nil, fmt.Errorf("the built-in configuration is broken: %w", err)
	}
	cfg.Path = ""
	process := cfg.Target.Lifecycle.Process
	process.Command = append(command[:len(command):len(command)], process.Command[1:]...)
	if mutant != "" {
		m, err := mutants.Find(mutant)
		if err != nil {
			return nil, err
		}
		cfg.Target.Name = "mutant " + m.Name
		process.Command = append(process.Command, "--mutant", m.Name)
	}
	return cfg, nil
}
