package provider

// When says at which side of its booking a call is held.
type When int

// The sides.
const (
	BeforeBooking When = iota // nothing is booked yet
	AfterBooking              // booked, not answered
)
