package config

import (
	"maps"
	"slices"
	"strings"
)

// instanceAt is where the URL of an instance stands.
func instanceAt(n int) string {
	if n == 0 {
		return "/target/url"
	}
	return below("/target/replicas", n-1)
}

// replicas checks the further instances: each has a place of its own, and what starts them can tell them apart.
func (k *checker) replicas(t *Service) {
	seen := map[string]string{t.URL: "target.url"}
	for n, url := range t.Replicas {
		at := instanceAt(n + 1)
		k.url(at, url)
		if first, twice := seen[url]; twice && !strings.Contains(url, "{port}") {
			k.add(at, "the URL of "+first+" again", "another instance's")
		}
		seen[url] = dotted(at)
	}
	if l := t.Lifecycle; len(t.Replicas) > 0 && l != nil {
		switch {
		case l.Process != nil && !tellsPort(l.Process.Command, l.Process.Env):
			k.add("/target/lifecycle/process", "a command that is the same for all instances", "{port} in command or env, where each one's port is filled in")
		case l.Container != nil && l.Container.Port == 0 && !tellsPort(l.Container.Command, l.Container.Env):
			k.add("/target/lifecycle/container", "a command that is the same for all instances", "{port} in command or env, where each one's port is filled in, or port, for a network of its own")
		}
	}
}

func tellsPort(command []string, env map[string]string) bool {
	return slices.ContainsFunc(append(slices.Clone(command), slices.Collect(maps.Values(env))...), func(text string) bool {
		return strings.Contains(text, "{port}")
	})
}
