package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/faults/leaktest"
	"github.com/oncespec/oncespec/mockapi/store"
)

func TestCommitSurvivesReopening(t *testing.T) {
	onEveryDurable(t, func(t *testing.T, at string) {
		s := open(t, at)
		update(t, s, func(tx store.Tx) error {
			return errors.Join(tx.PutClaim(claim("a", "k", true)), tx.PutDocument(document("ticket", "t1", "x")))
		})
		unclosed := open(t, at) // as after a kill: nobody closed the first
		view(t, unclosed, func(r store.Reader) error {
			list(t, r, store.Query{Kind: "ticket", Tenant: "acme"}, "t1")
			return nil
		})
		closeStore(t, unclosed)
		closeStore(t, s)
		again := open(t, at)
		defer closeStore(t, again)
		view(t, again, func(r store.Reader) error {
			list(t, r, store.Query{Kind: "ticket", Tenant: "acme"}, "t1")
			got, err := r.Claim(store.ID{Scope: "a", Key: "k"})
			if err != nil || !got.Open || string(got.Data) != "ak" {
				t.Errorf("claim after reopening: %+v, %v", got, err)
			}
			return nil
		})
	})
}

func TestNothingRemainsOfAProcessKilledInMidTransaction(t *testing.T) {
	onEveryDurable(t, func(t *testing.T, at string) {
		s := open(t, at)
		defer closeStore(t, s)
		child := start(t, "claim-and-hang", at)
		child.says(t, "claimed")
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait() // killed: its exit code says so
		if err := race(t.Context(), s, "k", 2); err != nil {
			t.Errorf("the key that the killed process was about to claim: %v", err)
		}
		view(t, s, func(r store.Reader) error {
			list(t, r, store.Query{Kind: "ticket", Tenant: "acme"}, "t2")
			return nil
		})
	})
}

func TestOneOfTwoProcessesWins(t *testing.T) {
	onEveryDurable(t, func(t *testing.T, at string) {
		s := open(t, at)
		defer closeStore(t, s)
		children := [2]*child{start(t, "race", at), start(t, "race", at)}
		for _, c := range children {
			c.says(t, "ready")
		}
		for _, c := range children {
			if err := c.in.Close(); err != nil { // the sign to start
				t.Fatal(err)
			}
		}
		won := 0
		for _, c := range children {
			var here int
			if _, err := fmt.Fscan(c.out, &here); err != nil {
				t.Fatal(err)
			}
			if err := c.Wait(); err != nil {
				t.Error(err)
			}
			won += here
		}
		if won != keysToRaceFor {
			t.Errorf("%d claims won by two processes, want one for each of %d keys", won, keysToRaceFor)
		}
		view(t, s, func(r store.Reader) error {
			if found, err := r.Documents(store.Query{Kind: "ticket", Tenant: "acme"}); len(found) != won {
				t.Errorf("%d effects of %d claims, %v", len(found), won, err)
			}
			return nil
		})
	})
}

const (
	keysToRaceFor = 25
	asChild       = "ONCESPEC_TEST_CHILD"
)

// TestMain makes this test binary the other process where it started itself.
func TestMain(m *testing.M) {
	if role := os.Getenv(asChild); role != "" {
		if err := play(context.Background(), role, os.Getenv(asChild+"_AT")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	leaktest.Main(m)
}

func play(ctx context.Context, role, at string) error {
	s, err := store.Open(ctx, at)
	if err != nil {
		return err
	}
	defer s.Close()
	if role == "claim-and-hang" {
		return s.Update(ctx, func(tx store.Tx) error {
			if err := errors.Join(tx.InsertClaim(claim("a", "k", true)), tx.PutDocument(document("ticket", "t1", "x"))); err != nil {
				return err
			}
			fmt.Println("claimed")
			_, err := io.Copy(io.Discard, os.Stdin) // until the end of this process, or of its parent
			return errors.Join(errors.New("nobody killed this process"), err)
		})
	}
	if role == "hold" {
		if _, err := s.Hold(ctx, "child"); err != nil {
			return err
		}
		fmt.Println("held")
		_, err := io.Copy(io.Discard, os.Stdin) // until the end of this process, or of its parent
		return errors.Join(errors.New("nobody killed this process"), err)
	}
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	won := 0
	for key := range keysToRaceFor {
		switch err := race(ctx, s, fmt.Sprint("k", key), os.Getpid()*keysToRaceFor+key); {
		case err == nil:
			won++
		case !errors.Is(err, store.ErrExists):
			return err
		}
	}
	fmt.Println(won)
	return nil
}

// child is another process at work on a store.
type child struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(t *testing.T, role, at string) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{Cmd: exec.CommandContext(t.Context(), self)}
	c.Env = append(os.Environ(), asChild+"="+role, asChild+"_AT="+at)
	c.Stderr = os.Stderr
	if c.in, err = c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewReader(out)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() }) // it may have ended long ago
	return c
}

func (c *child) says(t *testing.T, want string) {
	t.Helper()
	if line, err := c.out.ReadString('\n'); strings.TrimSpace(line) != want {
		t.Fatalf("the other process said %q, want %q; %v", line, want, err)
	}
}
