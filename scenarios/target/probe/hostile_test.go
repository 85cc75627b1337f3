package probe_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/probe"
)

func TestHostileListsAreErrorsThatSayWhatCame(t *testing.T) {
	t.Parallel()
	body := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
			w.WriteHeader(code)
			io.WriteString(w, "sorry")
		}
	}
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"HTML", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<html>\xff")
		}, `expected JSON, found "<html>\xff" (text/html): invalid character`},
		{"nothing", body(""), `expected JSON, found nothing`},
		{"half a list", body(`{"l":[`), `expected JSON, found "{\"l\":["`},
		{"two values", body(`{"l":[]} {}`), "expected one JSON value, found more behind it"},
		{"500", status(500), `expected a 2xx answer, found 500 to http://127.0.0.1:1/elsewhere, which is not followed: "sorry"`},
		{"404", status(404), "expected a 2xx answer, found 404"},
		{"a redirect", status(302), "expected a 2xx answer, found 302 to http://127.0.0.1:1/elsewhere, which is not followed"},
		{"a page that leads to itself", body(`{"l":[],"next":"/l"}`), "expected a list that ends, found that page 1 leads back to "},
		{"pages without end", func(w http.ResponseWriter, r *http.Request) {
			n, _ := strconv.Atoi(r.URL.Query().Get("p"))
			fmt.Fprintf(w, `{"l":[],"next":"/l?p=%d"}`, n+1)
		}, "expected a list that ends, found more than 1000 pages"},
		{"items without end", func(w http.ResponseWriter, r *http.Request) {
			n, _ := strconv.Atoi(r.URL.Query().Get("p"))
			fmt.Fprintf(w, `{"l":[%s0],"next":"/l?p=%d"}`, strings.Repeat("1,", 9999), n+1)
		}, "expected a list that ends, found more than 50000 items in 6 pages"},
		{"bytes without end", func(w http.ResponseWriter, r *http.Request) {
			n, _ := strconv.Atoi(r.URL.Query().Get("p"))
			fmt.Fprintf(w, `{"l":[],"pad":%q,"next":"/l?p=%d"}`, strings.Repeat("x", 4000<<10), n+1)
		}, "expected a list that ends, found more than 32 MiB in 9 pages"},
		{"a page without end", func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := io.WriteString(w, strings.Repeat("[", 64<<10)); err != nil {
					return
				}
			}
		}, "answer larger than the limit of 4 MiB"},
		{"nesting without end", body(strings.Repeat("[", 1<<20)), "expected JSON"},
		{"headers without end", func(w http.ResponseWriter, _ *http.Request) {
			for i := range 5000 {
				w.Header().Add("X-"+strconv.Itoa(i), strings.Repeat("x", 50))
			}
		}, "expected an answer: "},
		{"the connection closed", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "expected an answer: EOF"},
		{"a length that is too long", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, `{"l":[]}`)
		}, "expected an answer: unexpected EOF"},
		{"a next page elsewhere", body(`{"l":[],"next":"http://127.0.0.2:1/l"}`), `found "http://127.0.0.2:1/l"`},
		{"a next page elsewhere, without a scheme", body(`{"l":[],"next":"//evil.test/l"}`), `found "//evil.test/l"`},
		{"a next page that is a file", body(`{"l":[],"next":"file:///etc/passwd"}`), `found "file:///etc/passwd"`},
		{"a next page that is a number", body(`{"l":[],"next":2}`), `expected the URL of the next page or null at $["next"], found 2`},
		{"a next page that is no URL", body(`{"l":[],"next":"http://[x"}`), `expected the URL of the next page at $["next"]`},
		{"an item without its id", body(`{"l":[{"t":"` + mine + `"}]}`), `expected an id at $["key"], found none in the item {"t":"` + mine + `"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := only(t, config.Operation{}, config.Effect{HTTP: &config.HTTPEffect{Get: "/l", Items: "$.l[*]", ID: "$.key", Next: "$.next"}})
			_, err := tryRead(t, p, serve(t, c.answer), subject)
			if err == nil || !strings.HasPrefix(err.Error(), "probe http: ") || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v, want an error with %q", err, c.want)
			}
			if len(err.Error()) > 1500 {
				t.Errorf("an error of %d bytes quotes too much", len(err.Error()))
			}
		})
	}
}

func TestATargetThatNeverAnswersIsBoundedByTheContext(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]string{"nothing": "", "half a page": `{"l":[`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			from := serve(t, func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, first)
				w.(http.Flusher).Flush()
				cancel(context.DeadlineExceeded)
				<-r.Context().Done()
			})
			p := only(t, config.Operation{}, config.Effect{HTTP: &config.HTTPEffect{Get: "/l", Items: "$.l[*]"}})
			if _, err := p.Read(ctx, from, subject); err == nil || !strings.Contains(err.Error(), "expected an answer in time") {
				t.Errorf("%v, want an error that says so", err)
			}
		})
	}
}

func TestARedirectIsNeverFollowed(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int64
	there := serve(t, func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) })
	from := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, there.Base, http.StatusFound) })
	from.Client = &http.Client{} // would follow
	p := only(t, config.Operation{}, config.Effect{HTTP: &config.HTTPEffect{Get: "/l", Items: "$.l[*]"}})
	if _, err := tryRead(t, p, from, subject); err == nil || elsewhere.Load() != 0 {
		t.Errorf("error %v, and %d requests elsewhere; want an error and none", err, elsewhere.Load())
	}
}

// canned answers every request with the same bytes.
type canned []byte

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(string(c)))}, nil
}

func FuzzReadingAnAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"l":[{"id":1,"t":"` + mine + `"}],"next":null,"n":1.50}`, `{"l":{"a":[1e999]},"next":"/l?p=2"}`, `[]`, `null`, ``, `{"n":"1e5"}`, `{"l":[[[]]],"next":"http://[::1"}`, "\xff",
	} {
		f.Add([]byte(seed))
	}
	op := config.Operation{Isolate: config.Marker, Unique: []string{"/title"}, Effects: []config.Effect{
		{HTTP: &config.HTTPEffect{Get: "/l", Items: "$.l[*]", Next: "$.next"}},
		{Value: &config.ValueEffect{Get: "/l", At: "$.n"}},
	}}
	all, err := probe.All(&op)
	if err != nil {
		f.Fatal(err)
	}
	status, err := probe.NewStatus(&config.StatusProbe{Get: "/l", State: "$.n", States: map[string][]string{"failed": {"1"}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		from := probe.Source{Base: "http://target.test", Client: &http.Client{Transport: canned(body)}}
		for _, p := range all {
			r, err := p.Read(t.Context(), from, subject)
			if err != nil && (r.Count != 0 || r.Value != "") || len(r.IDs) > r.Count {
				t.Errorf("%s: %+v with %v", p.Name, r, err)
			}
			if p.Kind == probe.Value && err == nil && r.Value == "" {
				t.Error("a value that is none")
			}
		}
		if s, err := status.Read(t.Context(), from, subject); err == nil && s.Name == "" {
			t.Errorf("a state without a name: %+v", s)
		}
	})
}
