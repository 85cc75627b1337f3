//go:build unix

package life_test

import (
	"fmt"
	"testing"

	"github.com/oncespec/oncespec/faults/life"
)

func BenchmarkContainerKillAndRestart(b *testing.B) {
	file, err := program()
	if err != nil {
		b.Fatal(err)
	}
	for name, port := range map[string]int{"host": 0, "published": 8080} {
		b.Run(name, func(b *testing.B) {
			number, err := life.FreePort()
			if err != nil {
				b.Fatal(err)
			}
			addr := fmt.Sprintf("127.0.0.1:%d", number)
			inside := addr
			if port != 0 {
				inside = fmt.Sprintf("0.0.0.0:%d", port)
			}
			c, err := life.NewContainer(life.Box{Image: life.Image{Program: file}, Args: []string{"serve"}, Env: []string{"ADDR=" + inside},
				Volume: "/data", Port: port, Listens: addr, Ready: echoes(addr), ReadyWithin: patience})
			if err == nil {
				err = c.Start(b.Context())
			}
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			for b.Loop() {
				if err := c.Restart(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
