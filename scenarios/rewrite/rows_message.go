package rewrite

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"strings"
	"unicode/utf16"
)

// framing/* tells the body's end another way.
var framingRows = []Rewrite{
	{
		ID: "framing/chunked-same", Sentence: "The same body is sent in chunks instead of with its length.",
		Class: Same, Part: Message, Source: "RFC 9112, 6 and 7: framing is no part of the content", Needs: "body",
		act: onWire{edit: func(_ *Sample, _, b *Request, _ int) bool {
			reframe(b)
			return len(b.Body) > 0
		}},
	},
	{
		ID: "framing/chunked-changed", Sentence: "A changed body is sent in chunks instead of with its length.",
		Class: Different, Part: Message, Source: "RFC 9112, 6 and 7: framing is no part of the content", Needs: "value in the body that may change",
		act: inBody{fits: func(_ *Sample, p place) bool { return isLeaf(p) }, needs: changes, plant: `1`, edit: nudge, finish: reframe},
	},
}

func reframe(r *Request) {
	if r.framing() == Chunked {
		r.Framing = ContentLength
	} else {
		r.Framing = Chunked
	}
}

const sourceVolatile = "the header tells of the attempt, not of the operation"

// volatile/* changes what differs between two attempts of one client anyway.
var volatileRows = []Rewrite{
	volatile("volatile/traceparent", "The trace context is another one.", "Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
	volatile("volatile/request-id", "The request id is another one.", "X-Request-Id", "oncespec-attempt-1", "oncespec-attempt-2"),
	volatile("volatile/user-agent", "The user agent is another one.", "User-Agent", "oncespec/1", "oncespec/2 (retry)"),
	volatile("volatile/retry-count", "The retry count is one higher.", "X-Retry-Count", "0", "1"),
	volatile("volatile/forwarded-for", "The request came through another address.", "X-Forwarded-For", "192.0.2.1", "192.0.2.2"),
	volatile("volatile/date", "The date is a minute later.", "Date", "Tue, 05 May 2026 10:00:00 GMT", "Tue, 05 May 2026 10:01:00 GMT"),
	{
		ID: "auth/renewed", Sentence: "The credentials are newer ones of the same principal.",
		Class: Same, Part: Header, Source: "the principal is the same", Needs: "renewed credentials (tenants: renewed)",
		act: onWire{edit: func(s *Sample, _, b *Request, _ int) bool {
			for _, f := range s.policy.Renewed {
				b.Set(f.Name, f.Value)
			}
			return true
		}},
	},
	{
		ID: "volatile/body-field", Sentence: "A field of the body that does not count by the contract has another value.",
		Class: ByContract, Decides: ByExclude, Part: Body, Source: "the contract (fingerprint.exclude, fingerprint.fields)", Needs: "value in the body that does not count by the contract",
		act: inBody{fits: func(s *Sample, p place) bool { return isLeaf(p) && s.ignored(p.at) && !s.holdsUnique(p.at) },
			edit: func(e *edit) bool { return e.pick(neighbours(nil, e.node)...) }},
	},
}

func volatile(id, sentence, header, a, b string) Rewrite {
	return Rewrite{
		ID: id, Sentence: sentence,
		Class: Same, Part: Header, Header: header, Source: sourceVolatile, Needs: "place for a header",
		act: onWire{edit: func(_ *Sample, first, second *Request, _ int) bool {
			now, ok := first.Get(header)
			if !ok {
				first.Set(header, a)
			}
			other := b
			if now == b {
				other = a
			}
			second.Header = first.Clone().Header
			second.Set(header, other)
			return true
		}},
	}
}

// header/*, key/* and content-type/* change header lines.
var headerRows = []Rewrite{
	{
		ID: "header/name-case", Sentence: "Header names are written in the other case.",
		Class: Same, Part: Header, Source: "RFC 9110, 5.1: field names are case-insensitive", Needs: "header",
		act: onWire{edit: func(_ *Sample, _, b *Request, choice int) bool {
			for i, f := range b.Header {
				b.Header[i].Name = strings.ToLower(f.Name)
				if b.Header[i].Name == f.Name || choice%2 == 1 {
					b.Header[i].Name = strings.ToUpper(f.Name)
				}
			}
			return true
		}},
	},
	{
		ID: "header/order", Sentence: "Headers stand in another order; lines of one name keep theirs.",
		Class: Same, Part: Header, Source: "RFC 9110, 5.3: the order of fields with different names is not significant", Needs: "two headers of different names",
		act: onWire{edit: func(_ *Sample, _, b *Request, _ int) bool {
			reverseGroups(b.Header, func(f Field) string { return strings.ToLower(f.Name) })
			return true
		}},
	},
	{
		ID: "header/accept", Sentence: "Another kind of answer is accepted as well.",
		Class: ByContract, Decides: ByHeaders, Part: Header, Header: "Accept", Source: "RFC 9110, 12.5.1: Accept is about the answer", Needs: "place for a header",
		act: onWire{edit: func(_ *Sample, a, b *Request, _ int) bool {
			if _, ok := a.Get("Accept"); !ok {
				a.Set("Accept", "application/json")
			}
			now, _ := a.Get("Accept")
			b.Header = a.Clone().Header
			b.Set("Accept", now+", */*;q=0.1")
			return true
		}},
	},
	{
		ID: "header/api-version", Sentence: "Another version of the API is asked for.",
		Class: ByContract, Decides: ByHeaders, Part: Header, Header: "Api-Version", Source: "an API may choose by it what it does; RFC 9110 does not know it", Needs: "place for a header",
		act: onWire{edit: func(_ *Sample, a, b *Request, _ int) bool {
			if _, ok := a.Get("Api-Version"); !ok {
				a.Set("Api-Version", "1")
			}
			now, _ := a.Get("Api-Version")
			b.Header = a.Clone().Header
			b.Set("Api-Version", map[bool]string{true: "2", false: "1"}[now == "1"])
			return true
		}},
	},
	{
		ID: "content-type/case", Sentence: "The content type is written in the other case.",
		Class: Same, Part: Header, Source: "RFC 9110, 8.3.1: type and subtype are case-insensitive", Needs: "content type",
		act: contentType(func(media, parameters string) string { return otherCase(media) + parameters }),
	},
	{
		ID: "content-type/charset", Sentence: "The content type names UTF-8.",
		Class: SameByPractice, Part: Header, Source: "RFC 8259, 8.1 and 11: JSON is UTF-8; charset has no effect", Needs: "JSON content type without parameters",
		act: contentType(func(media, parameters string) string {
			if parameters != "" || !strings.HasSuffix(strings.ToLower(media), "json") {
				return media + parameters
			}
			return media + "; charset=utf-8"
		}),
	},
	{
		ID: "content-type/text-plain", Sentence: "The content type is text/plain.",
		Class: Different, Part: Header, Source: "RFC 9110, 8.3: the content type says how the content is meant", Needs: "content type", Confirm: true,
		act: contentType(func(string, string) string { return "text/plain" }),
	},
	{
		ID: "content-type/vendor-json", Sentence: "The content type is another one for JSON.",
		Class: ByContract, Part: Header, Source: "RFC 6839, 3.1: +json says how to parse, not what it means", Needs: "JSON content type",
		act: contentType(func(media, parameters string) string {
			if !strings.HasSuffix(strings.ToLower(media), "json") {
				return media + parameters
			}
			return "application/vnd.oncespec+json" + parameters
		}),
	},
	{
		ID: "key/quoted", Sentence: "The key is written with quotes, or without them.",
		Class: ByContract, Decides: ByKeyEncoding, Part: Key, Source: "RFC 9651, 3.3.3; draft-ietf-httpapi-idempotency-key-header-07, 2.1", Needs: "key header in its request",
		act: onWire{edit: func(s *Sample, _, b *Request, _ int) bool {
			now, ok := b.Get(s.policy.Contract.Name)
			if !ok || now == "" {
				return false
			}
			if len(now) > 2 && now[0] == '"' && now[len(now)-1] == '"' {
				b.Set(s.policy.Contract.Name, now[1:len(now)-1])
			} else {
				b.Set(s.policy.Contract.Name, `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(now)+`"`)
			}
			return true
		}},
	},
}

func contentType(change func(media, parameters string) string) action {
	return onWire{edit: func(_ *Sample, _, b *Request, _ int) bool {
		now, ok := b.Get("Content-Type")
		if !ok {
			return false
		}
		end := len(now)
		if at := strings.IndexByte(now, ';'); at >= 0 {
			end = at
		}
		b.Set("Content-Type", change(now[:end], now[end:]))
		return true
	}}
}

const sourceCoding = "RFC 9110, 8.4: a content coding is a property of the representation, lossless"

// encoding/* compresses the body.
var encodingRows = []Rewrite{
	{
		ID: "encoding/gzip", Sentence: "The body is compressed.",
		Class: SameByPractice, Part: Body, Source: sourceCoding, Needs: "body without a content coding",
		act: onWire{edit: func(_ *Sample, _, b *Request, _ int) bool { return compress(b, gzip.BestCompression) }},
	},
	{
		ID: "encoding/gzip-level", Sentence: "The compressed body is compressed less.",
		Class: SameByPractice, Part: Body, Source: sourceCoding, Needs: "body without a content coding",
		act: onWire{edit: func(_ *Sample, a, b *Request, _ int) bool {
			return compress(a, gzip.BestCompression) && compress(b, gzip.NoCompression)
		}},
	},
}

func compress(r *Request, level int) bool {
	if _, coded := r.Get("Content-Encoding"); coded || len(r.Body) == 0 {
		return false
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, level)
	if err != nil {
		return false
	}
	if _, err := w.Write(r.Body); err != nil {
		return false
	}
	if err := w.Close(); err != nil {
		return false
	}
	r.Body = out.Bytes()
	r.Set("Content-Encoding", "gzip")
	return true
}

const sourceSyntax = "RFC 8259, 2: a JSON text is exactly one value"

// syntax/* leaves the grammar of JSON, or the encoding of the text.
var syntaxRows = []Rewrite{
	unsound("syntax/second-value", "The body is followed by a second value.", func(body string) string { return body + "{}" }),
	unsound("syntax/garbage-after", "The body is followed by a letter.", func(body string) string { return body + "x" }),
	unsound("syntax/comment", "There is a comment in the body.", func(body string) string { return body[:1] + "/* */" + body[1:] }),
	unsound("syntax/array-wrapped", "The body stands alone in an array.", func(body string) string { return "[" + body + "]" }),
	{
		ID: "syntax/bom", Sentence: "The body begins with a byte order mark.",
		Class: ByContract, Part: Body, Source: "RFC 8259, 8.1: a reader may ignore it or refuse it", Needs: "JSON body",
		act: onText(func(body string) []byte { return []byte("\ufeff" + body) }),
	},
	{
		ID: "syntax/utf-16", Sentence: "The body is encoded as UTF-16.",
		Class: ByContract, Part: Body, Source: "RFC 8259, 8.1: JSON between systems is UTF-8", Needs: "JSON body",
		act: onText(func(body string) []byte {
			out := []byte{0xFF, 0xFE}
			for _, unit := range utf16.Encode([]rune(body)) {
				out = binary.LittleEndian.AppendUint16(out, unit)
			}
			return out
		}),
	},
}

func unsound(id, sentence string, change func(string) string) Rewrite {
	return Rewrite{
		ID: id, Sentence: sentence,
		Class: Different, Part: Body, Source: sourceSyntax, Needs: "JSON object or array as body", Confirm: true,
		act: onText(func(body string) []byte {
			if body[0] != '{' && body[0] != '[' {
				return nil
			}
			return []byte(change(body))
		}),
	}
}

func onText(change func(string) []byte) action {
	return onWire{edit: func(s *Sample, _, b *Request, _ int) bool {
		if s.root == nil {
			return false
		}
		b.Body = change(string(b.Body))
		return b.Body != nil
	}}
}
