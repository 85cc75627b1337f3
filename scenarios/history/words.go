package history

// Moments of readings that procedures share. A procedure may have words of its own besides.
const (
	Beforehand = "before" // before anything was sent
	WhileHeld  = "held"   // while the first one's work is held
	Afterwards = "after"  // when the procedure is done with the intent
	AtTheEnd   = "final"  // when all of the run is quiet
)

// Kinds of faults.
const (
	// At the downstream gate.
	FaultHold           = "hold"
	FaultRelease        = "release"
	FaultFailDownstream = "fail-downstream"
	FaultLoseDownstream = "lose-downstream"
	// In the target's life.
	FaultKill    = "kill"
	FaultRestart = "restart"
	FaultStop    = "stop"
	FaultPause   = "pause"
	FaultResume  = "resume"
	FaultSteps   = "steps" // a paused one was let work for moments, until the kill that follows
	FaultClock   = "clock"
	// On the link to its store.
	FaultStoreHold    = "store-hold"
	FaultStoreRelease = "store-release"
	FaultStoreCut     = "store-cut"
	FaultStoreMend    = "store-mend"
	FaultStoreDelay   = "store-delay"
	FaultStoreSilence = "store-silence"
)

// FaultKinds are all there are. A history that names another one was not written by a run.
var FaultKinds = []string{
	FaultHold, FaultRelease, FaultFailDownstream, FaultLoseDownstream,
	FaultKill, FaultRestart, FaultStop, FaultPause, FaultResume, FaultSteps, FaultClock,
	FaultStoreHold, FaultStoreRelease, FaultStoreCut, FaultStoreMend, FaultStoreDelay, FaultStoreSilence,
}
