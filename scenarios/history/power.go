package history

// Power is what a rung saw of the bundled known-racy server: how often one burst of it found a check-then-insert.
type Power struct {
	Rung       string        `json:"rung"`
	Keys       int           `json:"keys"`                 // in each burst
	Requests   int           `json:"requests"`             // in each burst, the same number with each key
	Replicas   int           `json:"replicas,omitempty"`   // servers on one store, to which the requests with a key went in turn; 0: one
	Cores      int           `json:"cores"`                // that server and harness had between them
	Windows    []PowerWindow `json:"windows,omitempty"`    // each kind from the shortest on
	Unmeasured string        `json:"unmeasured,omitempty"` // why nothing, or no busy window, was measured
}

// PowerWindow is one window between the check and the insertion.
type PowerWindow struct {
	US         int64   `json:"us"`   // its length in microseconds; where the records are in a store of their own, the round trip to it comes on top
	Busy       bool    `json:"busy"` // spent computing; else the processor is free, as while waiting for a database
	Rounds     int     `json:"rounds"`
	Overlapped int     `json:"overlapped"` // rounds in which handlers of one key truly ran at a time, by the server's own clock
	Hits       int     `json:"hits"`       // rounds in which more than one did the work
	Floor      float64 `json:"floor"`      // the chance of a hit is at least this, with 95 % confidence
}
