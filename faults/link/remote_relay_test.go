package link_test

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/oncespec/oncespec/faults/link"
	"github.com/oncespec/oncespec/faults/link/linktest"
)

// echo is an upstream that answers each byte with itself.
func echo(t *testing.T) string {
	t.Helper()
	return listen(t, func(c net.Conn) { io.Copy(c, c) }).Addr().String()
}

func far(t *testing.T) *link.RemoteRelay {
	t.Helper()
	toxiproxy := linktest.Start(t, linktest.Options{})
	f, err := remote(t, toxiproxy.URL).Relay(t.Context(), "127.0.0.1:0", echo(t))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// ask sends a byte and waits for the answer.
func ask(c net.Conn, limit time.Duration) (time.Duration, error) {
	began := time.Now()
	c.SetDeadline(began.Add(limit))
	if _, err := c.Write([]byte{1}); err != nil {
		return 0, err
	}
	_, err := io.ReadFull(c, make([]byte, 1))
	return time.Since(began), err
}

func through(t *testing.T, f *link.RemoteRelay) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", f.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestRemoteRelayIsCutAndMended: connections that live end, new ones are turned away, and later taken at the same address.
func TestRemoteRelayIsCutAndMended(t *testing.T) {
	f := far(t)
	c := through(t, f)
	if _, err := ask(c, time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := f.Cut(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := ask(c, time.Minute); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("it lives: %v", err)
	}
	if _, err := net.Dial("tcp", f.Addr); err == nil {
		t.Error("a new one was taken")
	}
	if err := f.Mend(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := ask(through(t, f), time.Minute); err != nil {
		t.Error(err)
	}
}

// TestRemoteRelayIsSlow, both ways, until it is not any more.
func TestRemoteRelayIsSlow(t *testing.T) {
	f := far(t)
	c := through(t, f)
	for _, by := range []time.Duration{100 * time.Millisecond, 0, 50 * time.Millisecond} {
		if err := f.Delay(t.Context(), by); err != nil {
			t.Fatal(err)
		}
		if took, err := ask(c, time.Minute); err != nil || took < 2*by {
			t.Errorf("%v: %v, %v", by, took, err)
		}
	}
}

// TestRemoteRelayIsSilent: it takes connections and answers nothing, and what was sent is never delivered.
func TestRemoteRelayIsSilent(t *testing.T) {
	f := far(t)
	old := through(t, f)
	if _, err := ask(old, time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := f.Silence(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []net.Conn{old, through(t, f)} {
		if _, err := ask(c, 20*time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("silent: %v", err)
		}
	}
	if err := f.Speak(t.Context()); err != nil {
		t.Fatal(err)
	}
	old.SetDeadline(time.Now().Add(time.Minute))
	if n, err := old.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("delivered: %d, %v", n, err)
	}
	if _, err := ask(through(t, f), time.Minute); err != nil {
		t.Error(err)
	}
}
