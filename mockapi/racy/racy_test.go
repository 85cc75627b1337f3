package racy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/leaktest"
	"github.com/oncespec/oncespec/mockapi/racy"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func call(s http.Handler, key string, w racy.Window) (int, racy.Receipt) {
	r := httptest.NewRequest(http.MethodPost, "/?"+w.Query(), nil)
	r.Header.Set(racy.KeyField, key)
	answer := httptest.NewRecorder()
	s.ServeHTTP(answer, r)
	var receipt racy.Receipt
	_ = json.Unmarshal(answer.Body.Bytes(), &receipt)
	return answer.Code, receipt
}

// servers are one with its records in memory, and one with a store.
func servers(t *testing.T) map[string]*racy.Server {
	t.Helper()
	store, err := racy.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	far := racy.New(store.Addr())
	t.Cleanup(far.Close)
	return map[string]*racy.Server{"memory": racy.New(""), "store": far}
}

// TestOneByOneItIsCorrect: the second with a key finds the first one's work.
func TestOneByOneItIsCorrect(t *testing.T) {
	t.Parallel()
	for name, s := range servers(t) {
		for i, want := range []bool{true, false, false} {
			code, receipt := call(s, "key-1", racy.Window{Length: time.Millisecond, Busy: i == 0})
			if code != 200 || receipt.Executed != want || receipt.Ended <= receipt.Began {
				t.Errorf("%s, request %d: %d %+v", name, i, code, receipt)
			}
		}
		if code, receipt := call(s, "key-2", racy.Window{}); code != 200 || !receipt.Executed {
			t.Errorf("%s, another key: %d %+v", name, code, receipt)
		}
	}
}

// TestTwoInTheWindowBothDoTheWork: the known race.
func TestTwoInTheWindowBothDoTheWork(t *testing.T) {
	t.Parallel()
	for name, s := range servers(t) {
		var both sync.WaitGroup
		var receipts [2]racy.Receipt
		for i := range receipts {
			both.Go(func() { _, receipts[i] = call(s, "key", racy.Window{Length: 300 * time.Millisecond}) })
		}
		both.Wait()
		if !receipts[0].Executed || !receipts[1].Executed || receipts[0].Began > receipts[1].Ended || receipts[1].Began > receipts[0].Ended {
			t.Errorf("%s: %+v", name, receipts)
		}
	}
}

func TestWhatIsNoCall(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"/", "/?window_ns=x", "/?window_ns=-1", "/?window_ns=99999999999"} {
		r := httptest.NewRequest(http.MethodPost, target, nil)
		r.Header.Set(racy.KeyField, "key")
		answer := httptest.NewRecorder()
		racy.New("").ServeHTTP(answer, r)
		if answer.Code != 400 {
			t.Errorf("%s: %d", target, answer.Code)
		}
	}
	if code, _ := call(racy.New(""), "", racy.Window{}); code != 400 {
		t.Errorf("without a key: %d", code)
	}
	gone := racy.New("127.0.0.1:1")
	if code, _ := call(gone, "key", racy.Window{}); code != 503 {
		t.Errorf("without its store: %d", code)
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := racy.New("").Serve(ctx, l); err != nil {
		t.Error(err)
	}
	var said bytes.Buffer
	if code := racy.Main(nil, &said); code != 4 || !strings.Contains(said.String(), "address") {
		t.Errorf("%d, %q", code, said.String())
	}
	if code := racy.Main([]string{"999.0.0.1:0"}, &said); code != 3 {
		t.Errorf("an address that is none: %d", code)
	}
}
