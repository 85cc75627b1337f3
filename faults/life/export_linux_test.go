package life

// Carriers counts the processes that a life has started and that have not ended.
func Carriers(p *Process) int { return len(carriers(p.cookie)) }
