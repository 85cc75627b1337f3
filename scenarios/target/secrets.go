package target

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/scenarios/rewrite"
	"github.com/oncespec/oncespec/scenarios/target/config"
)

// newRedactor learns the secrets of a configuration. Header fields that a tenant sends are credentials by their place.
func newRedactor(cfg *config.Config) *redactor {
	r := &redactor{headers: map[string]bool{}}
	for _, name := range secretHeaders {
		r.headers[name] = true
	}
	secrets := slices.Clone(cfg.Secrets)
	for _, tenant := range cfg.Target.Tenants {
		if tenant == nil {
			continue
		}
		for _, headers := range []map[string]string{tenant.Headers, tenant.Renewed} {
			for name, value := range headers {
				r.headers[strings.ToLower(name)] = true
				secrets = append(secrets, credentials(value)...)
			}
		}
	}
	for _, op := range cfg.Operations {
		secrets = append(secrets, payloadSecrets(op)...)
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
			if slices.Contains(secretHeaders, strings.ToLower(name)) {
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
		if secretMember(m.Key()) && m.Value.Kind == rewrite.String && json.Unmarshal([]byte(m.Value.Text), &text) == nil {
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
	spellings := map[string]bool{}
	for _, s := range secrets {
		s = strings.TrimSpace(s)
		if len(s) < shortestSecret {
			continue
		}
		quoted, _ := json.Marshal(s) // strings always marshal
		for _, spelling := range []string{s, string(quoted[1 : len(quoted)-1]), url.QueryEscape(s), url.PathEscape(s)} {
			spellings[spelling] = true
		}
	}
	var pairs []string
	all := make([]string, 0, len(spellings))
	for s := range spellings {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b string) int {
		if d := len(b) - len(a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for _, s := range all {
		r.longest = max(r.longest, len(s))
		if len(s) >= longSecret {
			pairs = append(pairs, s, redacted)
		} else {
			r.short = append(r.short, s)
		}
	}
	r.long = strings.NewReplacer(pairs...)
}
