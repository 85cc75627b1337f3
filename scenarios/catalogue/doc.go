// Package catalogue lists the requirements: what a retry-safe write API owes its callers, one clause a row.
//
// A row says what is asked, how strongly, what the target has to offer for it to be assessed, which other rows it builds on
// and which scenarios leave the histories it is judged by. How it is judged is a rule in the scenario's own package.
//
// The package must not know how anything is sent or judged. Start reading at Requirement, then at any rows_*.go.
package catalogue
