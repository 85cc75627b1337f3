package example

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/oncespec/oncespec/faults/leaktest"
)

// Ginkgo's signal handler stays for the rest of the program.
func TestMain(m *testing.M) {
	leaktest.Main(m, goleak.IgnoreAnyFunction("github.com/onsi/ginkgo/v2/internal/interrupt_handler.(*InterruptHandler).registerForInterrupts.func2"))
}
