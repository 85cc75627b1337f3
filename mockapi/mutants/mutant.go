package mutants

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/oncespec/oncespec/mockapi/flow"
	"github.com/oncespec/oncespec/mockapi/spelling"
)

// Mutant is the mock with one defect.
type Mutant struct {
	Name      string
	Defect    string   // one sentence: what it does
	Stage     string   // of flow.Stages: the one that is replaced
	Operation string   // that it is tested on, as the built-in configuration names it
	Postgres  bool     // it has its defect on PostgreSQL only
	Must      []string // requirements (id or id#part) that have to fail or warn
	May       []May    // those that may fail or warn besides

	// Install puts the defect in.
	Install func(*flow.Flow)
}

// May is a requirement that a mutant may fail, and why that is no accident.
type May struct {
	ID  string
	Why string
}

// MarshalJSON writes name, defect, operation, must and may; may as ids.
func (m Mutant) MarshalJSON() ([]byte, error) {
	may := make([]string, 0, len(m.May))
	for _, each := range m.May {
		may = append(may, each.ID)
	}
	return json.Marshal(struct {
		Name      string   `json:"name"`
		Defect    string   `json:"defect"`
		Operation string   `json:"operation"`
		Must      []string `json:"must"`
		May       []string `json:"may"`
	}{m.Name, m.Defect, m.Operation, m.Must, may})
}

// Find returns the mutant of a name. Its error names the nearest one there is.
func Find(name string) (Mutant, error) {
	var names []string
	for _, m := range append(List(), OnPostgres()...) {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Mutant{}, fmt.Errorf("there is no mutant %q%s; `oncespec list mutants` shows all", name, spelling.Suggestion(name, names))
}
