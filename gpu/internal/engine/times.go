package engine

import "time"

// Times are the durations of the steps of New.
type Times struct {
	Compile   time.Duration // compiling the programs, or finding them in the driver's cache
	Table     time.Duration // making or copying the table of G
	Answers   time.Duration // running rows with known verdicts, and each kernel's first launch
	Crossover time.Duration // measuring the least numbers of rows for which the device is faster
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
