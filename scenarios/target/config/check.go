package config

import (
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/theory/jsonpath"
	"golang.org/x/net/http/httpguts"

	"github.com/oncespec/oncespec/scenarios/rewrite"
)

// checker holds a configuration to the rules that the schema cannot say.
type checker struct {
	*document
	config   *Config
	env      func(string) (string, bool)
	problems Problems
}

// add notes a problem with a value.
func (k *checker) add(pointer, found, expected string) {
	k.problems = append(k.problems, k.problem(k.at(pointer), pointer, found, expected, ""))
}

// addNear is add for a word that may be misspelt.
func (k *checker) addNear(pointer, word, expected string, words []string) {
	k.problems = append(k.problems, k.problem(k.at(pointer), pointer, quote(word), expected, near(word, words)))
}

func (k *checker) check() {
	k.config.Env = map[string]string{}
	k.target()
	if k.has("/operations") && len(k.config.Operations) == 0 {
		k.add("/operations", "no operation", "at least one")
	}
	k.config.Order = k.members["/operations"]
	for _, name := range k.config.Order {
		k.operation(name, k.config.Operations[name])
	}
	for i, host := range k.config.AllowHosts {
		if host == "" || strings.ContainsAny(host, "/:*@ ") && net.ParseIP(host) == nil {
			k.add(below("/allow_hosts", i), quote(host), "the name or address of a host, without scheme and port")
		}
	}
	if k.config.Toxiproxy != nil {
		k.toxiproxy(k.config.Toxiproxy)
	}
	k.zeros()
	k.secrets()
}

// secrets collects what no output may show.
func (k *checker) secrets() {
	add := func(value string) {
		if value != "" && !slices.Contains(k.config.Secrets, value) {
			k.config.Secrets = append(k.config.Secrets, value)
		}
	}
	for _, value := range k.config.Env {
		add(value)
	}
	for _, tenant := range k.config.Target.Tenants {
		for _, headers := range []map[string]string{tenant.Headers, tenant.Renewed} {
			for _, value := range headers {
				add(value)
			}
		}
	}
	// Longest first: what contains another must be hidden before it.
	slices.SortFunc(k.config.Secrets, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
}

func (k *checker) target() {
	t := &k.config.Target
	k.url("/target/url", t.URL)
	k.replicas(t)
	k.tenants(t)
	if t.Lifecycle != nil {
		k.lifecycle(t.Lifecycle)
	}
	if t.Downstream != nil {
		k.downstream(t.Downstream)
	}
	if t.Store != nil {
		k.store(t.Store)
	}
	if t.Clock != nil {
		k.clock(t.Clock)
	}
}

func (k *checker) url(at, configured string) {
	if configured == "" {
		return // the schema says so
	}
	text, ok := k.urlTemplate(at, configured, allow{"port", "env"})
	if !ok {
		return
	}
	if !strings.Contains(text, "://") {
		k.add(at, quote(text), "a URL such as http://127.0.0.1:8080")
		return
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		k.add(at, quote(text), "a URL such as http://127.0.0.1:8080")
	case u.Scheme != "http" && u.Scheme != "https":
		k.add(at, "the scheme "+quote(u.Scheme), "http or https")
	case u.Hostname() == "":
		k.add(at, quote(text), "a host, as in http://127.0.0.1:8080")
	case u.User != nil:
		k.add(at, "credentials in the URL", "them in target.tenants, as headers")
	case u.RawQuery != "" || u.ForceQuery:
		k.add(at, "a query", "none: each request has its own")
	case u.Path != "" && u.Path != "/":
		k.add(at, "the path "+quote(u.Path), "none: write it in front of each request's path")
	case u.Fragment != "":
		k.add(at, "a fragment", "none: it is never sent")
	}
}

func (k *checker) tenants(t *Service) {
	const at = "/target/tenants"
	for _, name := range k.members[at] {
		tenant, here := t.Tenants[name], below(at, name)
		if tenant == nil {
			continue
		}
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
			k.add(here, quote(name), "a name without spaces")
		}
		k.headers(below(here, "headers"), tenant.Headers)
		k.headers(below(here, "renewed"), tenant.Renewed)
		k.expand(below(here, "headers"), tenant.Headers)
		k.expand(below(here, "renewed"), tenant.Renewed)
		if tenant.Default && len(t.Order) > 0 && t.Tenants[t.Order[0]].Default {
			k.add(below(here, "default"), "a second default tenant", "one: "+t.Order[0]+" is the default")
		}
		if tenant.Default {
			t.Order = slices.Insert(t.Order, 0, name)
		} else {
			t.Order = append(t.Order, name)
		}
	}
}

func (k *checker) lifecycle(l *Lifecycle) {
	const at = "/target/lifecycle"
	k.exactlyOne(at, "process", "container", "hooks")
	if p := l.Process; p != nil {
		here := at + "/process"
		k.command(here, p.Command, p.Env, allow{"port", "dir", "downstream", "store", "env"})
		if len(p.Command) > 0 && p.Command[0] == "" {
			k.add(here+"/command/0", "nothing", "a program")
		}
		k.ready(here+"/ready", p.Ready)
	}
	if c := l.Container; c != nil {
		k.container(at+"/container", c)
	}
	if h := l.Hooks; h != nil {
		if (h.Pause == "") != (h.Resume == "") {
			k.add(at+"/hooks", "only one of pause and resume", "both or none: what is paused has to go on")
		}
		k.ready(at+"/hooks/ready", h.Ready)
	}
}

// command checks what a target is started with.
func (k *checker) command(at string, command []string, env map[string]string, may allow) {
	for i, arg := range command {
		k.text(below(at+"/command", i), arg, may)
	}
	for _, name := range k.members[at+"/env"] {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			k.add(below(at+"/env", name), quote(name), "the name of an environment variable")
		}
		k.text(below(at+"/env", name), env[name], may)
	}
}

func (k *checker) ready(at string, r Ready) {
	if r.HTTP != "" {
		k.path(at+"/http", r.HTTP, allow{})
	}
}

func (k *checker) downstream(d *Downstream) {
	const at = "/target/downstream"
	if host, port, err := net.SplitHostPort(d.Listen); d.Listen != "" && (err != nil || host == "" || !isPort(port)) {
		k.add(at+"/listen", quote(d.Listen), "host:port, such as 127.0.0.1:9099, or port 0 for any")
	}
	k.atMostOne(at+"/key", "header", "body", "query")
	if d.Key.Header != "" && !httpguts.ValidHeaderFieldName(d.Key.Header) {
		k.add(at+"/key/header", quote(d.Key.Header), "the name of a request header field")
	}
	if d.Key.Body != "" {
		k.pointer(at+"/key/body", d.Key.Body)
	}
	for i, r := range d.Routes {
		here := below(at+"/routes", i)
		if r.Method != "" {
			k.method(here+"/method", r.Method)
		}
		k.route(here+"/path", r.Path)
		k.headers(here+"/headers", r.Headers)
	}
}

// route checks the path of a downstream route: "*" is a segment, "**" the rest.
func (k *checker) route(at, path string) {
	switch i := strings.Index(path, "**"); {
	case !strings.HasPrefix(path, "/"):
		k.add(at, quote(path), "a path that begins with /")
	case i >= 0 && i != len(path)-2:
		k.add(at, quote(path), "** at the end only")
	}
}

// exactlyOne refuses none and several of the members of a mapping.
func (k *checker) exactlyOne(at string, names ...string) (found string) {
	found, several := k.oneOf(at, names)
	if found == "" {
		k.add(at, "none of them", "exactly one of "+either(names))
	}
	if several {
		return ""
	}
	return found
}

func (k *checker) atMostOne(at string, names ...string) { k.oneOf(at, names) }

func (k *checker) oneOf(at string, names []string) (found string, several bool) {
	for _, name := range names {
		if !k.has(below(at, name)) {
			continue
		}
		if found != "" {
			several = true
			k.problems = append(k.problems, k.problem(k.keyAt(below(at, name)), at, found+" and "+name, "only one of "+either(names), ""))
		} else {
			found = name
		}
	}
	return found, several
}

// headers checks names and values of header fields.
func (k *checker) headers(at string, headers map[string]string) {
	seen := map[string]string{}
	for _, name := range k.members[at] {
		here := below(at, name)
		if !httpguts.ValidHeaderFieldName(name) {
			k.problems = append(k.problems, k.problem(k.keyAt(here), here, quote(name), "the name of a header field", ""))
		}
		if strings.ContainsAny(headers[name], "\r\n\x00") {
			k.add(here, "a line break", "a value on one line")
		}
		if first, twice := seen[strings.ToLower(name)]; twice {
			k.problems = append(k.problems, k.problem(k.keyAt(here), here, "the field "+first+" again", "each field once", ""))
		}
		seen[strings.ToLower(name)] = name
	}
}

var methodName = regexp.MustCompile(`^[A-Z][A-Z-]*$`)

func (k *checker) method(at, method string) {
	if !methodName.MatchString(method) && httpguts.ValidHeaderFieldName(method) && k.has(at) {
		k.addNear(at, method, "a method in capitals", []string{strings.ToUpper(method)})
	} else if !methodName.MatchString(method) && k.has(at) {
		k.add(at, quote(method), "a method such as POST")
	}
}

func (k *checker) pointer(at, text string) rewrite.Pointer {
	p, err := rewrite.ParsePointer(text)
	if err != nil {
		k.add(at, quote(text), "a JSON Pointer such as /items/0/id")
	}
	return p
}

// jsonPath checks a path that picks values; one wants it to name a single place.
func (k *checker) jsonPath(at, text string, one bool) {
	if !k.has(at) {
		return
	}
	path, err := jsonpath.Parse(text)
	switch {
	case err != nil:
		k.add(at, quote(text), "a JSONPath such as $.items[*] ("+strings.TrimPrefix(err.Error(), "jsonpath: ")+")")
	case one && path.Query().Singular() == nil:
		k.add(at, quote(text), "a JSONPath that names one place, such as $.id")
	}
}

func isPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n <= 65535
}

// beside is a path that is relative to the configuration's file.
func (k *checker) beside(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(k.name), path)
}

// undotted turns a path such as scope[1] or mismatch.action into a pointer.
func undotted(path string) string {
	path = strings.NewReplacer("[", ".", "]", "").Replace(path)
	pointer := ""
	for _, token := range strings.Split(path, ".") {
		pointer = below(pointer, token)
	}
	return pointer
}
