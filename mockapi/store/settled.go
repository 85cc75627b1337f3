package store

import "time"

// micros is how the stores keep a time: 0 for none, else microseconds since 1970, which is as fine as all of them can do.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func settled(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}
