package engine

import "time"

// Times are the durations of the steps of New.
type Times struct {
	Compile   time.Duration // of compiling the programs, or finding them in the driver's cache
	Table     time.Duration // of making or copying the table of G
	Answers   time.Duration // of rows with known verdicts, including the first launch of each kernel
	Crossover time.Duration // of measuring from how many rows on calls pay
}

// Times returns the durations of the steps of New.
func (e *Engine) Times() Times { return e.times }

// timed calls f, and adds the time that it takes to d.
func timed(d *time.Duration, f func() error) error {
	begin := time.Now()
	err := f()
	*d += time.Since(begin)
	return err
}
