package config_test

// badFile is a file that is refused.
type badFile struct {
	name string
	file string
	want []string
}

// badFiles are files with what is wrong in them: line, column, place, what was found and expected, and what was meant.
var badFiles = []badFile{
	// not YAML
	{"nothing", "", []string{
		`1:1: found an empty file, expected target and operations`,
	}},
	{"only a comment", "# hello\n", []string{
		`1:1: found an empty file, expected target and operations`,
	}},
	{"no UTF-8", "a: 1\nb: \xff\n", []string{
		`2:4: found bytes that are no UTF-8, expected text`,
	}},
	{"a bracket that is not closed", "target: [1\n", []string{
		`1:9: found a syntax error, expected YAML: sequence end token ']' not found`,
	}},
	{"an unterminated text", "target: \"x\n", []string{
		`1:9: found a syntax error, expected YAML: could not find end character of double-quoted text`,
	}},
	{"wrong indentation", "target:\n  url: x\n name: y\n", []string{
		`3:2: found a syntax error, expected YAML: value is not allowed in this context`,
	}},
	{"two documents", targetLine + "---\na: 1\n", []string{
		`3:1: found a second document, expected one`,
	}},
	{"an alias of nothing", "target: *t\n", []string{
		`1:9: target: found *t, expected an alias of an anchor that stands before it: there is no &t`,
	}},
	{"a tag", "target: !!binary aGk=\n", []string{
		`1:9: target: found the tag "!!binary", expected none; a text that looks like something else may be quoted`,
	}},
	{"a number that is spelled in another way", write("vary: {/n: {enum: [0x10, 010, 1_000, .5, .inf]}}"), []string{
		`5:24: operations.a.vary["/n"].enum[0]: found the number 0x10, expected a number as JSON writes it, such as 10 or -0.5, or a text in quotes`,
		`5:30: operations.a.vary["/n"].enum[1]: found the number 010, expected a number as JSON writes it, such as 10 or -0.5, or a text in quotes`,
		`5:35: operations.a.vary["/n"].enum[2]: found the number 1_000, expected a number as JSON writes it, such as 10 or -0.5, or a text in quotes`,
		`5:42: operations.a.vary["/n"].enum[3]: found the number .5, expected a number as JSON writes it, such as 10 or -0.5, or a text in quotes`,
		`5:46: operations.a.vary["/n"].enum[4]: found the number .inf, expected a number as JSON writes it, such as 10 or -0.5, or a text in quotes`,
	}},
	{"a key that is no text", "target: {[1]: 2}\n", []string{
		`1:13: found a syntax error, expected YAML: found an invalid key for this map`,
	}},
	{"a key twice", "target: {url: 'http://127.0.0.1:1', name: a, name: b}\n" + operations + request + "  a: {}\n", []string{
		`1:46: target.name: found the key "name" again, first in line 1, expected each key once`,
		`5:3: operations.a: found the key "a" again, first in line 3, expected each key once`,
	}},
	// structure
	{"a list for a file", "[1]\n", []string{
		`1:1: found a list, expected a mapping`,
	}},
	{"nothing in it", "{}\n", []string{
		`1:1: found no operations, expected one`,
		`1:1: found no target, expected one`,
	}},
	{"no operations", targetLine + "operations: {}\n", []string{
		`2:13: operations: found no operation, expected at least one`,
	}},
	{"an operation of nothing", targetLine + "operations: {a: }\n", []string{
		`2:16: operations.a: found nothing, expected a mapping`,
	}},
	{"unknown fields", "target: {ulr: 'http://127.0.0.1:1', copies: []}\ntimeout: {}\n" + operations + request + "    efects: []\n    lifetime: 24h\n", []string{
		`1:1: target: found no url, expected one`,
		`1:10: target.ulr: found an unknown field, expected clock, downstream, lifecycle, name, replicas, store, tenants or url (did you mean "url"?)`,
		`1:37: target.copies: found an unknown field, expected clock, downstream, lifecycle, name, replicas, store, tenants or url`,
		`2:1: timeout: found an unknown field, expected allow_hosts, contract, limits, operations, target, timeouts or toxiproxy (did you mean "timeouts"?)`,
		`6:5: operations.a.efects: found an unknown field, expected alter, effects, isolate, openapi, request, samples, schema, setup, status, unique or vary (did you mean "effects"?)`,
		`7:5: operations.a.lifetime: found an unknown field, expected alter, effects, isolate, openapi, request, samples, schema, setup, status, unique or vary`,
	}},
	{"an unknown field in a contract", write("isolate: exclusive") + "contract: {profile: ietf-07, keepkeys: 24h, marker: {nmae: X}}\n", []string{
		`6:30: contract.keepkeys: found an unknown field, expected errors, expired, failed_retry, fidelity, fingerprint, in_flight, key, lifetime, malformed, marker, mismatch, mismatch_in_flight, missing, name, other_operation, profile, recovery, scope, sourced, stored, unknown_answers or volatile`,
		`6:54: contract.marker.nmae: found an unknown field, expected name, on_first or value (did you mean "name"?)`,
	}},
	{"wrong types", "target: {url: 8080, tenants: [a]}\n" + operations + "    request: {method: POST, path: /a, headers: {X: 1, Y: true}}\n    unique: /t\n    effects: {}\n", []string{
		`1:15: target.url: found the number 8080, expected text (in quotes, if it is meant)`,
		`1:30: target.tenants: found a list, expected a mapping`,
		`4:52: operations.a.request.headers.X: found the number 1, expected text (in quotes, if it is meant)`,
		`4:58: operations.a.request.headers.Y: found true, expected text (in quotes, if it is meant)`,
		`5:13: operations.a.unique: found "/t", expected a list`,
		`6:14: operations.a.effects: found an empty mapping, expected a list`,
	}},
	{"durations", write("effects: [{command: {run: [x], within: 5}}]") + "timeouts: {request: 5 s, settle: -1s, recovery: 99h}\n", []string{
		`5:44: operations.a.effects[0].command.within: found the number 5, expected a duration such as 300ms, 5s or 10m`,
		`6:21: timeouts.request: found "5 s", expected a duration such as 300ms, 5s or 10m`,
		`6:34: timeouts.settle: found "-1s", expected a duration such as 300ms, 5s or 10m`,
	}},
	{"a duration that is too long", write("isolate: exclusive") + "timeouts: {recovery: 99999999999h}\n", []string{
		`6:22: timeouts.recovery: found "99999999999h", expected a duration such as 300ms, 5s or 10m`,
	}},
	{"limits", write("isolate: exclusive") + "limits: {rate: -1, objects: 1.5, duration: forever}\n", []string{
		`6:16: limits.rate: found the number -1, expected at least 0`,
		`6:29: limits.objects: found the number 1.5, expected a whole number`,
		`6:44: limits.duration: found "forever", expected a duration such as 300ms, 5s or 10m`,
	}},
	{"an empty command", "target: {url: 'http://127.0.0.1:1', lifecycle: {process: {command: []}}}\n" + operations + request, []string{
		`1:68: target.lifecycle.process.command: found an empty list, expected at least one`,
	}},
	{"bounds of a vary", write("vary: {/n: {min: []}, /t: {type: strin}}"), []string{
		`5:22: operations.a.vary["/n"].min: found an empty list, expected a number`,
		`5:38: operations.a.vary["/t"].type: found "strin", expected integer, number, string, boolean, object, array or any (did you mean "string"?)`,
	}},
	{"a bound that is no number", write("vary: {/n: {min: few}}"), []string{
		`5:22: operations.a.vary["/n"].min: found "few", expected a decimal number such as 10 or 0.5`,
	}},
	// target
	{"a URL without a scheme", around("target: {url: '127.0.0.1:8080'}"), []string{
		`1:15: target.url: found "127.0.0.1:8080", expected a URL such as http://127.0.0.1:8080`,
	}},
	{"another scheme", around("target: {url: 'ftp://127.0.0.1'}"), []string{
		`1:15: target.url: found the scheme "ftp", expected http or https`,
	}},
	{"no host", around("target: {url: 'http:///x'}"), []string{
		`1:15: target.url: found "http:///x", expected a host, as in http://127.0.0.1:8080`,
	}},
	{"credentials in the URL", around("target: {url: 'http://a:b@127.0.0.1'}"), []string{
		`1:15: target.url: found credentials in the URL, expected them in target.tenants, as headers`,
	}},
	{"a path in the URL", around("target: {url: 'http://127.0.0.1/base/path'}"), []string{
		`1:15: target.url: found the path "/base/path", expected none: write it in front of each request's path`,
	}},
	{"a fragment in the URL", around("target: {url: 'http://127.0.0.1/#f'}"), []string{
		`1:15: target.url: found a fragment, expected none: it is never sent`,
	}},
	{"a query in the URL", around("target: {url: 'http://127.0.0.1/?a=b'}"), []string{
		`1:15: target.url: found a query, expected none: each request has its own`,
	}},
	{"no URL at all", around("target: {url: 'http://127.0.0.1:x y'}"), []string{
		`1:15: target.url: found "http://127.0.0.1:x y", expected a URL such as http://127.0.0.1:8080`,
	}},
	{"an empty URL", around("target: {url: ''}"), []string{
		`1:15: target.url: found "", expected some text`,
	}},
	{"a port that nobody chooses", around("target: {url: 'http://127.0.0.1:{port}'}"), []string{
		`1:33: target.url: found {port}, expected a port: only a target that the run starts (target.lifecycle.process or container) is given one`,
	}},
	{"an unknown placeholder in the URL", around("target: {url: 'http://127.0.0.1:{prot}/{key}'}"), []string{
		`1:33: target.url: found an unknown placeholder {prot}, expected one of {body:/…}, {answer:/…}, {setup.NAME:/…}, {key}, {port}, {dir}, {downstream}, {store}, {duration}, ${NAME}, or {{prot}} for the text itself (did you mean {port}?)`,
	}},
	{"a variable that is not set", around("target: {url: '${NOWHERE}'}"), []string{
		`1:16: target.url: found ${NOWHERE}, which is not set, expected an environment variable that is`,
	}},
	{"two default tenants", around("target: {url: '${URL}', tenants: {a: {default: true}, b: {default: true}}}"), []string{
		`1:68: target.tenants.b.default: found a second default tenant, expected one: a is the default`,
	}},
	{"headers of tenants", around("target: {url: '${URL}', tenants: {a b: {headers: {'X Y': '${TOKEN}', A: \"b\\nc\", a: '${BROKEN}', K: '${NONE}', L: '{key}'}}}}"), []string{
		`1:40: target.tenants["a b"]: found "a b", expected a name without spaces`,
		`1:51: target.tenants["a b"].headers["X Y"]: found "X Y", expected the name of a header field`,
		`1:73: target.tenants["a b"].headers.A: found a line break, expected a value on one line`,
		`1:81: target.tenants["a b"].headers.a: found the field A again, expected each field once`,
		`1:84: target.tenants["a b"].headers.a: found a line break in "${BROKEN}", expected a value on one line`,
		`1:101: target.tenants["a b"].headers.K: found ${NONE}, which is not set, expected an environment variable that is`,
		`1:115: target.tenants["a b"].headers.L: found {key}, expected ${NAME}`,
	}},
	{"two lifecycles", around("target: {url: '${URL}', lifecycle: {process: {command: [x]}, hooks: {kill: x}}}"), []string{
		`1:62: target.lifecycle: found process and hooks, expected only one of process, container or hooks`,
	}},
	{"replicas that are the target again", around("target: {url: 'http://127.0.0.1:1', replicas: ['http://127.0.0.1:1', 'ftp://127.0.0.1:2', 'http://127.0.0.1:3/x']}"), []string{
		`1:48: target.replicas[0]: found the URL of target.url again, expected another instance's`,
		`1:70: target.replicas[1]: found the scheme "ftp", expected http or https`,
		`1:91: target.replicas[2]: found the path "/x", expected none: write it in front of each request's path`,
	}},
	{"replicas that nothing tells apart", around("target: {url: 'http://127.0.0.1:1', replicas: ['http://127.0.0.1:2'], lifecycle: {process: {command: [x]}}}"), []string{
		`1:92: target.lifecycle.process: found a command that is the same for all instances, expected {port} in command or env, where each one's port is filled in`,
	}},
	{"a store behind a toxiproxy that cannot be", around("toxiproxy: {url: 'http://127.0.0.1:8474'}\ntarget: {url: 'http://127.0.0.1:1', store: {listen: '0.0.0.0:9-8', upstream: /var/run/db}}"), []string{
		`2:53: target.store.listen: found "0.0.0.0:9-8", expected host:port, such as 0.0.0.0:15432, or host:first-last, where the Toxiproxy listens`,
		`2:78: target.store.upstream: found "/var/run/db", expected host:port: a socket in the file system cannot be put a link in front of`,
	}},
	{"a toxiproxy that cannot be", around("toxiproxy: {url: 'tcp://x', listen: '127.0.0.1:9-8'}\ntarget: {url: 'http://127.0.0.1'}"), []string{
		`1:18: toxiproxy.url: found "tcp://x", expected a URL such as http://127.0.0.1:8474`,
		`1:37: toxiproxy.listen: found "127.0.0.1:9-8", expected host:port, such as 0.0.0.0:0, or host:first-last, such as 0.0.0.0:21000-21009`,
		`2:15: target.url: found no port, expected one, such as http://127.0.0.1:8080, which the proxy leads to`,
	}},
	{"a pause for ever", around("target: {url: 'http://127.0.0.1:1', lifecycle: {hooks: {kill: x, pause: y}}}"), []string{
		`1:56: target.lifecycle.hooks: found only one of pause and resume, expected both or none: what is paused has to go on`,
	}},
	{"a container of nothing", boxed("{}"), []string{
		`1:60: target.lifecycle.container: found none of them, expected exactly one of image, build or program`,
	}},
	{"a container of too much", boxed("{image: i, program: p}"), []string{
		`1:71: target.lifecycle.container: found image and program, expected only one of image, build or program`,
	}},
	{"what a container cannot be", boxed("{image: 'a b', files: {x: ''}, volume: data, port: 70000}"), []string{
		`1:111: target.lifecycle.container.port: found the number 70000, expected at most 65535`,
	}},
	{"what a container cannot have", boxed("{image: 'a b', files: {x: ''}, volume: data, env: {A=B: c}}"), []string{
		`1:68: target.lifecycle.container.image: found "a b", expected the name of an image, such as registry.example.test/orders:1`,
		`1:75: target.lifecycle.container.files: found files without a program, expected program, whose image they would be added to`,
		`1:83: target.lifecycle.container.files.x: found "x", expected an absolute path in the container, such as /etc/orders.yaml`,
		`1:86: target.lifecycle.container.files.x: found nothing, expected a file`,
		`1:99: target.lifecycle.container.volume: found "data", expected an absolute path of a folder in the container, such as /data`,
		`1:116: target.lifecycle.container.env["A=B"]: found "A=B", expected the name of an environment variable`,
	}},
	{"a container's folder without a volume", boxed("{image: i, command: ['{dir}/db']}"), []string{
		`1:82: target.lifecycle.container.command[0]: found {dir}, expected none: a container has no folder but its volume, which only the container sees`,
	}},
	{"a probe into a container", boxed("{image: i, volume: /data}", "effects: [{sql: {driver: sqlite, dsn: '{dir}/db', query: select 1}}, {command: {run: [ls, '{dir}']}}]"), []string{
		`5:44: operations.a.effects[0].sql.dsn: found {dir}, expected none: a container has no folder but its volume, which only the container sees`,
		`5:96: operations.a.effects[1].command.run[1]: found {dir}, expected none: a container has no folder but its volume, which only the container sees`,
	}},
	{"a container elsewhere", around("target: {url: 'http://192.0.2.1:1', lifecycle: {container: {image: i}}}"), []string{
		`1:15: target.url: found the host 192.0.2.1, expected one on this machine, such as 127.0.0.1, where the container is reached`,
	}},
	{"a build without a folder", boxed("{build: {dockerfile: D}}"), []string{
		`1:61: target.lifecycle.container.build: found no context, expected one`,
	}},
	{"no lifecycle", around("target: {url: '${URL}', lifecycle: {}}"), []string{
		`1:36: target.lifecycle: found none of them, expected exactly one of process, container or hooks`,
	}},
	{"hooks that do not kill", around("target: {url: '${URL}', lifecycle: {hooks: {start: x}}}"), []string{
		`1:37: target.lifecycle.hooks: found no kill, expected one`,
	}},
	{"a command with what it does not take", around("target: {url: '${URL}', lifecycle: {process: {command: ['', '{key}', '{downstream}', '{dri}'], env: {'A=B': '{body:/x}'}, ready: {http: healthz}}}}"), []string{
		`1:57: target.lifecycle.process.command[0]: found nothing, expected a program`,
		`1:62: target.lifecycle.process.command[1]: found {key}, expected {port}, {dir}, {downstream}, {store} or ${NAME}`,
		`1:71: target.lifecycle.process.command[2]: found {downstream}, expected target.downstream, which it is the URL of`,
		`1:87: target.lifecycle.process.command[3]: found an unknown placeholder {dri}, expected one of {body:/…}, {answer:/…}, {setup.NAME:/…}, {key}, {port}, {dir}, {downstream}, {store}, {duration}, ${NAME}, or {{dri}} for the text itself (did you mean {dir}?)`,
		`1:109: target.lifecycle.process.env["A=B"]: found "A=B", expected the name of an environment variable`,
		`1:110: target.lifecycle.process.env["A=B"]: found {body:/x}, expected {port}, {dir}, {downstream}, {store} or ${NAME}`,
		`1:137: target.lifecycle.process.ready.http: found "healthz", expected a path that begins with /`,
	}},
	{"a gate", around("target: {url: '${URL}', downstream: {listen: '9099', key: {header: 'a b', query: k}, routes: [{path: x}, {path: /**/x, method: post}, {path: /a, headers: {a b: c}}]}}"), []string{
		`1:46: target.downstream.listen: found "9099", expected host:port, such as 127.0.0.1:9099, or port 0 for any`,
		`1:68: target.downstream.key.header: found "a b", expected the name of a request header field`,
		`1:75: target.downstream.key: found header and query, expected only one of header, body or query`,
		`1:102: target.downstream.routes[0].path: found "x", expected a path that begins with /`,
		`1:113: target.downstream.routes[1].path: found "/**/x", expected ** at the end only`,
		`1:128: target.downstream.routes[1].method: found "post", expected a method in capitals (did you mean "POST"?)`,
		`1:156: target.downstream.routes[2].headers["a b"]: found "a b", expected the name of a header field`,
	}},
	{"statuses of a gate", around("target: {url: '${URL}', downstream: {listen: '127.0.0.1:0', routes: [{path: /, status: 99}, {path: /, status: 600}]}}"), []string{
		`1:88: target.downstream.routes[0].status: found the number 99, expected at least 100`,
		`1:111: target.downstream.routes[1].status: found the number 600, expected at most 599`,
	}},
	{"a store link", around("target: {url: '${URL}', store: {listen: '15432', upstream: '/run/postgresql'}}"), []string{
		`1:41: target.store.listen: found "15432", expected host:port, such as 127.0.0.1:15432, or port 0 for any`,
		`1:60: target.store.upstream: found "/run/postgresql", expected host:port: a socket in the file system cannot be put a link in front of`,
	}},
	{"a store link to nowhere", around("target: {url: '${URL}', store: {listen: '127.0.0.1:1', upstream: '127.0.0.1:0'}}"), []string{
		`1:66: target.store.upstream: found "127.0.0.1:0", expected host:port of the database, such as 127.0.0.1:5432`,
	}},
	{"a store link to itself", around("target: {url: '${URL}', store: {listen: '127.0.0.1:1', upstream: '127.0.0.1:1'}}"), []string{
		`1:66: target.store.upstream: found "127.0.0.1:1", where the link itself listens, expected the database`,
	}},
	{"half a store link", around("target: {url: '${URL}', store: {listen: '127.0.0.1:1'}}"), []string{
		`1:25: target.store: found no upstream, expected one`,
	}},
	{"a store link that nobody finds", around("target: {url: '${URL}', store: {listen: '127.0.0.1:0', upstream: '127.0.0.1:1'}}"), []string{
		`1:41: target.store.listen: found "127.0.0.1:0", a port that nobody is told, expected a fixed port: only a target that the run starts (target.lifecycle) learns which was chosen`,
	}},
	{"a placeholder for no store link", around("target: {url: '${URL}', lifecycle: {process: {command: [x, '{store}']}}}"), []string{
		`1:61: target.lifecycle.process.command[1]: found {store}, expected target.store, which it is the address of`,
	}},
	{"a gate's key in a body", around("target: {url: '${URL}', downstream: {listen: '127.0.0.1:0', key: {body: id}}}"), []string{
		`1:73: target.downstream.key.body: found "id", expected a JSON Pointer such as /items/0/id`,
	}},
	{"hosts", write("isolate: exclusive") + "allow_hosts: ['http://x', '', 'a:1', '::1']\n", []string{
		`6:15: allow_hosts[0]: found "http://x", expected the name or address of a host, without scheme and port`,
		`6:27: allow_hosts[1]: found "", expected the name or address of a host, without scheme and port`,
		`6:31: allow_hosts[2]: found "a:1", expected the name or address of a host, without scheme and port`,
	}},
	// contract
	{"words of a contract", write("isolate: exclusive") + "contract:\n  profile: ietf-07\n  missing: {action: refused}\n  mismatch: {action: refuse, statuses: [200]}\n  scope: [acount, method]\n", []string{
		`8:21: contract.missing.action: found "refused", expected one of refuse, execute, or nothing for unspecified (did you mean "refuse"?)`,
		`9:41: contract.mismatch.statuses[0]: found "200", expected a status from 400 to 599`,
		`10:11: contract.scope[0]: found "acount", expected one of global, account, method, route (did you mean "account"?)`,
	}},
	{"an unknown profile", write("isolate: exclusive") + "contract: {profile: ietf-7}\n", []string{
		`6:21: contract.profile: found "ietf-7", expected one of ietf-07, stripe-v1 (did you mean "ietf-07"?)`,
	}},
	{"a sourced contract", write("isolate: exclusive") + "contract: {sourced: hearsay}\n", []string{
		`6:21: contract.sourced: found "hearsay", expected nothing: a profile says this of itself`,
	}},
}
