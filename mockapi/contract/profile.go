package contract

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/oncespec/oncespec/mockapi/spelling"
)

// DefaultProfile is what a contract without a `profile:` starts from.
const DefaultProfile = "ietf-07"

//go:embed profiles/*.yaml
var profiles embed.FS

// Profiles lists the names that Profile knows, sorted.
func Profiles() []string {
	files, err := fs.Glob(profiles, "profiles/*.yaml")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	names := make([]string, 0, len(files))
	for _, f := range files {
		names = append(names, strings.TrimSuffix(path.Base(f), ".yaml"))
	}
	slices.Sort(names)
	return names
}

// Profile returns a named profile. Its Sourced says how well it is known.
func Profile(name string) (Contract, error) {
	text, err := fs.ReadFile(profiles, path.Join("profiles", name+".yaml"))
	if err != nil {
		return Contract{}, &Problem{Path: "profile", Found: name, Expected: "one of " + strings.Join(Profiles(), ", "), Near: spelling.Nearest(name, Profiles())}
	}
	var c Contract
	if err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(&c); err != nil {
		return Contract{}, fmt.Errorf("profile %s: %w", name, err)
	}
	if err := c.Validate(); err != nil {
		return Contract{}, fmt.Errorf("profile %s: %w", name, err)
	}
	return c, nil
}

// Decode reads a `contract:` block: the profile that it names, DefaultProfile where it names none, with every other
// parameter of the block laid over it. A list replaces the profile's list. An action that differs from the profile's
// drops the statuses and the code that came with it. Unknown and misspelt parameters are refused. A nil node is an
// empty block. Syntax and type errors are the YAML library's, with their position; the rest are Problems.
func Decode(block ast.Node) (Contract, error) {
	if block == nil || block.Type() == ast.NullType {
		return Profile(DefaultProfile)
	}
	var given Contract
	if err := yaml.NodeToValue(block, &given, yaml.Strict()); err != nil {
		return Contract{}, err
	}
	name := given.Profile
	if name == "" {
		name = DefaultProfile
	}
	base, err := Profile(name)
	if err != nil {
		return Contract{}, err
	}
	c := base.clone()
	if err := yaml.NodeToValue(block, &c, yaml.Strict()); err != nil {
		return Contract{}, err
	}
	c.Profile, c.Sourced = base.Profile, base.Sourced
	for _, r := range []struct {
		given, base Response
		into        *Response
	}{
		{given.Missing, base.Missing, &c.Missing},
		{given.Malformed, base.Malformed, &c.Malformed},
		{given.OtherOperation, base.OtherOperation, &c.OtherOperation},
		{given.Mismatch, base.Mismatch, &c.Mismatch},
		{given.Expired, base.Expired, &c.Expired},
	} {
		if r.given.Action != "" && r.given.Action != r.base.Action {
			r.into.Statuses, r.into.Code = r.given.Statuses, r.given.Code
		}
	}
	var problems []error
	if given.Sourced != "" {
		problems = append(problems, &Problem{Path: "sourced", Found: given.Sourced, Expected: "nothing: a profile says this of itself"})
	}
	return c, errors.Join(append(problems, c.Validate())...)
}

// clone keeps a decoder that writes into slices from writing into the profile's.
func (c Contract) clone() Contract {
	for _, list := range []*[]int{&c.UnknownAnswers, &c.Missing.Statuses, &c.Malformed.Statuses, &c.OtherOperation.Statuses, &c.Mismatch.Statuses, &c.InFlight.Statuses, &c.Expired.Statuses} {
		*list = slices.Clone(*list)
	}
	for _, list := range []*[]string{&c.Volatile, &c.Fingerprint.Fields, &c.Fingerprint.Exclude, &c.Fingerprint.Headers, &c.Fingerprint.Sets} {
		*list = slices.Clone(*list)
	}
	c.Scope = slices.Clone(c.Scope)
	return c
}
