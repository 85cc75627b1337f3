// Package rule holds what the rules of all packs share: the case they judge, the findings they return, and the invariant of
// exactly-once, computed from what a history shows.
//
// Everything here is pure. The package must not know how a history came about, and it does not call the reference model:
// sharing one function between the thing judged and the judge would prove nothing. Start reading at Rule, then Tally.
package rule
