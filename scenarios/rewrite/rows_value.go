package rewrite

import (
	"regexp"
	"strings"
	"time"
)

// value/* writes what a string or number stands for in another way. Only the API knows what it stands for.
var valueRows = []Rewrite{
	{
		ID: "value/minor-to-decimal", Sentence: "An amount in minor units is written in major ones.",
		Class: Different, Part: Body, Source: sourceNumber, Needs: "integer of three or more digits that may become a decimal",
		act: inBody{fits: func(_ *Sample, p place) bool {
			return p.node.Kind == Number && plainInteger(p.node.Text) && len(strings.TrimLeft(p.node.Text, "-")) > 2
		}, needs: changes, plant: `1999`, edit: func(e *edit) bool {
			lit := e.node.Text
			return e.pick(number(lit[:len(lit)-2] + "." + lit[len(lit)-2:]))
		}},
	},
	reworded("value/date-offset", "An instant is written with another offset from UTC.", "RFC 3339, 4", "date and time (RFC 3339)", func(s string) string {
		at, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			return s
		}
		_, offset := at.Zone()
		return at.In(time.FixedZone("", offset+2*60*60)).Format(time.RFC3339Nano)
	}),
	reworded("value/date-fraction", "An instant is written with a fraction of zero.", "RFC 3339, 5.6", "date and time without fraction (RFC 3339)", func(s string) string {
		if _, err := time.Parse(time.RFC3339, s); err != nil || strings.Contains(s, ".") {
			return s
		}
		const seconds = len("2006-01-02T15:04:05")
		return s[:seconds] + ".000" + s[seconds:]
	}),
	reworded("value/decimal-string", "A decimal in a string has one more zero at its end.", "the API's definition of the field", "string that holds a decimal", func(s string) string {
		if !validNumber(s) || !strings.Contains(s, ".") || strings.ContainsAny(s, "eE") {
			return s
		}
		return s + "0"
	}),
	reworded("value/uuid-case", "A UUID is written in capitals.", "RFC 9562, 4: UUIDs are case-insensitive on input", "string that holds a UUID with a letter", func(s string) string {
		if !uuid.MatchString(s) {
			return s
		}
		return otherCase(s)
	}),
}

var uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

func reworded(id, sentence, source, needs string, change func(string) string) Rewrite {
	return Rewrite{
		ID: id, Sentence: sentence,
		Class: ByContract, Part: Body, Source: source, Needs: needs + " that may change",
		act: inBody{fits: isText(func(s string) bool { return change(s) != s }), needs: changes,
			edit: func(e *edit) bool { return e.pick(text(change(unquote(e.node.Text)))) }},
	}
}
