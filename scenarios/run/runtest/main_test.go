package runtest_test

import (
	"testing"

	"github.com/oncespec/oncespec/faults/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.AtOnce(8)
	leaktest.Main(m)
}
