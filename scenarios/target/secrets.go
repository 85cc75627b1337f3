package target

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target/config"
	"github.com/oncespec/oncespec/scenarios/target/secret"
)

// newRedactor learns the secrets of a configuration. Header fields that a tenant sends are credentials by their place, but for
// those that say nothing of who it is.
func newRedactor(cfg *config.Config) *redactor {
	r := &redactor{headers: map[string]bool{}}
	var secrets, open []string
	for _, tenant := range cfg.Target.Tenants {
		if tenant == nil {
			continue
		}
		for _, headers := range []map[string]string{tenant.Headers, tenant.Renewed} {
			for name, value := range headers {
				if secret.PlainHeader(name) {
					open = append(open, value)
					continue
				}
				r.headers[strings.ToLower(name)] = true
				secrets = append(secrets, credentials(value)...)
			}
		}
	}
	for _, op := range cfg.Operations {
		secrets = append(secrets, payloadSecrets(op)...)
	}
	for _, value := range cfg.Secrets {
		if !slices.Contains(open, value) {
			secrets = append(secrets, value)
		}
	}
	r.learn(secrets)
	return r
}

// payloadSecrets are the texts that an operation sends under the name of a secret.
func payloadSecrets(op *config.Operation) (secrets []string) {
	requests := []config.Request{op.Request}
	for _, step := range op.Setup {
		requests = append(requests, step.Request)
	}
	if op.Alter != nil {
		requests = append(requests, *op.Alter)
	}
	for _, r := range requests {
		for name, value := range r.Headers {
			if secret.Header(name) {
				secrets = append(secrets, credentials(value)...)
			}
		}
		for _, body := range []string{string(r.Body), r.BodyText} {
			if root, err := rewrite.Parse([]byte(body)); err == nil {
				secrets = append(secrets, memberSecrets(root)...)
			}
		}
	}
	return slices.DeleteFunc(secrets, func(s string) bool { return len(s) < longSecret || strings.Contains(s, "{") })
}

func memberSecrets(n *rewrite.Node) (secrets []string) {
	for _, item := range n.Items {
		secrets = append(secrets, memberSecrets(item)...)
	}
	for _, m := range n.Members {
		var text string
		if secret.Member(m.Key()) && m.Value.Kind == rewrite.String && json.Unmarshal([]byte(m.Value.Text), &text) == nil {
			secrets = append(secrets, text)
		}
		secrets = append(secrets, memberSecrets(m.Value)...)
	}
	return secrets
}

// credentials are the secret parts of a header value: all of it, what follows the scheme, and a basic password.
func credentials(value string) []string {
	all := []string{value}
	scheme, rest, found := strings.Cut(value, " ")
	if !found {
		return all
	}
	all = append(all, rest)
	if strings.EqualFold(scheme, "basic") {
		if plain, err := base64.StdEncoding.DecodeString(rest); err == nil {
			_, password, _ := strings.Cut(string(plain), ":")
			all = append(all, string(plain), password)
		}
	}
	return all
}

// learn sorts the spellings of all secrets by length, so that a secret that holds another one is replaced whole.
func (r *redactor) learn(secrets []string) {
	spelled := map[string]bool{}
	for _, s := range secrets {
		s = strings.TrimSpace(s)
		if len(s) < shortestSecret || s == "true" || s == "false" || s == "null" {
			continue
		}
		for _, spelling := range spellings(s) {
			spelled[spelling] = true
		}
	}
	var pairs []string
	for _, s := range slices.SortedFunc(maps.Keys(spelled), func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	}) {
		r.longest = max(r.longest, len(s))
		if len(s) >= longSecret && !isNumber(s) {
			pairs = append(pairs, s, redacted)
		} else {
			r.short = append(r.short, s)
		}
	}
	r.long = strings.NewReplacer(pairs...)
}

// spellings are how a text may come back from a target: as it is, inside of JSON as one library or another writes it, of a URL,
// of HTML, and encoded.
func spellings(s string) []string {
	quoted, _ := json.Marshal(s) // strings always marshal
	escaped := string(quoted[1 : len(quoted)-1])
	bare := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(escaped) // only Go escapes these
	all := []string{s, escaped, bare, strings.ReplaceAll(bare, "/", `\/`), url.QueryEscape(s), url.PathEscape(s), html.EscapeString(s)}
	if len(s) >= longSecret {
		all = append(all, base64.StdEncoding.EncodeToString([]byte(s)), base64.RawURLEncoding.EncodeToString([]byte(s)), hex.EncodeToString([]byte(s)))
	}
	return all
}
