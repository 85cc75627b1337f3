package reports_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/reports"
	"github.com/oncespec/oncespec/scenarios/history"
	"github.com/oncespec/oncespec/scenarios/history/historytest"
)

// TestCurlSendsTheAttempt runs the command: what the server gets is what the attempt says, whatever curl reads into it.
func TestCurlSendsTheAttempt(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"sh", "curl", "base64"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not here", tool)
		}
	}
	for name, tc := range map[string]struct {
		path   string
		header [][2]string
		body   string
	}{
		"a body that begins with @": {"/a", [][2]string{{"Content-Type", "text/plain"}}, "@/etc/hostname"},
		"an empty field":            {"/a", [][2]string{{"X-Empty", ""}, {"Content-Type", "text/plain"}}, "x"},
		"brackets in the URL":       {"/a?ids[]=1&f={x,y}&r=[1-3]", [][2]string{{"Content-Type", "text/plain"}}, "x"},
		"dots in the path":          {"/a/./b/../c", [][2]string{{"Content-Type", "text/plain"}}, "x"},
		"quotes and lines":          {"/a", [][2]string{{"Content-Type", "text/plain"}, {"X-Quote", `it's "$HOME"`}}, "it's\n\"$(id)\"\n"},
		"what is not shown":         {"/a", [][2]string{{"Content-Type", "text/plain"}}, "a\u202eb\x00c"},
		"no type":                   {"/a", nil, "x=1"},
		"no body":                   {"/a", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var uri, body string
			var header http.Header
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				text, _ := io.ReadAll(r.Body)
				uri, body, header = r.RequestURI, string(text), r.Header
			}))
			defer server.Close()
			a := &history.Attempt{Request: history.Request{Method: "POST", URL: server.URL + tc.path, Header: tc.header}}
			if tc.body != "" {
				a.Request.Body = historytest.Body(tc.body)
			}
			if out, err := exec.Command("sh", "-c", reports.Curl(a)).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s\n%s", err, out, reports.Curl(a))
			}
			if uri != tc.path || body != tc.body {
				t.Errorf("expected %s with %q, found %s with %q\n%s", tc.path, tc.body, uri, body, reports.Curl(a))
			}
			for _, h := range tc.header {
				if got, there := header[h[0]]; !there || strings.Join(got, ",") != h[1] {
					t.Errorf("expected %s: %s, found %q\n%s", h[0], h[1], got, reports.Curl(a))
				}
			}
			if _, typed := header["Content-Type"]; typed && tc.header == nil {
				t.Errorf("curl added Content-Type: %s", header.Get("Content-Type"))
			}
		})
	}
}
