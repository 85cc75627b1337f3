package rewrite

import (
	"testing"

	"pgregory.net/rapid"
)

// BenchmarkApply makes every pair of a sample of about 700 bytes, one after another.
func BenchmarkApply(b *testing.B) {
	s := mustSample(b, richRequest(), declaredPolicy())
	type job struct {
		r    Rewrite
		site Site
	}
	var jobs []job
	for _, r := range Catalogue() {
		for _, site := range r.Sites(s) {
			jobs = append(jobs, job{r, site})
		}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		j := jobs[i%len(jobs)]
		if _, ok := j.r.Apply(s, j.site, i%4); !ok {
			b.Fatal(j.r.ID)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rewrites/s")
}

// BenchmarkSites looks for the places of the whole catalogue in one sample.
func BenchmarkSites(b *testing.B) {
	s := mustSample(b, richRequest(), declaredPolicy())
	rows := Catalogue()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		rows[i%len(rows)].Sites(s)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkTrials draws random trials and makes their pairs.
func BenchmarkTrials(b *testing.B) {
	s := mustSample(b, richRequest(), declaredPolicy())
	usable := Usable(s, Catalogue())
	trials := rapid.Custom(func(t *rapid.T) Trial {
		trial, _ := drawTrial(t, s, usable)
		return trial
	})
	for i := 0; b.Loop(); i++ {
		if _, ok := s.Pair(trials.Example(i)); !ok {
			b.Fatal("a drawn trial makes no pair")
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "trials/s")
}

func BenchmarkParse(b *testing.B) {
	body := richRequest().Body
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(body); err != nil {
			b.Fatal(err)
		}
	}
}
