package mockapi

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/oncespec/oncespec/mockapi/command"
	"github.com/oncespec/oncespec/mockapi/flow"
)

func routes(f *flow.Flow, reads []command.Read) http.Handler {
	router := chi.NewRouter()
	router.Use(onePath, func(next http.Handler) http.Handler { return recovered(f, next) })
	router.NotFound(func(w http.ResponseWriter, _ *http.Request) {
		flow.Write(w, refusal(http.StatusNotFound, "not_found", "There is nothing at this path"))
	})
	router.MethodNotAllowed(func(w http.ResponseWriter, _ *http.Request) {
		flow.Write(w, refusal(http.StatusMethodNotAllowed, "method_not_allowed", "The path does not take this method"))
	})
	router.Get("/healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	router.Get("/v1/operations/{key}", func(w http.ResponseWriter, r *http.Request) {
		flow.Write(w, f.ReadStatus(r, params(r)["key"]))
	})
	if f.Settings.Clock {
		router.Get("/clock", func(w http.ResponseWriter, r *http.Request) { flow.Write(w, f.ReadClock(r)) })
		router.Post("/clock", func(w http.ResponseWriter, r *http.Request) { flow.Write(w, f.MoveClock(r)) })
	}
	for _, operation := range f.Operations {
		router.Method(operation.Method, operation.Pattern, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			f.Serve(w, r, operation, params(r))
		}))
	}
	for _, read := range reads {
		router.Get(read.Pattern, func(w http.ResponseWriter, r *http.Request) {
			flow.Write(w, f.Read(r, read, params(r)))
		})
	}
	return router
}

// params are the path's parameters, decoded: the router matches the path as it was sent.
func params(r *http.Request) map[string]string {
	found := map[string]string{}
	all := chi.RouteContext(r.Context()).URLParams
	for i, name := range all.Keys {
		value := all.Values[i]
		if r.URL.RawPath != "" {
			if decoded, err := url.PathUnescape(value); err == nil {
				value = decoded
			}
		}
		found[name] = value
	}
	return found
}

// onePath gives paths that mean the same (RFC 3986, 6.2.2) one spelling before the router looks at them. An encoded slash
// stays one.
func onePath(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawPath != "" {
			segments := strings.Split(r.URL.RawPath, "/")
			for i, segment := range segments {
				if decoded, err := url.PathUnescape(segment); err == nil {
					segments[i] = url.PathEscape(decoded)
				}
			}
			r = r.Clone(r.Context())
			r.URL.RawPath = strings.Join(segments, "/")
		}
		next.ServeHTTP(w, r)
	})
}

// recovered turns the panic of a handler into a 500.
func recovered(f *flow.Flow, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if broken := recover(); broken != nil {
				flow.Write(w, f.Trouble(fmt.Errorf("handler panicked: %v", broken)))
			}
		}()
		next.ServeHTTP(w, r)
	})
}
