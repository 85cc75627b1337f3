// Package mockapi is a small API that does retried writes exactly once: tickets, labels, accounts and payments over HTTP.
//
// It is the reference that the conformance suite runs against when it is given no other target, and, with one defect put in
// (Options.Mutant), the proof that the suite finds that defect. New assembles the domains (tickets, payments), the claim
// flow (flow), a claim store (store) and perhaps a mutant (mutants) into one http.Handler.
//
// The package must not know the suite, its faults or its rules. Start reading at New, then flow.Do.
package mockapi
