package tickets_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/store"
	"github.com/oncespec/oncespec/mockapi/tickets"
)

// bench runs writes as the server does: decode, check, store, restore, apply.
type bench struct {
	store store.Memory
	ids   int
}

func (b *bench) write(t *testing.T, name string, request command.Request) (command.Answer, error) {
	t.Helper()
	for _, o := range tickets.Operations() {
		if o.Name != name {
			continue
		}
		c, err := o.Decode(request)
		if err != nil {
			return command.Answer{}, err
		}
		stored, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if c, err = o.Restore(stored); err != nil {
			t.Fatal(err)
		}
		if err := b.store.View(t.Context(), func(r store.Reader) error { return c.Check(r, "acme") }); err != nil {
			return command.Answer{}, err
		}
		if refusal := c.Decide(); refusal != nil {
			return command.Answer{}, refusal
		}
		var answer command.Answer
		err = b.store.Update(t.Context(), func(tx store.Tx) (err error) {
			answer, err = c.Apply(tx, command.Env{Tenant: "acme", Now: time.Unix(0, 0), NewID: b.newID})
			return err
		})
		return answer, err
	}
	t.Fatalf("no operation %s", name)
	return command.Answer{}, nil
}

func (b *bench) newID() string {
	b.ids++
	return strconv.Itoa(b.ids)
}

func (b *bench) read(t *testing.T, pattern string, request command.Request) string {
	t.Helper()
	for _, r := range tickets.Reads() {
		if r.Pattern != pattern {
			continue
		}
		var answer command.Answer
		if err := b.store.View(t.Context(), func(reader store.Reader) (err error) {
			answer, err = r.Serve(reader, "acme", request)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return string(answer.Body)
	}
	t.Fatalf("no read %s", pattern)
	return ""
}

func (b *bench) create(t *testing.T, title string) {
	t.Helper()
	if _, err := b.write(t, "tickets.create", command.Request{Body: []byte(`{"project":"ops","title":"` + title + `"}`)}); err != nil {
		t.Fatal(err)
	}
}

func TestCreateKeepsWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	b := &bench{}
	answer, err := b.write(t, "tickets.create", command.Request{
		Query: url.Values{"notify": {"owner"}},
		Body:  []byte(`{"project":"ops","title":"t","priority":"high","labels":["a","b"],"details":{"n":9007199254740993,"none":null}}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id":"tkt_1","project":"ops","title":"t","priority":"high","labels":["a","b"],"details":{"n":9007199254740993,"none":null},` +
		`"notify":"owner","state":"open","revision":1,"closures":0,"exports":0}`
	if answer.Status != 201 || answer.Location != "/v1/tickets/tkt_1" || string(answer.Body) != want {
		t.Errorf("answer %d %s %s\nwant %s", answer.Status, answer.Location, answer.Body, want)
	}
	if got := b.read(t, "/v1/tickets/{id}", command.Request{Params: map[string]string{"id": "tkt_1"}}); got != want {
		t.Errorf("read %s\nwant %s", got, want)
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	b := &bench{}
	answer, err := b.write(t, "tickets.create", command.Request{Body: []byte(`{"project":"ops","title":"t"}`)})
	if want := `"priority":"normal","labels":[],"notify":"none"`; err != nil || !strings.Contains(string(answer.Body), want) {
		t.Errorf("answer %s, %v, want %s in it", answer.Body, err, want)
	}
}

func TestCreateRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body   string
		status int
		names  string
	}{
		"empty project":   {`{"project":"","title":"t"}`, 422, "/project"},
		"no title":        {`{"project":"ops"}`, 422, "/title"},
		"wrong priority":  {`{"project":"ops","title":"t","priority":"High"}`, 422, "/priority"},
		"wrong type":      {`{"project":"ops","title":"t","labels":[1]}`, 422, "/labels/0"},
		"unknown field":   {`{"project":"ops","title":"t","colour":"red"}`, 422, "/colour"},
		"cut":             {`{"project":"ops"`, 400, "malformed_body"},
		"closed project":  {`{"project":"closed","title":"t"}`, 403, "project_closed"},
		"several at once": {`{"priority":"x"}`, 422, "/project"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := (&bench{}).write(t, "tickets.create", command.Request{Body: []byte(c.body)})
			var refusal *command.Refusal
			if !errors.As(err, &refusal) || refusal.Status != c.status || !strings.Contains(err.Error(), c.names) {
				t.Errorf("got %v, want a refusal with %d that names %s", err, c.status, c.names)
			}
		})
	}
}

func TestBrokenProjectPanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("the handler did not panic")
		}
	}()
	_, _ = (&bench{}).write(t, "tickets.create", command.Request{Body: []byte(`{"project":"explode","title":"t"}`)})
}

func TestEachCloseAndExportCounts(t *testing.T) {
	t.Parallel()
	b := &bench{}
	b.create(t, "t")
	id := map[string]string{"id": "tkt_1"}
	for range 2 {
		if answer, err := b.write(t, "tickets.close", command.Request{Params: id}); err != nil || answer.Status != 204 || len(answer.Body) != 0 {
			t.Errorf("close: %+v, %v", answer, err)
		}
	}
	var first []byte
	for n := range 3 {
		answer, err := b.write(t, "tickets.export", command.Request{Params: id, Body: []byte(`{}`)})
		if err != nil || answer.Status != 201 || len(answer.Body) <= 1<<20 {
			t.Errorf("export: %d, %d bytes, %v", answer.Status, len(answer.Body), err)
		}
		if n == 0 {
			first = answer.Body
		} else if string(answer.Body) == string(first) {
			t.Error("two exports gave the same text")
		}
	}
	got := b.read(t, "/v1/tickets/{id}", command.Request{Params: id})
	if want := `"state":"closed","revision":3,"closures":2,"exports":3`; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
	if _, err := b.write(t, "tickets.close", command.Request{Params: map[string]string{"id": "tkt_9"}}); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("closing an unknown ticket: %v, want 404", err)
	}
}

func TestListIsNarrowedAndPaged(t *testing.T) {
	t.Parallel()
	b := &bench{}
	for _, title := range []string{"a b", "x", "a b", "a b"} {
		b.create(t, title)
	}
	query := url.Values{"title": {"a b"}, "limit": {"2"}}
	var pages [][]string
	for range 3 {
		var page struct {
			Tickets []tickets.Ticket
			Next    *string
		}
		if err := json.Unmarshal([]byte(b.read(t, "/v1/tickets", command.Request{Query: query})), &page); err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, ticket := range page.Tickets {
			ids = append(ids, ticket.ID)
		}
		pages = append(pages, ids)
		if page.Next == nil {
			break
		}
		next, err := url.Parse(*page.Next)
		if err != nil || next.Path != "/v1/tickets" {
			t.Fatalf("next page %q, %v", *page.Next, err)
		}
		query = next.Query()
	}
	if got, want := pages, [][]string{{"tkt_1", "tkt_3"}, {"tkt_4"}}; len(got) != 2 || strings.Join(got[0], " ") != strings.Join(want[0], " ") || strings.Join(got[1], " ") != want[1][0] {
		t.Errorf("pages %v, want %v", got, want)
	}
	if got := b.read(t, "/v1/tickets", command.Request{Query: url.Values{"title": {"none"}}}); got != `{"tickets":[],"next":null}` {
		t.Errorf("empty list: %s", got)
	}
}

func TestPutLabelCountsChangesOnly(t *testing.T) {
	t.Parallel()
	b := &bench{}
	ref := map[string]string{"ref": "a/b"}
	for i, step := range []struct {
		body    string
		status  int
		changes string
	}{
		{`{"name":"bug","color":"red"}`, 201, `"changes":1`},
		{`{"color":"red","name":"bug"}`, 200, `"changes":1`},
		{`{"name":"bug","color":"blue"}`, 200, `"changes":2`},
		{`{"name":"bug","color":"blue"}`, 200, `"changes":2`},
	} {
		answer, err := b.write(t, "labels.put", command.Request{Params: ref, Body: []byte(step.body)})
		if err != nil || answer.Status != step.status || !strings.Contains(string(answer.Body), step.changes) {
			t.Errorf("step %d: %d %s %v, want %d and %s", i, answer.Status, answer.Body, err, step.status, step.changes)
		}
	}
	if got := b.read(t, "/v1/labels/{ref}", command.Request{Params: ref}); got != `{"ref":"a/b","name":"bug","color":"blue","changes":2}` {
		t.Errorf("label: %s", got)
	}
}

func TestAnAttachmentIsOneCommandHoweverItIsSent(t *testing.T) {
	t.Parallel()
	var b bench
	ticket, err := b.write(t, "tickets.create", command.Request{Body: []byte(`{"project":"p","title":"t"}`)})
	if err != nil {
		t.Fatal(err)
	}
	var made struct{ ID string }
	if err := json.Unmarshal(ticket.Body, &made); err != nil {
		t.Fatal(err)
	}
	const want = `"fields":{"note":["a b"],"tag":["x","y"]}`
	for media, body := range map[string]string{
		"application/x-www-form-urlencoded": "tag=x&note=a+b&tag=y",
		"application/json":                  `{"note":"a b","tag":["x","y"]}`,
		"multipart/form-data; boundary=b": "--b\r\nContent-Disposition: form-data; name=note\r\n\r\na b\r\n" +
			"--b\r\nContent-Disposition: form-data; name=tag\r\n\r\nx\r\n--b\r\nContent-Disposition: form-data; name=tag\r\n\r\ny\r\n--b--\r\n",
	} {
		answer, err := b.write(t, "tickets.attach", command.Request{Params: map[string]string{"id": made.ID}, Media: media, Body: []byte(body)})
		if err != nil || !strings.Contains(string(answer.Body), want) {
			t.Errorf("%s: %s, %v, want %s", media, answer.Body, err, want)
		}
		for _, wrong := range []string{"", "%zz=1", `{"note":1}`, "--b\r\nx"} {
			if _, err := b.write(t, "tickets.attach", command.Request{Params: map[string]string{"id": made.ID}, Media: media, Body: []byte(wrong)}); err == nil {
				t.Errorf("%s: %q was taken", media, wrong)
			}
		}
	}
}
