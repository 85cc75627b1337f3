package flow

import (
	"compress/gzip"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/mockapi/command"
)

// maxBody bounds a request body, compressed or not, in bytes.
const maxBody = 1 << 20

// authenticate knows a tenant by its bearer token.
func (f *Flow) authenticate(r *http.Request) (Principal, error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if tenant, known := f.Tokens[token]; known && strings.EqualFold(scheme, "Bearer") {
		return Principal{Tenant: tenant, Token: token}, nil
	}
	return Principal{}, &command.Refusal{Status: http.StatusUnauthorized, Code: "unauthorized", Title: "A bearer token of a tenant is needed"}
}

// readBody reads a whole body within bounds, perhaps compressed with gzip, and refuses one that is cut short or too large.
func readBody(r *http.Request) ([]byte, error) {
	raw, err := readBounded(r.Body)
	if err != nil {
		return nil, err
	}
	switch coding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))); coding {
	case "", "identity":
		return raw, nil
	case "gzip":
		plain, err := gzip.NewReader(strings.NewReader(string(raw)))
		if err != nil {
			return nil, malformed("it is not gzip")
		}
		return readBounded(plain)
	default:
		return nil, unsupported("content coding " + coding)
	}
}

func readBounded(body io.Reader) ([]byte, error) {
	read, err := io.ReadAll(io.LimitReader(body, maxBody+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, malformed("it is not whole")
	case err != nil:
		return nil, malformed(err.Error())
	case len(read) > maxBody:
		return nil, &command.Refusal{Status: http.StatusRequestEntityTooLarge, Code: "too_large", Title: "The body is larger than 1 MiB"}
	}
	return read, nil
}

// checkMedia refuses a body of a type that an operation does not take.
func checkMedia(r *http.Request, taken []string) error {
	if taken == nil {
		taken = []string{"application/json"}
	}
	media, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !slices.Contains(taken, media) {
		return unsupported("expected " + strings.Join(taken, " or "))
	}
	if charset, given := parameters["charset"]; given && !strings.EqualFold(charset, "utf-8") {
		return unsupported("expected the charset utf-8")
	}
	return nil
}

func malformed(detail string) error {
	return &command.Refusal{Status: http.StatusBadRequest, Code: "malformed_body", Title: "The body cannot be read", Detail: detail}
}

func unsupported(detail string) error {
	return &command.Refusal{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media", Title: "The body's format is not supported", Detail: detail}
}
