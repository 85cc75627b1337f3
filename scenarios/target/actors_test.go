package target

import "testing"

// TestCrowd: a family is alone from its baseline until somebody else acts, or may be acting.
func TestCrowd(t *testing.T) {
	t.Parallel()
	var c actors
	enter := func() *family {
		f := &family{}
		c.enter(f)
		c.baselined(f)
		return f
	}
	one := enter()
	if !c.alone(one) || c.spoken(one) {
		t.Error("nobody has acted yet")
	}
	c.acts(one)
	if !c.alone(one) || !c.spoken(one) || !c.unsettled() {
		t.Error("it acts alone")
	}
	if during := enter(); c.alone(during) {
		t.Error("it came while another one acts")
	}
	c.ended(one, false)
	if later := enter(); c.alone(later) || !c.unsettled() {
		t.Error("the other one's outcome is not known")
	}
	c.acts(one)
	c.ended(one, true)
	two := enter()
	if !c.alone(two) || c.unsettled() {
		t.Error("the other one is known to be done")
	}
	c.acts(two)
	if c.alone(one) || !c.alone(two) {
		t.Error("only the second acted since")
	}
	c.ended(two, true)
	c.alter(two)
	if !c.isAltered(two) {
		t.Error("it was altered")
	}
	c.disperse()
	if c.alone(two) || c.unsettled() {
		t.Error("its time is over")
	}
}

// TestFits: paths of the ledger are matched like routes.
func TestFits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, path string
		want          bool
	}{
		{"", "/a/b", true}, {"/a/b", "/a/b", true}, {"/a/b", "/a", false}, {"/a", "/a/b", false},
		{"/a/*/c", "/a/b/c", true}, {"/a/*", "/a/b/c", false}, {"/a/**", "/a/b/c", true}, {"/**", "/", true}, {"/a/**", "/b", false},
	} {
		if got := fits(tt.pattern, tt.path); got != tt.want {
			t.Errorf("%s with %s: %v", tt.pattern, tt.path, got)
		}
	}
}

// TestSegments: wildcards of a route are named as the gate wants them.
func TestSegments(t *testing.T) {
	t.Parallel()
	if got := segments("/a/*/c"); len(got) != 1 || got[0] != "/a/{any2}/c" {
		t.Errorf("one segment: %q", got)
	}
	got := segments("/a/**")
	if len(got) != 1+restSegments || got[0] != "/a" || got[1] != "/a/{rest0}" || got[2] != "/a/{rest0}/{rest1}" {
		t.Errorf("the rest: %q", got)
	}
	if got := segments("/**"); got[0] != "/" || got[1] != "/{rest0}" {
		t.Errorf("everything: %q", got)
	}
}

// TestMoved: a value counts executions by what one of them moves.
func TestMoved(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		before, after, unit string
		own                 bool
		count               int
		odd                 string
	}{
		{"1", "1", "3", true, 0, ""}, {"1", "4", "3", true, 1, ""}, {"1", "7", "3", true, 2, ""}, {"1", "6", "3", true, 0, "5"},
		{"0.1", "-0.2", "-0.3", true, 1, ""}, {"0", "-3", "3", true, 0, "-3"},
		{"1", "6", "3", false, 1, ""}, {"1", "1", "3", false, 0, ""}, {"1", "6", "", true, 1, ""}, {"1", "1", "", true, 0, ""}, {"1", "2", "0", true, 1, ""},
		{"9007199254740992", "9007199254740993", "1", true, 1, ""},
	} {
		if count, odd := moved(tt.before, tt.after, tt.unit, tt.own); count != tt.count || odd != tt.odd {
			t.Errorf("from %s to %s by %q (own %v): %d, %q", tt.before, tt.after, tt.unit, tt.own, count, odd)
		}
	}
}
