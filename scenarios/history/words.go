package history

// Moments of readings that procedures share. A procedure may have words of its own besides.
const (
	Beforehand = "before" // before anything was sent
	WhileHeld  = "held"   // while the first one's work is held
	Afterwards = "after"  // when the procedure is done with the intent
	AtTheEnd   = "final"  // when all of the run is quiet
)

// Faults at the downstream gate.
const (
	FaultHold    = "hold"
	FaultRelease = "release"
)
