package config_test

// badOperations are badFiles in which what is wrong is in an operation, or in several places.
var badOperations = []badFile{
	// operations and requests
	{"names of operations", targetLine + "operations: {Create Order: {request: {method: POST, path: /}}, 'a&b': {request: {method: POST, path: /}}}\n", []string{
		`2:14: operations["Create Order"]: found "Create Order", expected a name of small letters, digits and single hyphens, such as create-ticket`,
		`2:64: operations["a&b"]: found "a&b", expected a name of small letters, digits and single hyphens, such as create-ticket`,
	}},
	{"a request that reads", sent("request: {method: GET, path: /a}"), []string{
		`4:23: operations.a.request.method: found GET, expected a method that writes, such as POST`,
	}},
	{"spelling of a method", sent("request: {method: post, path: /a}"), []string{
		`4:23: operations.a.request.method: found "post", expected a method in capitals (did you mean "POST"?)`,
	}},
	{"a path that is none", sent("request: {method: POST, path: a b}"), []string{
		`4:36: operations.a.request.path: found ' ', expected it escaped: %20`,
	}},
	{"a path elsewhere", sent("request: {method: POST, path: 'http://elsewhere.test/a'}"), []string{
		`4:35: operations.a.request.path: found "http://elsewhere.test/a", expected a path on the target, such as /v1/tickets`,
	}},
	{"braces in a path", sent("request: {method: POST, path: '/a/{id}/{'}"), []string{
		`4:39: operations.a.request.path: found an unknown placeholder {id}, expected one of {body:/…}, {answer:/…}, {setup.NAME:/…}, {key}, {port}, {dir}, {downstream}, {store}, {duration}, ${NAME}, or {{id}} for the text itself`,
	}},
	{"headers that the run writes", sent("request: {method: POST, path: /a, headers: {Host: x, content-length: '1', Idempotency-Key: k, X: '{kye}'}}"), []string{
		`4:55: operations.a.request.headers.Host: found the field Host, expected none: the run writes it`,
		`4:74: operations.a.request.headers.content-length: found the field Content-Length, expected none: the run writes it`,
		`4:96: operations.a.request.headers.Idempotency-Key: found the header that carries the key, expected none: the run writes it (contract.name)`,
		`4:103: operations.a.request.headers.X: found an unknown placeholder {kye}, expected one of {body:/…}, {answer:/…}, {setup.NAME:/…}, {key}, {port}, {dir}, {downstream}, {store}, {duration}, ${NAME}, or {{kye}} for the text itself (did you mean {key}?)`,
	}},
	{"two bodies", sent("request: {method: POST, path: /a, body: {}, body_text: x, body_file: y}"), []string{
		`4:49: operations.a.request: found body and body_text, expected only one of body, body_text or body_file`,
		`4:63: operations.a.request: found body and body_file, expected only one of body, body_text or body_file`,
		`4:74: operations.a.request.body_file: found "y", expected a file beside the configuration: no such file or directory`,
	}},
	{"a file that is not there", sent("request: {method: POST, path: /a, body_file: nowhere.json}"), []string{
		`4:50: operations.a.request.body_file: found "nowhere.json", expected a file beside the configuration: no such file or directory`,
	}},
	{"what a body does not take", sent("request: {method: POST, path: /a, body: {a: '{answer:/id}', b: ['x {prot}', '{dir}'], c: '{setup.p:/id}', d: '${NONE}', e: '{body:/a}'}}"), []string{
		`4:50: operations.a.request.body.a: found {answer:/id}, expected what the caller holds before an answer, which may be lost: {key} or ${NAME}`,
		`4:72: operations.a.request.body.b[0]: found an unknown placeholder {prot}, expected one of {body:/…}, {answer:/…}, {setup.NAME:/…}, {key}, {port}, {dir}, {downstream}, {store}, {duration}, ${NAME}, or {{prot}} for the text itself (did you mean {port}?)`,
		`4:82: operations.a.request.body.b[1]: found {dir}, expected none: only a target that the run starts (target.lifecycle.process or container) has a folder`,
		`4:95: operations.a.request.body.c: found {setup.p:/id}, expected no step of the setup: there is none before it`,
		`4:115: operations.a.request.body.d: found ${NONE}, which is not set, expected an environment variable that is`,
		`4:129: operations.a.request.body.e: found {body:/a}, expected {key} or ${NAME}`,
	}},
	{"what a text does not take", sent("request: {method: POST, path: /a, body_text: \"a={answer:/id}&b={body:/x\"}"), []string{
		`4:68: operations.a.request.body_text: found "{body:", expected a JSON Pointer and a closing brace, such as {body:/id}`,
	}},
	{"setup steps", sent("setup:", "  - {name: a, method: POST, path: '/x/{setup.b:/id}'}", "  - {name: a, method: get, path: '/x/{setup.c:/id}'}", "  - {name: b c, method: POST, path: /x}", "request: {method: POST, path: '/{setup.aa:/id}'}"), []string{
		`5:43: operations.a.setup[0].path: found {setup.b:/id}, expected no step of the setup: there is none before it`,
		`6:16: operations.a.setup[1].name: found the name "a" again, expected each step once`,
		`6:27: operations.a.setup[1].method: found "get", expected a method in capitals (did you mean "GET"?)`,
		`6:42: operations.a.setup[1].path: found {setup.c:/id}, expected a step of the setup: a`,
		`7:16: operations.a.setup[2].name: found "b c", expected a name of letters, digits, - and _, such as project`,
		`8:37: operations.a.request.path: found {setup.aa:/id}, expected a step of the setup: a`,
	}},
	// unique and vary
	{"places that are none", write("unique: [t, /tt, /o, /o/p, /t, /t, '']"), []string{
		`5:14: operations.a.unique[0]: found "t", expected a JSON Pointer such as /title`,
		`5:17: operations.a.unique[1]: found "/tt", expected a place in the request's body (did you mean "/t"?)`,
		`5:22: operations.a.unique[2]: found /o, which names an object, expected a text or a number, which can be made unique`,
		`5:26: operations.a.unique[3]: found /o/p, which names null, expected a text or a number, which can be made unique`,
		`5:36: operations.a.unique[5]: found "/t" again, expected each place once`,
		`5:40: operations.a.unique[6]: found "", expected a JSON Pointer such as /title`,
	}},
	{"places without a body", sent("request: {method: POST, path: /a}", "unique: [/t]", "vary: {/t: {}}"), []string{
		`5:14: operations.a.unique[0]: found "/t", expected a request with a JSON body, which it could name a place in`,
		`6:16: operations.a.vary["/t"]: found "/t", expected a request with a JSON body, which it could name a place in`,
	}},
	{"places in a text", sent("request: {method: POST, path: /a, body_text: 'a=b'}", "unique: [/t]", "samples: {invalid: {t: 1}}"), []string{
		`5:14: operations.a.unique[0]: found "/t", expected a request with a JSON body, which it could name a place in`,
		`6:24: operations.a.samples.invalid: found a change of the body, expected a request with a JSON body, which it could change`,
	}},
	{"the key varies", sent(`request: {method: POST, path: /a, body: {ref: "{key}", n: 1}}`, "vary: {/ref: {}, /n: {}}"), []string{
		`5:12: operations.a.vary["/ref"]: found "/ref" (is a unique marker, or holds the key, which never varies), expected a place that can be varied`,
	}},
	{"what cannot vary", write("unique: [/t]", "vary: {/t: {}, /m: {}, n: {}, '?q': {}, /n: {min: 2, max: 1}}"), []string{
		`6:12: operations.a.vary["/t"]: found "/t" (is a unique marker, or holds the key, which never varies), expected a place that can be varied`,
		`6:24: operations.a.vary["/m"]: found "/m", expected a place in the request's body (did you mean "/t"?)`,
		`6:28: operations.a.vary.n: found "n", expected a JSON Pointer such as /priority, or ?NAME for a parameter of the query`,
		`6:35: operations.a.vary["?q"]: found "?q" (the request has no query parameter of that name), expected a place that can be varied`,
		`6:45: operations.a.vary["/n"]: found "/n" (min 2 is greater than max 1), expected a place that can be varied`,
	}},
	// effects
	{"effects that are none or several", write("effects: [{}, {http: {get: /a, items: $}, value: {get: /a, at: $.n}}]"), []string{
		`5:15: operations.a.effects[0]: found none of them, expected exactly one of http, value, sql, command or downstream`,
		`5:47: operations.a.effects[1]: found http and value, expected only one of http, value, sql, command or downstream`,
	}},
	{"what an effect does not take", write("effects:", "  - http: {get: '/a?t={body:/tt}&i={answer:/id}', items: '$.[', id: '$..id', next: next}", "  - value: {get: a, at: '$.a[*]'}"), []string{
		`6:27: operations.a.effects[0].http.get: found {body:/tt}, expected a place in the request's body (did you mean {body:/t}?)`,
		`6:40: operations.a.effects[0].http.get: found {answer:/id}, expected what the caller holds before an answer, which may be lost: {body:/…}, {key} or ${NAME}`,
		`6:62: operations.a.effects[0].http.items: found "$.[", expected a JSONPath such as $.items[*] (unexpected '[' at position 3)`,
		`6:73: operations.a.effects[0].http.id: found "$..id", expected a JSONPath that names one place, such as $.id`,
		`6:88: operations.a.effects[0].http.next: found "next", expected a JSONPath such as $.items[*] (unexpected identifier at position 1)`,
		`7:22: operations.a.effects[1].value.get: found "a", expected a path that begins with /`,
		`7:29: operations.a.effects[1].value.at: found "$.a[*]", expected a JSONPath that names one place, such as $.id`,
	}},
	{"databases", write("effects:", "  - sql: {driver: sqlite, dsn: '', query: ''}", "  - sql: {driver: postgres, dsn: 'postgres://%', query: \"delete from a where t = '{body:/t}'\"}", "  - sql: {driver: sqlite, dsn: '{dir}/db', query: 'select {key}'}"), []string{
		`6:36: operations.a.effects[0].sql.dsn: found nothing, expected where the database is`,
		`6:47: operations.a.effects[0].sql.query: found "", expected a query that reads: select …`,
		`7:38: operations.a.effects[1].sql.dsn: found what is no address of a PostgreSQL database, expected a URL such as postgres://user@127.0.0.1:5432/orders`,
		`7:61: operations.a.effects[1].sql.query: found "delete from a where t = '{body:/t}'", expected a query that reads: select …`,
		`7:87: operations.a.effects[1].sql.query: found {body:/t} in quotes or in a comment, expected it without quotes: it is bound as a parameter`,
		`8:37: operations.a.effects[2].sql.dsn: found {dir}, expected none: only a target that the run starts (target.lifecycle.process or container) has a folder`,
	}},
	{"another database", write("effects: [{sql: {driver: mysql, dsn: x, query: select 1}}]"), []string{
		`5:30: operations.a.effects[0].sql.driver: found "mysql", expected postgres or sqlite`,
	}},
	{"a quoted parameter", write("effects: [{sql: {driver: sqlite, dsn: x, query: \"select id from a where t = '{body:/t}'\"}}]"), []string{
		`5:82: operations.a.effects[0].sql.query: found {body:/t} in quotes or in a comment, expected it without quotes: it is bound as a parameter`,
	}},
	{"a gate that is not there", write("effects: [{downstream: {}}]"), []string{
		`5:16: operations.a.effects[0].downstream: found an effect downstream, expected target.downstream, where it would be seen`,
	}},
	{"a gate's path", around("target: {url: '${URL}', downstream: {listen: '127.0.0.1:0'}}") + "    effects: [{downstream: {method: post, path: x}}]\n", []string{
		`5:37: operations.a.effects[0].downstream.method: found "post", expected a method in capitals (did you mean "POST"?)`,
		`5:49: operations.a.effects[0].downstream.path: found "x", expected a path that begins with /`,
	}},
	{"commands that are the same for all", write("unique: [/t]", "effects:", "  - command: {run: [count, '{body:/n}']}", "  - command: {run: ['']}", "  - command: {run: [count, '{body:/t}', '{port}']}"), []string{
		`7:24: operations.a.effects[0].command.run: found a command that is the same for every intent, expected a placeholder such as {key} or {body:/t}, or isolate: exclusive`,
		`8:24: operations.a.effects[1].command.run: found a command that is the same for every intent, expected a placeholder such as {key} or {body:/t}, or isolate: exclusive`,
		`8:25: operations.a.effects[1].command.run[0]: found nothing, expected a program`,
		`9:46: operations.a.effects[2].command.run[2]: found {port}, expected a port: only a target that the run starts (target.lifecycle.process or container) is given one`,
	}},
	// status, samples, alter, isolation
	{"states", write("status: {get: '/o/{key}', state: $.s, states: {running: [r], in_progress: [q, q], faild: [f]}}"), []string{
		`5:52: operations.a.status.states.running: found "running", expected one of in_progress, succeeded, failed or unknown`,
		`5:83: operations.a.status.states.in_progress[1]: found "q", which is in_progress already, expected each word once`,
		`5:87: operations.a.status.states.faild: found "faild", expected one of in_progress, succeeded, failed or unknown (did you mean "failed"?)`,
	}},
	{"a status that needs the answer", write("status: {get: '/o/{answer:/id}', state: '$[', reference: '$..x'}"), []string{
		`5:23: operations.a.status.get: found {answer:/id}, expected what the caller holds before an answer, which may be lost: {body:/…}, {key} or ${NAME}`,
		`5:45: operations.a.status.state: found "$[", expected a JSONPath such as $.items[*] (unexpected eof at position 3)`,
		`5:62: operations.a.status.reference: found "$..x", expected a JSONPath that names one place, such as $.id`,
	}},
	{"samples", write("samples: {invalid: 1, refuse: {}}"), []string{
		`5:24: operations.a.samples.invalid: found the number 1, expected a mapping`,
		`5:27: operations.a.samples.refuse: found an unknown field, expected crash, invalid or refused (did you mean "refused"?)`,
	}},
	{"templates in samples", write("samples: {crash: {t: '{keyy}', u: ['{dir}']}}"), []string{
		`5:27: operations.a.samples.crash.t: found an unknown placeholder {keyy}, expected one of {body:/…}, {answer:/…}, {setup.NAME:/…}, {key}, {port}, {dir}, {downstream}, {store}, {duration}, ${NAME}, or {{keyy}} for the text itself (did you mean {key}?)`,
		`5:41: operations.a.samples.crash.u[0]: found {dir}, expected none: only a target that the run starts (target.lifecycle.process or container) has a folder`,
	}},
	{"alterations", write("alter: {method: PATCH, path: '/a/{answer:/id}/{setup.x:/id}', body: {}, body_text: x}"), []string{
		`5:51: operations.a.alter.path: found {setup.x:/id}, expected no step of the setup: there is none before it`,
		`5:77: operations.a.alter: found body and body_text, expected only one of body, body_text or body_file`,
	}},
	{"an unknown isolation", write("isolate: markers"), []string{
		`5:14: operations.a.isolate: found "markers", expected marker, parent or exclusive (did you mean "marker"?)`,
	}},
	{"markers without a place", write("isolate: marker"), []string{
		`5:14: operations.a.isolate: found marker, expected unique: places in the body that tell an intent's effects from all others`,
	}},
	{"a parent without a setup", write("isolate: parent"), []string{
		`5:14: operations.a.isolate: found parent, expected a place of the intent's own: {setup.NAME:/id} in the request or an effect, or {key} in an effect`,
	}},
	{"a parent that nobody names", write("setup: [{name: p, method: POST, path: /p}]", "isolate: parent"), []string{
		`6:14: operations.a.isolate: found parent, expected a place of the intent's own: {setup.NAME:/id} in the request or an effect, or {key} in an effect`,
	}},
	// several at once
	{"several at once, in the order of the file", "target: {url: ftp, nam: x}\noperations:\n  B:\n    request: {method: POST, path: a}\n    unique: [t]\n    status: {get: /a}\n", []string{
		`1:15: target.url: found "ftp", expected a URL such as http://127.0.0.1:8080`,
		`1:20: target.nam: found an unknown field, expected clock, downstream, lifecycle, name, replicas, store, tenants or url (did you mean "name"?)`,
		`3:3: operations.B: found "B", expected a name of small letters, digits and single hyphens, such as create-ticket`,
		`4:35: operations.B.request.path: found "a", expected a path that begins with /`,
		`5:14: operations.B.unique[0]: found "t", expected a JSON Pointer such as /title`,
		`6:5: operations.B.status: found no state, expected one`,
	}},
}
