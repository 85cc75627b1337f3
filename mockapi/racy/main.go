package racy

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"
)

// Main serves at the address in args, followed by that of a Store where the records are kept in one, until the process is told to
// end. It is for a program that starts itself again as the known-racy server, and returns an exit code.
func Main(args []string, stderr io.Writer) int {
	if len(args) < 1 || len(args) > 2 {
		fmt.Fprintln(stderr, "expected an address to listen on, and perhaps that of a store")
		return 4
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	l, err := net.Listen("tcp", args[0])
	if err == nil {
		store := ""
		if len(args) > 1 {
			store = args[1]
		}
		err = New(store).Serve(ctx, l)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 3
	}
	return 0
}
