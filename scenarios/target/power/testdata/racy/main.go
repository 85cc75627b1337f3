// Command racy is the known-racy server, as a program of its own for a container.
package main

import (
	"os"

	"github.com/oncespec/oncespec/mockapi/racy"
)

func main() { os.Exit(racy.Main(os.Args[1:], os.Stderr)) }
