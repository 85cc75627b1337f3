// Package racy is a server with a known race, to find out what a race tool can see.
//
// It does each keyed request once, as long as no two with one key are in its window at a time: it looks for the key, lets the
// window pass, and inserts it. How long the window is, and whether the processor is free or busy meanwhile, each request says
// for itself. Its answers tell when the handler began and ended, so that it is known which requests truly met.
//
// Its records are kept in memory, or in a [Store] behind a connection that somebody may slow down or hold, and that several
// servers may share as replicas do.
//
// It must not know who races it. Start reading at [Server], then [Call].
package racy
