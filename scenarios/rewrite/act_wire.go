package rewrite

// onWire acts on the request as a whole. It may prepare A.
type onWire struct {
	edit func(s *Sample, a, b *Request, choice int) bool
}

func (r onWire) candidates(*Sample) []Site { return []Site{{}} }

func (r onWire) apply(s *Sample, site Site, choice int) (a, b Request, ok bool) {
	a, b = s.Request(), s.Request()
	return a, b, site.At == "" && r.edit(s, &a, &b, choice)
}
