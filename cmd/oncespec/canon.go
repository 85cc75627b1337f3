package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/oncespec/oncespec/mockapi/fingerprint"
)

// canonLimit bounds one body: 64 MiB.
const canonLimit = 64 << 20

// CanonCmd prints canonical forms.
type CanonCmd struct {
	Files        []string `arg:"" optional:"" help:"JSON files; - or none is standard input."`
	Form         bool     `xor:"only" help:"Print the canonical form only, with no line end after it."`
	Digest       bool     `xor:"only" help:"Print the digest only."`
	JSON         bool     `xor:"only" help:"Print JSON."`
	Only         []string `sep:"none" placeholder:"POINTER" help:"Nothing but what a JSON Pointer names counts. May be given more than once."`
	Exclude      []string `sep:"none" placeholder:"POINTER" help:"Leave out what a JSON Pointer names. May be given more than once."`
	Set          []string `sep:"none" placeholder:"POINTER" help:"The order of this array does not count. May be given more than once."`
	NullIsAbsent bool     `help:"A member that is null counts as one that is not there."`
	NFC          bool     `name:"nfc" help:"Names and strings count in Unicode normalisation form C."`
}

// Help is shown under --help.
func (CanonCmd) Help() string {
	return "Two JSON bodies mean the same exactly if their forms, and so their digests, are equal. The form is RFC 8785's with exact decimals:\n" +
		"9007199254740993 stays what it is. The digest is the SHA-256 of the form. Compare it with what your server stores.\n\n" +
		"Examples:\n  oncespec canon body.json\n  curl -s https://api.example.test/v1/orders/7 | oncespec canon --digest\n" +
		"  oncespec canon --exclude /metadata/trace --set /tags first.json second.json"
}

// canonical is one body's result.
type canonical struct {
	File   string `json:"file"`
	Form   string `json:"form"`
	Digest string `json:"digest"`
}

// Run is called by kong.
func (c *CanonCmd) Run(to streams) error {
	files := c.Files
	if len(files) == 0 {
		files = []string{"-"}
	}
	options := fingerprint.Options{Fields: c.Only, Exclude: c.Exclude, Sets: c.Set, NullIsAbsent: c.NullIsAbsent, NFC: c.NFC}
	var results []canonical
	for _, file := range files {
		body, err := readBody(file)
		if err != nil {
			return err
		}
		form, err := options.Canonical(body)
		if err != nil {
			return misplaced(nameOf(file), body, err)
		}
		results = append(results, canonical{file, string(form), fingerprint.Digest(form)})
	}
	return c.print(to.out, results)
}

func (c *CanonCmd) print(out io.Writer, results []canonical) error {
	if c.JSON {
		return printJSON(out, results)
	}
	for _, r := range results {
		var err error
		switch {
		case c.Form:
			_, err = io.WriteString(out, r.Form)
		case c.Digest && len(results) > 1: // as sha256sum prints it
			_, err = fmt.Fprintf(out, "%s  %s\n", r.Digest, r.File)
		case c.Digest:
			_, err = fmt.Fprintln(out, r.Digest)
		default:
			_, err = fmt.Fprintf(out, "%s\nsha256 %s\n", r.Form, r.Digest)
		}
		if err != nil {
			return &exitError{exitHarness, fmt.Errorf("the form cannot be written: %w", err)}
		}
	}
	return nil
}

func nameOf(file string) string {
	if file == "-" {
		return "standard input"
	}
	return file
}

func readBody(file string) ([]byte, error) {
	var from io.Reader = os.Stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, fmt.Errorf("the body cannot be read: %w", err)
		}
		defer f.Close()
		from = f
	}
	body, err := io.ReadAll(io.LimitReader(from, canonLimit+1))
	if err != nil {
		return nil, fmt.Errorf("the body cannot be read: %w", err)
	}
	if len(body) > canonLimit {
		return nil, fmt.Errorf("%s: expected at most %d MiB of JSON, found more", nameOf(file), canonLimit>>20)
	}
	return body, nil
}

// misplaced tells line and column instead of an offset.
func misplaced(file string, body []byte, err error) error {
	var e *fingerprint.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("%s: %w", file, err)
	}
	before := body[:min(e.Offset, int64(len(body)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("%s:%d:%d: %s: %s", file, line, column, e.Kind, e.Detail)
}
