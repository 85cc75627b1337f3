package provider

import (
	"context"
	"net"
)

type connKey struct{}

func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// gone reports whether the caller of a request has hung up. The request's context says so a little late: the socket is asked
// too, since one who kills a caller and lets its call go on right after must be able to rely on it.
func gone(request context.Context) bool {
	if request.Err() != nil {
		return true
	}
	c, ok := request.Value(connKey{}).(net.Conn)
	return ok && hungUp(c)
}
