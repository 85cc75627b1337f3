package target_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/target"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// TestNoSecretIsRecorded: whatever the target does with what it is told, no history shows a credential.
func TestNoSecretIsRecorded(t *testing.T) {
	t.Parallel()
	secrets := []string{"acme-secret-token", "acme-renewed-token", "globex-secret-token", "from-the-environment", "cookie-secret-42", "hunter2hunter2"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		echo, _ := json.Marshal(map[string]any{"all": append(secrets[:4:4], secrets[5]), "header": r.Header, "password": "hunter2hunter2", "state": "done", "total": 1, "tickets": []any{}, "url": r.URL.String()})
		w.Header().Set("X-Echo", r.Header.Get("Authorization"))
		w.Header().Set("Set-Cookie", "session=cookie-secret-42")
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Query().Get("fail") {
		case "status":
			w.WriteHeader(500)
		case "cut":
			w.Header().Set("Content-Length", "100000")
		}
		w.Write(echo)
	}))
	t.Cleanup(server.Close)
	text := strings.NewReplacer("URL", server.URL, "X: Y", "").Replace(plain)
	text = strings.Replace(text, `body: {title: "t", priority: high, amount: 3}`, `headers: {X-Note: "from ${NOTE}"}, body: {title: "t", priority: high, note: "${NOTE}", password: hunter2hunter2}`, 1)
	text = strings.Replace(text, "path: /tickets", "path: /tickets?token=hunter2hunter2", 1)
	cfg, err := config.Parse("oncespec.yaml", []byte(text), func(string) (string, bool) { return "from-the-environment", true })
	if err != nil {
		t.Fatal(err)
	}
	r := startAt(t, cfg)
	s := r.stage("conflict/disclosure")
	in := must(s.Intent(t.Context()))
	for _, send := range []target.Send{{}, {Credentials: target.Renewed}, {Tenant: "globex"}} {
		s.Do(t.Context(), in, send)
	}
	s.Observe(t.Context(), in, "after")
	s.Status(t.Context(), in, "after")
	s.StatusAs(t.Context(), in, "after", "globex")
	for _, path := range []string{"/x?fail=status", "/x?fail=cut", "/x?password=hunter2hunter2"} {
		s.Get(t.Context(), in, "read", path, [][2]string{{"X-Api-Key", "hunter2hunter2"}})
	}
	s.Note("the token was %s", "acme-secret-token")
	s.Abort(&target.EnvironmentError{What: "acme-secret-token", Err: http.ErrAbortHandler}, "harness")
	record := s.Histories()[0]
	first := record.First("first")
	if first == nil || first.Outcome != history.Answered || !strings.Contains(first.Answer.Body.Text, "[redacted]") || first.Request.Body.Length == int64(len(first.Request.Body.Text)) {
		t.Fatalf("first: %+v", first)
	}
	file, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range secrets {
		if i := strings.Index(string(file), secret); i >= 0 {
			t.Errorf("%s is in the history: …%s…", secret, file[max(0, i-80):min(len(file), i+80)])
		}
	}
}
