package reports

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/catalogue"
	"github.com/oncespec/oncespec/scenarios/display"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/verdict"
)

//go:embed report.html.tmpl
var page string

// pageTemplate escapes by context: everything a target said is data, never markup.
var pageTemplate = template.Must(template.New("report").Parse(page))

// HTML writes one page that needs nothing else: no network, no other file.
func HTML(w io.Writer, r *Report) error {
	var page strings.Builder
	if err := pageTemplate.Execute(&page, view(r)); err != nil {
		return err
	}
	_, err := io.WriteString(w, display.Text(page.String()))
	return err
}

// pageView is the report as the page lays it out: first the result, why, and what to do; then the rest.
type pageView struct {
	*Report
	Sentence, Headline, Class, Sign, Seconds string

	Troubles []string // of shards
	Why      []lineView
	MoreWhy  int // that are only below
	Undone   []Undone
	Held     string // where nothing is wrong: what the passes rest on
	Played   string

	Blocked []Blocked
	Idle    []Idle
	Adds    []Unlock
	Again   string   // the command for the first finding
	Finish  []string // the commands that make the run whole
	Nothing bool     // there is nothing to do

	Packs    []packView
	Legend   []tile
	Findings []findingView // what does not hold, the worst first
}

type packView struct {
	packRow
	Tiles    []tile
	Counts   string
	Verdicts []lineView
}

// tile is one requirement in the overview: the worst of its verdicts.
type tile struct{ ID, Class, Sign, Says, Anchor string }

type lineView struct {
	verdict.Verdict
	Sentence string
	Class    string
	Anchor   string
	On       string
	Short    string // of the detail
}

type findingView struct {
	lineView
	First   bool // of its requirement
	Sources []catalogue.Source
	Rerun   string
	History *history.History
	Marks   []mark
	Faults  []float64 // where in time, in percent
	Script  string
	More    []string // further histories that show it
}

// mostWhy bounds how many findings the first screen names.
const mostWhy = 5

// worst lists outcomes as they outrank one another, each with what stands for it where there is no colour.
var worst = []struct {
	outcome verdict.Outcome
	sign    string
}{{verdict.Fail, "×"}, {verdict.Error, "×"}, {verdict.Warn, "!"}, {verdict.Inconclusive, "?"}, {verdict.Pass, ""}, {verdict.NotAssessed, ""}}

var signs = map[Result]string{Conformant: "✓", NotConformant: "✗", Broken: "✗"}

func view(r *Report) pageView {
	v := pageView{Report: r, Sentence: r.Sentence(), Class: string(r.Result), Sign: "?", Seconds: fmt.Sprintf("%.1f", float64(r.DurationMS)/1000), Troubles: r.troubles(),
		Played: r.played(), Blocked: blocked(r.Verdicts), Idle: idle(r.Verdicts), Undone: undone(r.Verdicts)}
	for _, c := range r.Complete {
		v.Finish = append(v.Finish, commandLine(slices.Clone(c)))
	}
	if sign := signs[r.Result]; sign != "" {
		v.Sign = sign
	}
	v.Headline = v.Sentence
	if r.Problem != "" {
		v.Headline = strings.Replace(v.Sentence, ": "+r.Problem, "", 1) // it is why
	}
	switch {
	case r.Result == Interrupted: // it is not known yet what is wanting
		v.Blocked, v.Idle = nil, nil
	case r.Problem == "":
		v.Adds = r.Unlock
	}
	for _, row := range byPack(r.Verdicts) {
		p := packView{packRow: row, Counts: counted(row.Summary)}
		for _, vd := range r.Verdicts {
			if strings.HasPrefix(vd.ID, row.Pack+"/") {
				p.Verdicts = append(p.Verdicts, line(vd))
			}
		}
		p.Tiles = tiles(p.Verdicts)
		v.Packs = append(v.Packs, p)
	}
	if r.Problem == "" || r.Assessed.Done > 0 {
		v.findings()
	}
	v.Legend = legend(v.Packs)
	if len(v.Findings)+len(v.Undone) == 0 && r.Problem == "" {
		v.Held = held(r.Verdicts)
	}
	switch {
	case len(v.Findings) > 0:
		v.Again = v.Findings[0].Rerun
	case r.Problem != "":
		v.Again = r.again()
	}
	v.Nothing = len(v.Blocked)+len(v.Idle)+len(v.Adds) == 0 && v.Again == "" && r.Problem == "" && len(v.Undone) == 0
	return v
}

// findings are what does not hold; the first of them are why the result is what it is.
func (v *pageView) findings() {
	seen := map[string]bool{}
	for _, o := range []verdict.Outcome{verdict.Fail, verdict.Error, verdict.Warn, verdict.Inconclusive} {
		for _, vd := range v.Report.Verdicts {
			if vd.Verdict != o || isLeft(vd) {
				continue
			}
			f := finding(v.Report, vd)
			f.First, seen[vd.ID] = !seen[vd.ID], true
			v.Findings = append(v.Findings, f)
			if len(v.Why) < mostWhy {
				v.Why = append(v.Why, f.lineView)
			}
		}
	}
	v.MoreWhy = len(v.Findings) - len(v.Why)
}

// tiles makes one of each requirement's verdicts, in the order of the requirements.
func tiles(lines []lineView) (all []tile) {
	by := map[string]int{}
	rank := map[string]int{}
	for _, l := range lines {
		r := slices.IndexFunc(worst, func(w struct {
			outcome verdict.Outcome
			sign    string
		}) bool {
			return w.outcome == l.Verdict.Verdict
		})
		i, known := by[l.ID]
		if known && rank[l.ID] <= r {
			continue
		}
		t := tile{ID: l.ID, Class: l.Class, Sign: worst[max(r, 0)].sign, Says: string(l.Verdict.Verdict), Anchor: "v-" + l.Anchor}
		if l.wrong() {
			t.Anchor = l.Anchor
		}
		rank[l.ID] = r
		if known {
			all[i] = t
			continue
		}
		by[l.ID], all = len(all), append(all, t)
	}
	return all
}

// wrong tells what has a finding of its own.
func (l lineView) wrong() bool {
	return !slices.Contains([]verdict.Outcome{verdict.Pass, verdict.NotAssessed}, l.Verdict.Verdict) && !isLeft(l.Verdict)
}

// legend explains the tiles that there are.
func legend(packs []packView) (all []tile) {
	for _, w := range worst {
		class := strings.ReplaceAll(string(w.outcome), " ", "-")
		if slices.ContainsFunc(packs, func(p packView) bool {
			return slices.ContainsFunc(p.Tiles, func(t tile) bool { return t.Class == class })
		}) {
			all = append(all, tile{Class: class, Sign: w.sign, Says: string(w.outcome)})
		}
	}
	return all
}

// held says what the passes rest on.
func held(vs []verdict.Verdict) string {
	strong, weak := 0, 0
	for _, v := range vs {
		switch {
		case v.Verdict == verdict.Pass && v.Proof == verdict.Strong:
			strong++
		case v.Verdict == verdict.Pass:
			weak++
		}
	}
	if strong+weak == 0 {
		return "Nothing that was selected could be assessed."
	}
	text := fmt.Sprintf("All that was assessed holds: %s, %d with strong proof", plural(strong+weak, "verdict"), strong)
	if weak > 0 {
		text += fmt.Sprintf(" and %d with weak: what was done to the target was likely to land, and was not seen to", weak)
	}
	return text + "."
}

// counted is a summary in words.
func counted(s Summary) string {
	var parts []string
	for _, c := range []struct {
		n    int
		what string
	}{{s.Fail, "fail"}, {s.Error, "error"}, {s.Warn, "warn"}, {s.Inconclusive, "inconclusive"}, {s.Pass, "pass"}, {s.NotAssessed, "not assessed"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(parts, ", ")
}

func line(v verdict.Verdict) lineView {
	req, _ := catalogue.Find(v.ID)
	return lineView{Verdict: v, Sentence: req.Sentence, Class: strings.ReplaceAll(string(v.Verdict), " ", "-"), On: strings.Join(v.Operations, ", "), Short: clipped(v.Detail, 220),
		Anchor: strings.NewReplacer("/", "-", "#", "-", " ", "-").Replace(v.Name() + "-" + strings.Join(v.Operations, "-"))}
}

func clipped(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

func finding(r *Report, v verdict.Verdict) findingView {
	req, _ := catalogue.Find(v.ID)
	f := findingView{lineView: line(v), Sources: req.Sources, Rerun: r.RerunCommand(v)}
	for i, id := range v.Histories {
		if i > 0 {
			f.More = append(f.More, id)
			continue
		}
		for _, h := range r.Histories {
			if h.ID == id {
				f.History, f.Marks, f.Script = h, timeline(h), script(h)
				f.Faults = faultsOf(f.Marks)
			}
		}
	}
	return f
}
