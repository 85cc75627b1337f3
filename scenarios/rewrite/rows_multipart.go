package rewrite

import (
	"mime"
	"strings"
)

const (
	sourceParts  = "RFC 7578, 4 and RFC 2046, 5.1: the boundary only parts, header names are case-insensitive"
	sourceFields = "RFC 7578, 5.2: the order of parts with different names should not matter"
)

// multipart/* changes what a multipart form says …
var multipartRows = []Rewrite{
	{
		ID: "multipart/file-bytes", Sentence: "The content of a file differs in one byte.",
		Class: Different, Part: Body, Source: sourceMeaning, Needs: "file in a multipart form that may change",
		act: onParts{fits: part.isFile, edit: func(e *partsEdit) bool {
			body := e.list[e.at].body
			for i := len(body) - 1; i >= 0; i-- {
				if c := body[i]; 'a' <= c && c < 'z' || 'A' <= c && c < 'Z' || '0' <= c && c < '9' {
					body[i]++
					return true
				}
			}
			if len(body) > 0 {
				body[len(body)-1] ^= 1
			}
			return len(body) > 0
		}},
	},
	{
		ID: "multipart/field", Sentence: "A field of a multipart form has another value.",
		Class: Different, Part: Body, Source: sourceMeaning, Needs: "field in a multipart form that may change",
		each: true,
		act: onParts{fits: func(p part) bool { return !p.isFile() }, edit: func(e *partsEdit) bool {
			others := otherTexts(e.rule, string(e.list[e.at].body))
			if len(others) == 0 {
				return false
			}
			e.list[e.at].body = []byte(others[e.choice%len(others)])
			return true
		}},
	},
	{
		ID: "multipart/filename", Sentence: "A file has another name.",
		Class: Different, Part: Body, Source: sourceMeaning, Needs: "file in a multipart form that may change", Confirm: true,
		act: onParts{fits: part.isFile, edit: func(e *partsEdit) bool {
			at, parameters := e.list[e.at].disposition()
			parameters["filename"] = "other-" + parameters["filename"]
			e.list[e.at].header[at].Value = mime.FormatMediaType("form-data", parameters)
			return e.list[e.at].header[at].Value != ""
		}},
	},
}

// … or only how it is written.
var multipartSpellingRows = []Rewrite{
	{
		ID: "multipart/same-bytes", Sentence: "A multipart form is sent again, byte for byte.",
		Class: Same, Part: Body, Source: "it is the same request", Needs: "multipart form", again: true,
		act: onParts{edit: func(*partsEdit) bool { return true }},
	},
	{
		ID: "multipart/boundary", Sentence: "The parts are parted by another boundary.",
		Class: Same, Part: Body, Source: sourceParts, Needs: "multipart form",
		act: onParts{edit: func(e *partsEdit) bool {
			e.boundary = "oncespec-other-boundary"
			if e.boundary == e.s.parts.boundary {
				e.boundary += "-2"
			}
			return true
		}},
	},
	{
		ID: "multipart/part-header-case", Sentence: "The header names of the parts are written in the other case.",
		Class: Same, Part: Body, Source: sourceParts, Needs: "multipart form",
		act: onParts{edit: func(e *partsEdit) bool {
			for _, p := range e.list {
				for i, f := range p.header {
					if p.header[i].Name = strings.ToLower(f.Name); p.header[i].Name == f.Name {
						p.header[i].Name = strings.ToUpper(f.Name)
					}
				}
			}
			return true
		}},
	},
	{
		ID: "multipart/part-order", Sentence: "The parts stand in another order; parts of one name keep theirs.",
		Class: SameByPractice, Part: Body, Source: sourceFields, Needs: "multipart form with two parts of different names",
		act: onParts{edit: func(e *partsEdit) bool {
			reverseGroups(e.list, part.name)
			return true
		}},
	},
}

// protocol/* sends the same message with another version of HTTP.
var protocolRows = []Rewrite{
	{
		ID: "protocol/http2", Sentence: "The request is sent with HTTP/2 instead of HTTP/1.1.",
		Class: Same, Part: Message, Source: "RFC 9110, 2.5 and RFC 9113, 8: the version changes the transfer, not the meaning", Needs: "request that is whole in HTTP/1.1",
		act: onWire{edit: func(_ *Sample, _, b *Request, _ int) bool {
			b.Protocol = HTTP2
			return true
		}},
	},
}
