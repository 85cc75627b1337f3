package leaktest

import (
	"flag"
	"strconv"
)

// AtOnce lets so many parallel tests run at once, unless -parallel says otherwise. Go runs as many as there are cores; tests that
// mostly wait, for kills, leases and quiet, leave those idle. It is called before Main.
func AtOnce(tests int) {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		_ = f.Value.Set(strconv.Itoa(tests))
	}
}
