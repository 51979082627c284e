package rows

// A Queue collects a reader's results into batches.
type Queue interface {
	// Any reports whether Take has something to return.
	Any() bool
	// Full reports whether the queue holds enough for a batch.
	Full() bool
	// Take returns the next batch, or nil. consumed is its Batch.Consumed. soon reports whether more
	// will be added to the queue without delay.
	Take(consumed int64, soon bool) Batch
}

// Steps implements Next for readers that proceed in steps and fill a queue. Next returns the error
// of a step only once the queue is empty.
type Steps struct {
	Queue Queue
	// Start runs before the first step. It may be nil.
	Start func() error
	// Step reads a part of the input.
	Step func() error
	// Wait reports whether the next step may have to wait for input. It may be nil.
	Wait func() bool
	// End runs after the last step: it adds what is left and returns the error. It may be nil.
	End func(error) error
	// Position returns how many bytes of the file have been read.
	Position func() int64

	err     error
	started bool
}

// Close implements Reader for a reader that has nothing to close.
func (s *Steps) Close() error { return nil }

// Next implements Reader.
func (s *Steps) Next() (Batch, error) {
	step := s.Step
	if !s.started && s.Start != nil {
		step = s.Start
	}
	s.started = true
	waits := func() bool { return s.Wait != nil && s.Wait() }
	for s.err == nil && !s.Queue.Full() && !(s.Queue.Any() && waits()) {
		s.err, step = step(), s.Step
		if s.err != nil && s.End != nil {
			s.err = s.End(s.err)
		}
	}
	if b := s.Queue.Take(s.Position(), s.err == nil && !waits()); b != nil {
		return b, nil
	}
	return nil, s.err
}
