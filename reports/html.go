package reports

import (
	_ "embed"
	"html/template"
	"io"
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

// pageView is the report as the page lays it out.
type pageView struct {
	*Report
	Sentence string
	Class    string
	Troubles []string // of shards
	Played   string
	Packs    []packView
	Findings []findingView // what does not hold, the worst first
}

type packView struct {
	packRow
	Verdicts []lineView
}

type lineView struct {
	verdict.Verdict
	Sentence string
	Class    string
	Anchor   string
}

type findingView struct {
	lineView
	Sources []catalogue.Source
	Rerun   string
	History *history.History
	Marks   []mark
	Script  string
	More    []string // further histories that show it
}

func view(r *Report) pageView {
	v := pageView{Report: r, Sentence: r.Sentence(), Class: string(r.Result), Troubles: r.troubles(), Played: r.played()}
	for _, row := range byPack(r.Verdicts) {
		p := packView{packRow: row}
		for _, vd := range r.Verdicts {
			if strings.HasPrefix(vd.ID, row.Pack+"/") {
				p.Verdicts = append(p.Verdicts, line(vd))
			}
		}
		v.Packs = append(v.Packs, p)
	}
	for _, o := range []verdict.Outcome{verdict.Fail, verdict.Error, verdict.Warn, verdict.Inconclusive} {
		for _, vd := range r.Verdicts {
			if vd.Verdict == o {
				v.Findings = append(v.Findings, finding(r, vd))
			}
		}
	}
	return v
}

func line(v verdict.Verdict) lineView {
	req, _ := catalogue.Find(v.ID)
	return lineView{Verdict: v, Sentence: req.Sentence, Class: strings.ReplaceAll(string(v.Verdict), " ", "-"),
		Anchor: strings.NewReplacer("/", "-", "#", "-", " ", "-").Replace(v.Name() + "-" + strings.Join(v.Operations, "-"))}
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
				f.History, f.Marks, f.Script = h, timeline(h), Script(h)
			}
		}
	}
	return f
}
