package fingerprint

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"slices"
)

const formData = "multipart/form-data"

// parts adds the parts of a multipart form, ordered by name; parts of one name keep their order, which has a meaning. Of a
// part count its name, its file name, its media type and its content. It is false where the body is none.
func (d *digest) parts(contentType []string, body []byte) bool {
	_, parameters, err := mime.ParseMediaType(cmp.Or(contentType...))
	if err != nil {
		return false
	}
	type part struct{ name, file, media, content string }
	var list []part
	reader := multipart.NewReader(bytes.NewReader(body), parameters["boundary"])
	for {
		next, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return false
		}
		content, err := io.ReadAll(next)
		if err != nil {
			return false
		}
		media, _ := mediaTypeOf(next.Header["Content-Type"])
		_, disposition, _ := mime.ParseMediaType(next.Header.Get("Content-Disposition"))
		list = append(list, part{disposition["name"], disposition["filename"], media, string(content)})
	}
	if len(list) == 0 { // text without a boundary in it is not an empty form
		return false
	}
	slices.SortStableFunc(list, func(a, b part) int { return cmp.Compare(a.name, b.name) })
	d.field("parts", "")
	for _, p := range list {
		d.field(p.name, p.file)
		d.field(p.media, p.content)
	}
	return true
}
