package mockapi_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/oncespec/oncespec/faults/life"
	"github.com/oncespec/oncespec/mockapi"
	"github.com/oncespec/oncespec/mockapi/store"
)

// asModelServer is the variable that makes this test binary a server of a model; its value is a modelRole.
const asModelServer = "ONCESPEC_TEST_MODEL_SERVER"

type modelRole struct {
	DB, Downstream, Expired string
	Lifetime                time.Duration
}

// playModelServer serves until it is killed.
func playModelServer(text string) error {
	var role modelRole
	if err := json.Unmarshal([]byte(text), &role); err != nil {
		return err
	}
	return mockapi.Serve(context.Background(), mockapi.ServeOptions{
		Listen: "127.0.0.1:0", DB: role.DB, Downstream: role.Downstream, Lifetime: role.Lifetime, Expired: role.Expired, Clock: true,
		Lease: modelLease, BookTimeout: modelBookTimeout, LookupTimeout: modelLookupTimeout,
		Logger: slog.New(slog.NewTextHandler(os.Stdout, nil)),
		Ready:  func(address string) { fmt.Println(listening + address) },
	})
}

const listening = "listening at "

// modelDatabase keeps it in a database, which outlives its servers: processes of their own.
type modelDatabase struct{ location string }

func (p modelDatabase) forgets() bool { return false }
func (p modelDatabase) open() (store.Store, error) {
	return store.Open(context.Background(), p.location)
}
func (p modelDatabase) close(kept store.Store) { _ = kept.Close() }

func (p modelDatabase) host(promise modelPromise) modelHost {
	return &modelProcess{place: p, role: modelRole{DB: p.location, Downstream: promise.downstream,
		Lifetime: promise.contract.Lifetime, Expired: promise.contract.Expired.Action}}
}

// modelProcess is a server in a process of its own.
type modelProcess struct {
	place modelDatabase
	role  modelRole
	*life.Process
}

func (p *modelProcess) start() (url string, err error) {
	role, err := json.Marshal(p.role)
	if err != nil {
		return "", err
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	var process *life.Process
	process, err = life.NewProcess(life.Command{Argv: []string{self}, Env: []string{asModelServer + "=" + string(role)}, ReadyWithin: deadline,
		Ready: func(context.Context) error {
			_, after, said := strings.Cut(process.Log(), listening)
			address, _, whole := strings.Cut(after, "\n")
			if !said || !whole {
				return errors.New("it does not listen yet")
			}
			url = "http://" + address
			return nil
		}})
	if err != nil {
		return "", err
	}
	p.Process = process
	if err := process.Start(context.Background()); err != nil {
		return "", errors.Join(err, process.Close())
	}
	return url, nil
}

func (p *modelProcess) said() string {
	if p.Process == nil {
		return ""
	}
	return p.Log()
}

func (p *modelProcess) kill() { _ = p.Close() }

// pause stops the process where it keeps nobody from the database. One that is stopped in the middle of writing a SQLite file
// keeps everybody from it, and no other server can help that.
func (p *modelProcess) pause() error {
	for {
		if err := p.Pause(context.Background()); err != nil {
			return err
		}
		free, err := p.place.free()
		if err != nil || free {
			return err
		}
		if err := p.resume(); err != nil {
			return err
		}
	}
}

func (p *modelProcess) resume() error { return p.Resume(context.Background()) }

// free tells whether nobody is writing. PostgreSQL gives up on who stops in mid-transaction by itself.
func (p modelDatabase) free() (bool, error) {
	if strings.Contains(p.location, "://") {
		return true, nil
	}
	db, err := sql.Open("sqlite", "file:"+p.location+"?_txlock=immediate")
	if err != nil {
		return false, err
	}
	defer db.Close()
	for range 50 { // the other server, which runs, is done in a moment
		tx, err := db.Begin()
		if err == nil {
			return true, tx.Rollback()
		}
		if !strings.Contains(err.Error(), "locked") && !strings.Contains(err.Error(), "busy") {
			return false, err
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false, nil
}
