package reports

import (
	"fmt"
	"strings"
	"time"

	"github.com/oncespec/oncespec/mockapi/contract"
	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

// Schema names the version of report.json.
const Schema = "oncespec.report/v1"

// Result sums up a run in one word.
type Result string

// The results, each with its exit code in Result.ExitCode.
const (
	Conformant    Result = "conformant"
	NotConformant Result = "not-conformant"
	Undecided     Result = "inconclusive"
	Environment   Result = "environment"
	Broken        Result = "error"
	Interrupted   Result = "interrupted"
)

// Report is the interface for machines. Its JSON Schema stands beside it (report.schema.json).
type Report struct {
	Schema     string            `json:"schema" jsonschema:"const=oncespec.report/v1"`
	Tool       Tool              `json:"tool"`
	Target     Target            `json:"target"`
	Contract   contract.Contract `json:"contract"`
	Seed       uint64            `json:"seed"`
	Shard      string            `json:"shard,omitempty"`  // "2/3": it is about this part of the run only
	Shards     []ShardResult     `json:"shards,omitempty"` // of a report that was merged from those of shards
	Started    time.Time         `json:"started"`
	DurationMS int64             `json:"duration_ms"`
	Result     Result            `json:"result" jsonschema:"enum=conformant,enum=not-conformant,enum=inconclusive,enum=environment,enum=error,enum=interrupted"`
	Problem    string            `json:"problem,omitempty"` // with environment and error, and of shards: what happened
	Assessed   Assessed          `json:"assessed"`
	Summary    Summary           `json:"summary"`
	Unlock     []Unlock          `json:"unlock,omitempty"` // what would let more be assessed, the most first
	Plays      []Play            `json:"plays,omitempty"`  // of a schedule that was played again, each by itself
	Races      []history.Power   `json:"races,omitempty"`  // what the ways of bringing requests together can see, as measured
	Verdicts   []verdict.Verdict `json:"verdicts"`

	Rerun     []string           `json:"-"` // arguments that started the run
	Complete  [][]string         `json:"-"` // command lines that would make an incomplete one whole
	Histories []*history.History `json:"-"`
}

// Tool is this program.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Target is the API that was tested.
type Target struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// Assessed counts requirements (not parts): one is assessed when any of its verdicts, on any operation, is.
type Assessed struct {
	Done int `json:"done"`
	Of   int `json:"of"`
}

// assessed tells of each requirement whether any of its verdicts, on any operation, is assessed.
func assessed(vs []verdict.Verdict) map[string]bool {
	done := map[string]bool{}
	for _, v := range vs {
		done[v.ID] = done[v.ID] || v.Assessed()
	}
	return done
}

// Summary counts verdicts.
type Summary struct {
	Pass         int `json:"pass"`
	Fail         int `json:"fail"`
	Warn         int `json:"warn"`
	Inconclusive int `json:"inconclusive"`
	NotAssessed  int `json:"not_assessed"`
	Error        int `json:"error"`
}

// Run is what a report is made of.
type Run struct {
	Version   string
	Shard     string
	Target    Target
	Contract  contract.Contract
	Seed      uint64
	Started   time.Time
	Took      time.Duration
	Rerun     []string
	Verdicts  []verdict.Verdict
	Histories []*history.History
	Plays     []Play

	Interrupted       bool
	Problem           error // the environment or ours
	Environmental     bool  // with Problem: the environment's
	AllowInconclusive bool
}

// New sums up a run.
func New(r Run) *Report {
	rep := &Report{Schema: Schema, Tool: Tool{Name: "oncespec", Version: r.Version}, Target: r.Target, Contract: r.Contract, Seed: r.Seed, Shard: r.Shard,
		Started: r.Started.UTC().Truncate(time.Millisecond), DurationMS: r.Took.Milliseconds(), Verdicts: r.Verdicts, Rerun: r.Rerun, Histories: r.Histories}
	if rep.Verdicts == nil {
		rep.Verdicts = []verdict.Verdict{}
	}
	rep.Summary = summarise(r.Verdicts)
	rep.Assessed = assess(r.Verdicts)
	rep.Unlock = unlock(r.Verdicts)
	rep.Races, rep.Plays = races(r.Histories), r.Plays
	rep.Result = result(r, rep)
	if r.Problem != nil {
		rep.Problem = r.Problem.Error()
	}
	return rep
}

// ExitCode is the code that the command ends with.
func (r Result) ExitCode() int {
	switch r {
	case Conformant:
		return 0
	case NotConformant:
		return 1
	case Undecided:
		return 2
	case Environment:
		return 3
	case Interrupted:
		return 130
	}
	return 5
}

func result(r Run, rep *Report) Result {
	switch s := rep.Summary; {
	case r.Interrupted:
		return Interrupted
	case r.Problem != nil && r.Environmental:
		return Environment
	case r.Problem != nil:
		return Broken
	case s.Fail > 0:
		return NotConformant
	case s.Error > 0:
		return Broken
	case s.Inconclusive > 0 && !r.AllowInconclusive, s.Pass == 0 && s.Warn == 0:
		return Undecided
	}
	return Conformant
}

func summarise(vs []verdict.Verdict) (s Summary) {
	for _, v := range vs {
		switch v.Verdict {
		case verdict.Pass:
			s.Pass++
		case verdict.Fail:
			s.Fail++
		case verdict.Warn:
			s.Warn++
		case verdict.Inconclusive:
			s.Inconclusive++
		case verdict.NotAssessed:
			s.NotAssessed++
		default:
			s.Error++
		}
	}
	return s
}

func assess(vs []verdict.Verdict) (a Assessed) {
	for _, done := range assessed(vs) {
		a.Of++
		if done {
			a.Done++
		}
	}
	return a
}

// Sentence says the result with how much was assessed, for the first line of every format.
func (r *Report) Sentence() string {
	name := r.Target.Name
	if name == "" {
		name = r.Target.URL
	}
	assessed := fmt.Sprintf("%d of %d requirements assessed", r.Assessed.Done, r.Assessed.Of)
	if r.Shard != "" {
		assessed = "shard " + r.Shard + ": " + assessed
	}
	if len(r.Shards) > 0 && r.Problem != "" && r.Result != Interrupted {
		return fmt.Sprintf("the run against %s is incomplete: %s (%s)", name, r.Problem, assessed)
	}
	switch r.Result {
	case Conformant:
		if n := r.Summary.Warn; n > 0 {
			assessed = plural(n, "warning") + ", " + assessed
		}
		return fmt.Sprintf("%s is conformant (%s)", name, assessed)
	case NotConformant:
		return fmt.Sprintf("%s is not conformant: %s (%s)", name, plural(r.Summary.Fail, "failure"), assessed)
	case Undecided:
		if r.Summary.Inconclusive == 0 {
			return fmt.Sprintf("nothing of %s could be assessed (%s)", name, assessed)
		}
		return fmt.Sprintf("inconclusive for %s: %s without proof (%s)", name, plural(r.Summary.Inconclusive, "verdict"), assessed)
	case Environment:
		if r.Summary.Fail > 0 {
			return fmt.Sprintf("the run against %s is incomplete: %s%s (%s)", name, r.Problem, r.before(), assessed)
		}
		return fmt.Sprintf("nothing can be said of %s: %s", name, r.Problem)
	case Interrupted:
		return interrupted(name, plural(r.Summary.Fail, "failure"), assessed, r.Problem)
	}
	if r.Problem != "" {
		return fmt.Sprintf("oncespec itself failed: %s%s", r.Problem, r.before())
	}
	return fmt.Sprintf("oncespec itself failed on %s (%s)", plural(r.Summary.Error, "verdict"), assessed)
}

// before says what was proven before the problem: it stands, though the run is incomplete.
func (r *Report) before() string { return provenBefore(r.Summary.Fail, "failure") }

func provenBefore(n int, noun string) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "; 1 " + noun + " was proven before that"
	}
	return "; " + plural(n, noun) + " were proven before that"
}

// interrupted is the sentence of what was broken off. It only has a problem where not all that was started could be ended.
func interrupted(name, found, tried, problem string) string {
	said := fmt.Sprintf("interrupted; what was seen of %s until then: %s (%s)", name, found, tried)
	if problem != "" {
		said += "; not all could be ended: " + problem
	}
	return said
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// packRow is one line of the table by pack.
type packRow struct {
	Pack             string
	Summary          Summary
	Done, Of         int
	Failures, Others []verdict.Verdict // fails and warns; inconclusive and errors
}

func byPack(vs []verdict.Verdict) []packRow {
	var rows []packRow
	for _, pack := range catalogue.Packs() {
		var mine []verdict.Verdict
		for _, v := range vs {
			if strings.HasPrefix(v.ID, pack+"/") {
				mine = append(mine, v)
			}
		}
		if len(mine) == 0 {
			continue
		}
		a := assess(mine)
		row := packRow{Pack: pack, Summary: summarise(mine), Done: a.Done, Of: a.Of}
		for _, v := range mine {
			switch v.Verdict {
			case verdict.Fail, verdict.Warn:
				row.Failures = append(row.Failures, v)
			case verdict.Inconclusive, verdict.Error:
				row.Others = append(row.Others, v)
			}
		}
		rows = append(rows, row)
	}
	return rows
}
