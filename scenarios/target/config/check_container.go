package config

import (
	"path"
	"strings"
)

func (k *checker) container(at string, c *Container) {
	k.exactlyOne(at, "image", "build", "program")
	if k.has(at+"/image") && c.Image == "" || strings.ContainsAny(c.Image, " \t\n") {
		k.add(at+"/image", quote(c.Image), "the name of an image, such as registry.example.test/orders:1")
	}
	if k.has(at+"/program") && c.Program == "" {
		k.add(at+"/program", "nothing", "a static Linux program")
	}
	if len(c.Files) > 0 && c.Program == "" {
		k.problems = append(k.problems, k.problem(k.keyAt(at+"/files"), at+"/files", "files without a program", "program, whose image they would be added to", ""))
	}
	for _, name := range k.members[at+"/files"] {
		if !path.IsAbs(name) || path.Clean(name) != name {
			k.problems = append(k.problems, k.problem(k.keyAt(below(at+"/files", name)), below(at+"/files", name), quote(name), "an absolute path in the container, such as /etc/orders.yaml", ""))
		}
		if c.Files[name] == "" {
			k.add(below(at+"/files", name), "nothing", "a file")
		}
	}
	may := allow{"port", "downstream", "store", "env"}
	switch {
	case k.has(at+"/volume") && (!path.IsAbs(c.Volume) || path.Clean(c.Volume) == "/"):
		k.add(at+"/volume", quote(c.Volume), "an absolute path of a folder in the container, such as /data")
	case c.Volume != "":
		may = append(may, "dir")
	}
	k.command(at, c.Command, c.Env, may)
	k.ready(at+"/ready", c.Ready)
	for n, url := range append([]string{k.config.Target.URL}, k.config.Target.Replicas...) {
		if host := k.config.hostOf(url); host != "" && !Loopback(host) {
			k.add(instanceAt(n), "the host "+host, "one on this machine, such as 127.0.0.1, where the container is reached")
		}
	}
}

// folder is {dir}, where a probe can look into what the target keeps: a container's volume is out of reach.
func (k *checker) folder() allow {
	if k.inContainer() {
		return nil
	}
	return allow{"dir"}
}

func (k *checker) inContainer() bool {
	l := k.config.Target.Lifecycle
	return l != nil && l.Container != nil
}
