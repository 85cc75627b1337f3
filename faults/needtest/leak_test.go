package needtest

import (
	"testing"

	"github.com/oncespec/oncespec/faults/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }
