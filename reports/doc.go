// Package reports renders what a run found: JSON (the interface for machines), JUnit XML, Markdown, one offline HTML page,
// and the table for a terminal. One file a format.
//
// It knows verdicts, the catalogue and histories, and must not know how a run was made. Start reading at Report.
package reports
