package target

import (
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/oncespec/oncespec/faults/life"
)

// GateURL is where the downstream stub listens, or empty.
func (t *Target) GateURL() string { return t.vars().Downstream }

// PID is that of the process that the run started.
func (t *Target) PID() int { return t.first().life.(*life.Process).PID() }

// Trust takes a certificate for a good one.
func (t *Target) Trust(c *x509.Certificate) {
	t.first().base.roots = x509.NewCertPool()
	t.first().base.roots.AddCert(c)
	t.first().reader = t.newReader(t.first())
}

// Remembered is what is kept of trials for the run's sake: keys that were sent, and calls that the gate recorded.
func (t *Target) Remembered() (keys, calls int) {
	t.keys.mu.Lock()
	defer t.keys.mu.Unlock()
	return len(t.keys.keys), len(t.gate.Calls(nil))
}

// FillGate makes calls of nobody until the gate has no room for more.
func (t *Target) FillGate() {
	for t.gate.Unrecorded() == 0 {
		t.gate.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/elsewhere", strings.NewReader(strings.Repeat("x", 100<<10))))
	}
}
