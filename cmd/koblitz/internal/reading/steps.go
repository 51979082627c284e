package reading

// A Queue collects the results of a reader and divides them into batches.
type Queue interface {
	// Any reports whether Take has something to return.
	Any() bool
	// Full reports whether the queue holds enough for a batch.
	Full() bool
	// Take removes the next batch from the queue and returns it, or returns nil. consumed is the
	// batch's Consumed value. soon reports whether the reader will add more without waiting for
	// input.
	Take(consumed int64, soon bool) Batch
}

// Steps implements Next for readers that read in steps and put the results into a queue. After a
// step fails, Next returns the queue's remaining batches before the error.
type Steps struct {
	Queue Queue
	// Start runs before the first call of Step. It may be nil.
	Start func() error
	// Step reads a part of the input.
	Step func() error
	// Wait reports whether the next step may block until input arrives. It may be nil.
	Wait func() bool
	// End runs after a step that returned an error, which may be io.EOF, with that error. It adds
	// results that are left, and returns the error for Next. It may be nil.
	End func(error) error
	// Position returns the number of bytes of the file read so far.
	Position func() int64

	err     error
	started bool
}

// Close implements Reader. It has nothing to close.
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
