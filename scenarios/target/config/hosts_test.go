package config

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/oncespec/oncespec/faults/leaktest"
)

// names are what the tests' resolver knows.
var names = map[string]string{
	"localhost":             "127.0.0.1 ::1",
	"staging.example.test":  "192.0.2.7",
	"here.example.test":     "127.0.0.1",
	"both.example.test":     "127.0.0.1 192.0.2.7",
	"meta.example.test":     "169.254.169.254",
	"api-prod.example.test": "192.0.2.9",
}

func TestMain(m *testing.M) {
	resolve = func(_ context.Context, host string) ([]netip.Addr, error) {
		list, ok := names[host]
		if !ok {
			return nil, errors.New("no such host")
		}
		var out []netip.Addr
		for _, a := range strings.Fields(list) {
			out = append(out, netip.MustParseAddr(a))
		}
		return out, nil
	}
	leaktest.Main(m)
}

func TestHostsThatMayBeTouched(t *testing.T) {
	t.Parallel()
	const operation = "operations: {a: {request: {method: POST, path: /a}}}\n"
	for _, c := range []struct {
		name   string
		file   string
		remote bool
		want   []string // one for each problem; none: it may be touched
	}{
		{"loopback", "target: {url: 'http://127.0.0.1:1'}\n" + operation, false, nil},
		{"all of it", "target: {url: 'http://127.9.8.7:1'}\n" + operation, false, nil},
		{"IPv6", "target: {url: 'http://[::1]:1'}\n" + operation, false, nil},
		{"mapped", "target: {url: 'http://[::ffff:127.0.0.1]:1'}\n" + operation, false, nil},
		{"localhost", "target: {url: 'http://localhost:1'}\n" + operation, false, nil},
		{"a name of this machine", "target: {url: 'http://here.example.test'}\n" + operation, false, nil},
		{"a port to be chosen", "target: {url: 'http://127.0.0.1:{port}', lifecycle: {process: {command: [x]}}}\n" + operation, false, nil},
		{"a host that nobody allows", "target: {url: 'http://staging.example.test'}\n" + operation, true, []string{"1:15: target.url: found the host staging.example.test at 192.0.2.7, expected a host on this machine, or one that allow_hosts names, with --allow-remote given"}},
		{"an allowed host without the flag", "target: {url: 'http://staging.example.test'}\nallow_hosts: [staging.example.test]\n" + operation, false, []string{"1:15: target.url: found the host staging.example.test, which is not this machine, expected --allow-remote to be given too: writes would be sent there"}},
		{"an allowed host with the flag", "target: {url: 'http://staging.example.test'}\nallow_hosts: [Staging.example.test]\n" + operation, true, nil},
		{"an allowed address with the flag", "target: {url: 'http://192.0.2.7'}\nallow_hosts: [192.0.2.7]\n" + operation, true, nil},
		{"a name of this machine and of another", "target: {url: 'http://both.example.test'}\n" + operation, false, []string{"found the host both.example.test at 127.0.0.1, 192.0.2.7, expected a host on this machine"}},
		{"where clouds keep their secrets", "target: {url: 'http://meta.example.test'}\nallow_hosts: [meta.example.test]\n" + operation, true, []string{"found the host meta.example.test at 169.254.169.254, expected an address of a host"}},
		{"a name that nobody knows", "target: {url: 'http://nowhere.example.test'}\nallow_hosts: [nowhere.example.test]\n" + operation, true, []string{"found the host nowhere.example.test, which cannot be resolved (no such host)"}},
		{"production", "target: {name: Orders (Live), url: 'http://api-prod.example.test'}\nallow_hosts: [api-prod.example.test]\n" + operation, true, []string{
			`1:16: target.name: found "Orders (Live)", which looks like production ("Live"), expected a test environment`,
			`1:36: target.url: found "api-prod.example.test", which looks like production ("prod")`,
		}},
		{"names that only contain it", "target: {name: delivery products alive, url: 'http://127.0.0.1'}\n" + operation, false, nil},
		{"a live key in a tenant's header", "target: {url: 'http://127.0.0.1', tenants: {a: {headers: {Authorization: Bearer sk_live_abcd1234}}}}\n" + operation, false, []string{"1:74: target.tenants.a.headers.Authorization: found what looks like a live key, expected a test key"}},
		{"a live key in the environment", "target: {url: 'http://127.0.0.1', tenants: {a: {headers: {Authorization: '${KEY}'}}}}\n" + operation, false, []string{"found what looks like a live key in ${KEY}, expected a test key"}},
		{"a live key in a body", "target: {url: 'http://127.0.0.1'}\noperations: {a: {request: {method: POST, path: /a, body: {keys: [test_abcd, live_dHar4XY7LxsDOtmnkVtj]}}}}\n", false, []string{"2:77: operations.a.request.body.keys[1]: found what looks like a live key"}},
		{"names with live in them", "target: {url: 'http://127.0.0.1'}\noperations: {a: {request: {method: POST, path: /live-demo1, body: {room: live-2026-session-recordings, at: live_abcd1234}}}}\n", false, nil},
		{"a database elsewhere", "target: {url: 'http://127.0.0.1'}\noperations: {a: {request: {method: POST, path: /a}, effects: [{sql: {driver: postgres, dsn: 'postgres://u@staging.example.test/orders_live', query: select 1}}]}}\n", false, []string{
			`operations.a.effects[0].sql.dsn: found "orders_live", which looks like production ("live")`,
			"operations.a.effects[0].sql.dsn: found the host staging.example.test at 192.0.2.7, expected a host on this machine",
		}},
		{"a database here", "target: {url: 'http://127.0.0.1'}\noperations: {a: {request: {method: POST, path: /a}, effects: [{sql: {driver: postgres, dsn: 'host=/run/postgresql dbname=orders', query: select 1}}]}}\n", false, nil},
		{"replicas", "target: {url: 'http://127.0.0.1:1', replicas: ['http://127.0.0.1:2', 'http://staging.example.test:1']}\n" + operation, true, []string{"target.replicas[1]: found the host staging.example.test at 192.0.2.7"}},
		{"a toxiproxy elsewhere", "target: {url: 'http://127.0.0.1:1'}\ntoxiproxy: {url: 'http://staging.example.test:8474'}\n" + operation, true, []string{"toxiproxy.url: found the host staging.example.test at 192.0.2.7"}},
		{"behind a toxiproxy", "target: {url: 'http://orders:1', replicas: ['http://other:1', 'http://prod:1', 'http://169.254.169.254:80']}\ntoxiproxy: {url: 'http://127.0.0.1:8474'}\nallow_hosts: [orders, prod, 169.254.169.254]\n" + operation, true, []string{
			"target.replicas[0]: found the host other, behind the Toxiproxy, expected one on the Toxiproxy's machine, or one that allow_hosts names",
			`target.replicas[1]: found "prod", which looks like production`,
			"target.replicas[2]: found the host 169.254.169.254, expected an address of a host",
		}},
		{"behind a toxiproxy, without the flag", "target: {url: 'http://orders:1'}\ntoxiproxy: {url: 'http://127.0.0.1:8474'}\nallow_hosts: [orders]\n" + operation, false, []string{"target.url: found the host orders, which is not this machine, expected --allow-remote"}},
		{"a store behind a toxiproxy", "target: {url: 'http://localhost:1', store: {listen: '0.0.0.0:15432', upstream: 'db:5432'}}\ntoxiproxy: {url: 'http://127.0.0.1:8474'}\n" + operation, true, []string{
			"target.store.upstream: found the host db, behind the Toxiproxy, expected one on the Toxiproxy's machine, or one that allow_hosts names"}},
		{"a store on the toxiproxy's machine", "target: {url: 'http://localhost:1', store: {listen: '0.0.0.0:15432', upstream: '127.0.0.1:5432'}}\ntoxiproxy: {url: 'http://127.0.0.1:8474'}\n" + operation, true, nil},
		{"on the toxiproxy's machine", "target: {url: 'http://localhost:1'}\ntoxiproxy: {url: 'http://127.0.0.1:8474'}\n" + operation, false, nil},
		{"a gate for everybody", "target: {url: 'http://127.0.0.1', downstream: {listen: '0.0.0.0:9099'}}\n" + operation, true, []string{"target.downstream.listen: found the host 0.0.0.0 at 0.0.0.0, expected an address of a host"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg, err := Parse("x.yaml", []byte(c.file), func(string) (string, bool) { return "rk-live-00000000", true })
			if err != nil {
				t.Fatal(err)
			}
			err = CheckHosts(cfg, c.remote)
			var problems Problems
			if err != nil && !errors.As(err, &problems) {
				t.Fatalf("%v, want Problems", err)
			}
			if len(problems) != len(c.want) {
				t.Fatalf("%v, want %d problems", err, len(c.want))
			}
			for i, p := range problems {
				if !strings.Contains(p.String(), c.want[i]) {
					t.Errorf("problem %q, want one with %q", p.String(), c.want[i])
				}
			}
		})
	}
}
