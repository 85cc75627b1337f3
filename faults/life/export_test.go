package life

import (
	"context"
	"strings"
	"testing"

	"github.com/moby/moby/client"

	"github.com/oncespec/oncespec/faults/journal"
)

// FreePortsBetween is FreePort as another program has it, with less to choose from.
func FreePortsBetween(first, last int) func() (int, error) {
	p := &ports{first: first, last: last}
	return p.next
}

// NameOf is what a container, its volume and its image are called.
func NameOf(c *Container) string { return c.name }

// Belongings lists what is there of a container.
func Belongings(t testing.TB, c *Container) string {
	if c.docker == nil {
		return ""
	}
	defer c.docker.close()
	left, err := c.docker.left(context.Background(), labelName+"="+c.name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(left, ", ")
}

// Named lists what is called so: container, image, volume.
func Named(t testing.TB, name string) string {
	t.Helper()
	ctx := context.Background()
	d, err := openDocker(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	var there []string
	for kind, look := range map[string]func() error{
		"container": func() error {
			_, err := d.api.ContainerInspect(ctx, name, client.ContainerInspectOptions{})
			return err
		},
		"image":  func() error { _, err := d.api.ImageInspect(ctx, name+":"+imageTag); return err },
		"volume": func() error { _, err := d.api.VolumeInspect(ctx, name, client.VolumeInspectOptions{}); return err },
	} {
		if err := look(); err == nil {
			there = append(there, kind)
		} else if unlessGone(err) != nil {
			t.Fatal(err)
		}
	}
	return strings.Join(sortedWords(there), " ")
}

func sortedWords(words []string) []string {
	set := map[string]string{}
	for _, w := range words {
		set[w] = ""
	}
	return sorted(set)
}

// ContainerThing is what the journal of the program that made a container says of it.
func ContainerThing(name string) journal.Thing {
	return journal.Thing{Kind: leftContainer, Name: name}
}

// SweepDocker removes what dead programs left in Docker, as the start of a container does.
func SweepDocker(t testing.TB) {
	d, err := openDocker(t.Context())
	if err != nil {
		t.Error(err)
		return
	}
	defer d.close()
	_ = d.sweep(t.Context())
}
