package suites

import (
	"cmp"
	_ "embed"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/mockapi/mutants"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// literal escapes a URL so that nothing in it is taken for a placeholder.
var literal = strings.NewReplacer("{", "%7B", "}", "%7D")

//go:embed mock.yaml
var mockYAML []byte

// quickStart is what lets the mock be up soon: a run kills and starts it dozens of times, and the program that it is has much in
// it that the mock never uses. It collects no garbage before it serves, and the Docker client does not look through all
// processes of the machine for a name of its session.
var quickStart = map[string]string{"GOGC": "400", "HOST_PROC": os.DevNull}

// Mock returns the configuration of the built-in mock, started as a child process by the command, to which the flags of
// `oncespec mock` are appended. A mutant's name makes it that mutant; an unknown one is an error with its near miss.
func Mock(command []string, mutant string) (*config.Config, error) {
	return MockOn("", command, mutant)
}

// MockOn is Mock on a PostgreSQL database instead of a SQLite file that lives as long as the run, by way of a link that the run
// can break. What is in the database stays there, so give each run a schema of its own (?search_path=NAME in the URL;
// store.NewSchema makes one).
func MockOn(database string, command []string, mutant string) (*config.Config, error) {
	cfg, err := config.Parse("built-in mock", mockYAML, os.LookupEnv)
	if err != nil {
		return nil, fmt.Errorf("the built-in configuration is broken: %w", err)
	}
	cfg.Path = ""
	process := cfg.Target.Lifecycle.Process
	process.Env = quickStart
	process.Command = append(command[:len(command):len(command)], process.Command[1:]...)
	if db := slices.Index(process.Command, "--db") + 1; database != "" {
		process.Command[db] = linked(database, &cfg.Target)
	}
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

// linked puts the store link in front of a database, where that is reached over TCP.
func linked(database string, target *config.Service) string {
	const inFront = "store-link" // stands in for the placeholder, whose braces a URL would escape
	u, err := url.Parse(database)
	if err != nil || u.Hostname() == "" {
		return literal.Replace(database)
	}
	target.Store = &config.Store{Listen: "127.0.0.1:0", Upstream: net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "5432"))}
	u.Host = inFront
	return strings.Replace(literal.Replace(u.String()), inFront, "{store}", 1)
}

// MockInContainer is Mock in a container of which the program is all there is: oncespec itself, linked statically. Its database
// is on a volume.
func MockInContainer(program, mutant string) (*config.Config, error) {
	cfg, err := Mock([]string{program}, mutant)
	if err != nil {
		return nil, err
	}
	l := cfg.Target.Lifecycle
	l.Container = &config.Container{Program: program, Command: l.Process.Command[1:], Volume: "/data", Ready: l.Process.Ready}
	l.Process = nil
	return cfg, nil
}
