// Command box plays targets in containers: its first argument says which. What it is told to note it appends to a file.
package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if file := os.Getenv("NOTES"); file != "" {
		note(file)
	}
	switch os.Args[1] {
	case "serve":
		serve()
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		serve()
	case "polite":
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTERM)
		go serve()
		<-asked
		os.Exit(7)
	case "exit":
		fmt.Fprintln(os.Stderr, "cannot read the configuration")
		os.Exit(3)
	case "silent":
		select {}
	}
}

// note says which start this is, counting those before on the same volume.
func note(file string) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	info, _ := f.Stat()
	fmt.Fprintln(f)
	fmt.Println("start", info.Size()+1)
	f.Close()
}

// serve echoes on every connection.
func serve() {
	l, err := net.Listen("tcp", os.Getenv("ADDR"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("listening")
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go io.Copy(c, c)
	}
}
