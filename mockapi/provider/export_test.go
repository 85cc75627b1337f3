package provider

// Remembered is how many keys the gate would answer again.
func Remembered(g *Gate) int {
	g.ledger.mu.Lock()
	defer g.ledger.mu.Unlock()
	return len(g.ledger.bookings)
}
