package fuzz

// ahead is how many jobs wait for each that is under way, so that nobody idles while an earlier one takes long.
const ahead = 1

// inTurn does jobs, up to width of them at a time, and takes what came of them in the order in which they were begun, each
// after the one before was taken. Next and take are called one at a time: what they decide depends on answers, never on which
// came first. It returns the first error of take, when no job is under way any more.
func inTurn[R any](width int, next func() (job func() R, more bool), take func(R) error) error {
	var under []chan R
	window := width
	if width > 1 {
		window += ahead * width
	}
	free := make(chan struct{}, width)
	defer func() {
		for _, c := range under {
			<-c
		}
	}()
	for {
		for len(under) < window {
			job, more := next()
			if !more {
				break
			}
			c := make(chan R, 1)
			under = append(under, c)
			free <- struct{}{}
			go func() {
				r := job()
				<-free
				c <- r
			}()
		}
		if len(under) == 0 {
			return nil
		}
		first := under[0]
		under = under[1:]
		if err := take(<-first); err != nil {
			return err
		}
	}
}

// each is inTurn for a list.
func each[T, R any](width int, list []T, begin func(T) func() R, take func(T, R) error) error {
	begun, taken := 0, 0
	return inTurn(width, func() (func() R, bool) {
		if begun == len(list) {
			return nil, false
		}
		begun++
		return begin(list[begun-1]), true
	}, func(r R) error {
		taken++
		return take(list[taken-1], r)
	})
}
