package storm

import (
	"math/rand/v2"
)

// Options say what a schedule is drawn for.
type Options struct {
	Operation string
	Seed      uint64
	Calls     int
	Clients   int
	Changed   bool // the operation has a changed payload, and the contract refuses it
	Kill      bool // the target can be killed and started again
	Pause     bool // the target can be paused
	Held      int  // how many downstream calls a kill waits for; 0: there is no gate
}

// Draw makes a schedule of the seed. Every kind of fault comes up several times, most attempts have none, a few keys are hot:
// several clients call them at about the same time.
func Draw(o Options) *Schedule {
	r := rand.New(rand.NewPCG(o.Seed, 0x73746f726d))
	s := &Schedule{Schema: Schema, Operation: o.Operation, Seed: o.Seed}
	deck := &deck{r: r}
	hot, together := 0, 0 // the intent that several clients call at the moment, and how many more do
	intents := 0
	var done []int // intents that some call before has begun
	for i := range o.Calls {
		c := Call{Client: i%o.Clients + 1}
		switch {
		case together > 0:
			c.Intent = hot
			together--
		case o.Changed && len(done) > 2 && r.IntN(8) == 0:
			c.Intent, c.Changed = done[r.IntN(len(done)-2)], true
		case len(done) > 0 && r.IntN(10) == 0:
			c.Intent = done[r.IntN(len(done))] // somebody comes back, or a second worker takes the same job
		default:
			intents++
			c.Intent = intents
			done = append(done, intents)
			if o.Clients > 1 && r.IntN(6) == 0 {
				hot, together = intents, 1+r.IntN(min(3, o.Clients-1))
			}
		}
		if !c.Changed {
			c.Faults = deck.hand()
		}
		s.Calls = append(s.Calls, c)
	}
	s.Blows = blows(r, o)
	return s
}

// blows strike where all clients are at work: a quarter and half of the way. A kill catches some before their downstream booking,
// and some after it.
func blows(r *rand.Rand, o Options) (list []Blow) {
	quarter := max(1, o.Calls/4)
	if o.Pause {
		list = append(list, Blow{Kind: Pause, Attempt: quarter - r.IntN(max(1, quarter/2))})
	}
	if o.Kill {
		held := min(o.Held, max(1, o.Clients-1))
		list = append(list, Blow{Kind: Kill, Attempt: 2*quarter - r.IntN(max(1, quarter/2)), Held: held, Booked: held / 2})
	}
	return list
}

// shortestAnswer has a status line without a reason and nothing else: whatever comes, a cut before its end breaks it off.
const shortestAnswer = len("HTTP/1.1 204\r\n\r\n")

// deck deals faults so that each kind comes as often as the others.
type deck struct {
	r     *rand.Rand
	cards []Kind
}

// hand is the faults of one call: for none of its attempts, the first, the first two, or the second alone.
func (d *deck) hand() []Fault {
	switch d.r.IntN(6) {
	case 0, 1:
		return nil
	case 2, 3, 4:
		return []Fault{d.fault()}
	}
	return []Fault{d.fault(), d.fault()}
}

func (d *deck) fault() Fault {
	if len(d.cards) == 0 {
		d.cards = append(d.cards, Faults...)
		d.r.Shuffle(len(d.cards), func(i, j int) { d.cards[i], d.cards[j] = d.cards[j], d.cards[i] })
	}
	f := Fault{Kind: d.cards[0]}
	d.cards = d.cards[1:]
	switch f.Kind {
	case Cut:
		f.Bytes = int64(1 + d.r.IntN(shortestAnswer-1))
	case Gateway:
		f.Status = []int{502, 503, 504}[d.r.IntN(3)]
	case Delay:
		f.Attempts = 1 + d.r.IntN(4)
	}
	return f
}
