package fingerprint

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"mime"
	"net/textproto"
	"slices"
	"strings"

	"github.com/oncespec/oncespec/mockapi/contract"
)

// Version begins every digest. It changes whenever equal requests would get another digest than before.
const Version = "v1:"

// Request is what of a request can count. Credentials are left out by the caller: a renewed token changes nothing.
type Request struct {
	Method string
	Path   string              // as sent, percent-encoded, without the query
	Query  string              // as sent, without the question mark
	Header map[string][]string // canonical names; only Content-Type and those that the contract lists are read
	Body   []byte              // whole, without a content coding
}

// Of returns the digest of what counts in a request: Version and 64 hexadecimal digits. Requests with equal digests mean the
// same under f.
//
// Mode semantic, and unspecified: method; path, with percent-encoding normalised (RFC 3986, 6.2.2); query unless ignored, as
// decoded pairs in order of their names, equal names in the order sent; media type without a UTF-8 charset; the listed
// headers; the body by its meaning where it is JSON, a URL-encoded form or multipart/form-data, by its bytes otherwise. Mode
// raw: path, query and body by their bytes. Mode none: all requests are equal.
//
// Defaults and Unknown need the API's schema: a caller for whom they matter passes the body of the command that it read. The
// error is an *Error: a JSON body without a canonical form.
func Of(f contract.Fingerprint, r Request) (string, error) {
	var d digest
	mode := f.Mode
	if mode == "" {
		mode = contract.ModeSemantic
	}
	d.field("mode", mode)
	if mode == contract.ModeNone {
		return d.sum(), nil
	}
	raw := mode == contract.ModeRaw
	d.field("method", r.Method)
	mediaType, plain := mediaTypeOf(r.Header["Content-Type"])
	d.field("type", mediaType)
	names := make([]string, len(f.Headers))
	for i, name := range f.Headers {
		names[i] = textproto.CanonicalMIMEHeaderKey(name)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		d.field("header", name)
		for _, line := range r.Header[name] {
			d.field("line", strings.Trim(line, " \t"))
		}
	}
	if raw {
		d.field("path", r.Path)
	} else {
		d.field("path", normalPath(r.Path))
	}
	if f.Query != "ignored" {
		if raw {
			d.field("query", r.Query)
		} else {
			d.pairs("query", r.Query)
		}
	}
	switch {
	case raw || len(r.Body) == 0:
		d.field("bytes", string(r.Body))
	case isJSON(plain):
		options := Options{Fields: f.Fields, Exclude: f.Exclude, Sets: f.Sets, NullIsAbsent: f.Absence == "equal", NFC: f.Normalisation == "nfc"}
		canonical, err := options.Canonical(r.Body)
		if err != nil {
			return "", err
		}
		d.field("json", string(canonical))
	case plain == "application/x-www-form-urlencoded":
		d.pairs("form", string(r.Body))
	case plain == formData:
		if !d.parts(r.Header["Content-Type"], r.Body) {
			d.field("bytes", string(r.Body))
		}
	default:
		d.field("bytes", string(r.Body))
	}
	return d.sum(), nil
}

// digest collects named fields so that no two lists of fields run into one another.
type digest struct{ text []byte }

func (d *digest) field(name, value string) {
	for _, s := range []string{name, value} {
		d.text = binary.AppendUvarint(d.text, uint64(len(s)))
		d.text = append(d.text, s...)
	}
}

func (d *digest) pairs(name, text string) {
	d.field(name, "")
	for _, p := range pairs(text) {
		d.field(p.name, p.value)
	}
}

func (d *digest) sum() string {
	sum := sha256.Sum256(d.text)
	return Version + hex.EncodeToString(sum[:])
}

// mediaTypeOf returns what counts of Content-Type, in one spelling, and the bare media type. What cannot be read counts as
// it stands.
func mediaTypeOf(lines []string) (counts, plain string) {
	if len(lines) == 0 {
		return "", ""
	}
	text := strings.Join(lines, ", ")
	plain, parameters, err := mime.ParseMediaType(text)
	if err != nil {
		return text, ""
	}
	if strings.EqualFold(parameters["charset"], "utf-8") {
		delete(parameters, "charset") // the default, for the types that are read here
	}
	if plain == formData {
		delete(parameters, "boundary") // it only parts
	}
	if counts = mime.FormatMediaType(plain, parameters); counts == "" {
		return text, plain
	}
	return counts, plain
}

func isJSON(plain string) bool {
	return plain == "application/json" || strings.HasPrefix(plain, "application/") && strings.HasSuffix(plain, "+json")
}

// normalPath returns a percent-encoded path in the one spelling that RFC 3986, 6.2.2 gives it.
func normalPath(path string) string {
	if !strings.Contains(path, "%") {
		return path
	}
	var out strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] == '%' && i+2 < len(path) && isHex(path[i+1]) && isHex(path[i+2]) {
			if b := unhex(path[i+1])<<4 | unhex(path[i+2]); unreserved(b) {
				out.WriteByte(b)
			} else {
				fmt.Fprintf(&out, "%%%02X", b)
			}
			i += 2
			continue
		}
		out.WriteByte(path[i])
	}
	return out.String()
}

func isHex(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F'
}

func unhex(b byte) byte {
	if b <= '9' {
		return b - '0'
	}
	return b&0xdf - 'A' + 10
}

func unreserved(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || strings.IndexByte("-._~", b) >= 0
}
