package rewrite

// Elsewhere is a change of a request that needs more than one sample, such as another principal or another operation: a
// requirement judges it, not a rewrite.
type Elsewhere struct {
	ID          string
	Sentence    string
	Requirement string
}

// JudgedElsewhere lists them.
func JudgedElsewhere() []Elsewhere {
	return []Elsewhere{
		{"auth/other-principal", "The credentials are another principal's.", "key/other-principal"},
		{"route/path-id", "The same payload goes to another resource or operation.", "key/other-operation"},
		{"route/method", "The same payload goes to another operation with another method.", "key/other-operation"},
	}
}
