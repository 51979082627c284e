package engine

import "time"

// Times are what New took, by its parts.
type Times struct {
	Compile   time.Duration // the driver makes code of the programs, or finds it in its cache
	Table     time.Duration // the table of G comes to the device
	Answers   time.Duration // rows whose verdicts are known: the first launches of all kinds
	Crossover time.Duration // it is measured from how many rows on a call pays
}

// Times returns what New took.
func (e *Engine) Times() Times { return e.times }

// timed calls f, and adds the time that it takes to d.
func timed(d *time.Duration, f func() error) error {
	begin := time.Now()
	err := f()
	*d += time.Since(begin)
	return err
}
