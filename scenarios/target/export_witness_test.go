package target

// Size is how many bytes the whole request has.
func (f *Flight) Size() int64 { return f.size() }
