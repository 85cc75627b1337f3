package target_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// BenchmarkAttempt compares an attempt, with its proxy and its record, with the bare call of an HTTP client on a connection
// of its own and on a warm one.
func BenchmarkAttempt(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusCreated)
	}))
	defer server.Close()
	const body = `{"title":"t-0123456789abcdef","priority":"high","amount":3}`

	b.Run("stage", func(b *testing.B) {
		text, _, _ := strings.Cut(strings.ReplaceAll(plain, "URL", server.URL), "    effects:")
		cfg, err := config.Parse("oncespec.yaml", []byte(text), func(string) (string, bool) { return "", false })
		if err != nil {
			b.Fatal(err)
		}
		tg, err := target.Start(b.Context(), target.Options{Config: cfg})
		if err != nil {
			b.Fatal(err)
		}
		defer tg.Close(b.Context())
		s := tg.Stage(target.Scenario{ID: "x/y"}, cfg.Operations["create"], target.StageOptions{})
		in, err := s.Intent(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if a := s.Do(b.Context(), in, target.Send{}); a.Outcome != history.Answered {
				b.Fatal(a.Reason)
			}
		}
	})
	for name, transport := range map[string]*http.Transport{"bare": {DisableKeepAlives: true}, "bare-warm": {}} {
		b.Run(name, func(b *testing.B) {
			client := &http.Client{Transport: transport}
			defer client.CloseIdleConnections()
			for b.Loop() {
				resp, err := client.Post(server.URL+"/tickets", "application/json", strings.NewReader(body))
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		})
	}
}
