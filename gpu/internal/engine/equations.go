package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/equation"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// equationKinds are the kinds with one verdict for all rows, and those whose columns they have.
var equationKinds = map[device.Kind]device.Kind{
	device.AllSchnorr: device.Schnorr,
	device.AllECDSA:   device.ECDSA,
}

// hasEquation returns whether a call has one verdict for all rows, to which an equation can come.
func hasEquation(c *device.Call) bool {
	switch c.Kind {
	case device.AllSchnorr:
		return true
	case device.AllECDSA:
		return c.Columns[3].Data != nil
	}
	return false
}

// addEquation has the device of r compute the equation of the rows of c from lo to hi. If there is
// no memory for as many, they have several equations, which are added up.
func (t *tally) addEquation(ctx context.Context, r *reduction, c *device.Call, lo, hi int) error {
	for lo < hi && !t.equation.Bad() {
		shape, err := r.equationShape(hi - lo)
		if err != nil {
			return err
		}
		if err := r.equationPart(ctx, c, shape, lo, lo+shape.Rows); err != nil {
			return err
		}
		if err := t.equation.Add(shape, &r.equations.answer); err != nil {
			return err
		}
		lo += shape.Rows
	}
	return nil
}

// equationPart has the device compute the equation of the rows from lo to hi.
func (r *reduction) equationPart(
	ctx context.Context, c *device.Call, shape *equation.Shape, lo, hi int,
) error {
	own := &r.equations
	err := r.one(ctx, func(q driver.Queue) error {
		return shape.Begin(q, &own.memory, &own.answer)
	})
	if err != nil {
		return err
	}
	err = r.each(ctx, lo, hi, func(s *slot, from, to int) error {
		p, _ := programOf(equationKinds[c.Kind])
		var cols [4]driver.Buffer
		for i, width := range p.widths {
			if err := s.write(i, &c.Columns[i], width, from, to); err != nil {
				return err
			}
			cols[i] = s.cols[i].buffer
		}
		if err := r.settleOthers(ctx, s); err != nil {
			return err
		}
		return shape.Write(s.queue, &own.memory, &own.answer, c.Kind, kernels.Flags(c), from-lo, to-from,
			cols)
	})
	if err != nil {
		return err
	}
	return r.one(ctx, func(q driver.Queue) error {
		return shape.Finish(q, &own.memory, &own.answer)
	})
}

// equationSpace is what a space has for equations, besides what it has for sums.
type equationSpace struct {
	memory equation.Memory
	answer equation.Answer
}

// equationShape returns the shape of an equation of n rows, or of an equal part of them for which
// there is memory, and has that. If there is none for one row, the error is driver.ErrMemory.
func (r *reduction) equationShape(n int) (*equation.Shape, error) {
	n = min(n, equation.MaxRows)
	for parts := 1; ; parts *= 2 {
		s := equation.New((n + parts - 1) / parts)
		if s.Bytes() <= r.most {
			err := r.equations.memory.Grow(r.dev, s, r.most)
			if err == nil {
				return s, nil
			}
			if !errors.Is(err, driver.ErrMemory) {
				return nil, err
			}
			r.equations.memory.Free()
			r.most = s.Bytes() - 1
		}
		if s.Rows == 1 {
			return nil, fmt.Errorf("%w for an equation", driver.ErrMemory)
		}
	}
}

// openEquations is what New does for equations. On a device that has no memory for the least ones
// they never pay.
func (e *Engine) openEquations(ctx context.Context, o *Options) error {
	err := timed(&e.times.Answers, func() error { return e.equationAnswers(ctx) })
	if errors.Is(err, driver.ErrMemory) {
		for k := range equationKinds {
			delete(e.crossover, k)
		}
		return nil
	}
	if err != nil {
		return err
	}
	return timed(&e.times.Crossover, func() error { return e.equationCrossover(ctx, o) })
}

// equationCrossover sets from how many rows on an equation pays: as stated, or as measured. The
// host takes equations too, and the less time for a row the more there are, so both are timed with
// equal numbers.
func (e *Engine) equationCrossover(ctx context.Context, o *Options) error {
	var s *sample
	for k := range equationKinds {
		if e.isStated(k, o) {
			continue
		}
		if s == nil {
			var err error
			if s, err = newSample(hostRows); err != nil {
				return err
			}
		}
		n, err := e.measureEquation(ctx, s, k)
		if err != nil {
			return err
		}
		if n > 0 {
			e.crossover[k] = n
		}
	}
	return nil
}

// measureEquation returns from how many rows on an equation of a kind pays, or 0 if none was found
// in the time for that.
func (e *Engine) measureEquation(ctx context.Context, s *sample, k device.Kind) (int, error) {
	return measureBoth(driver.Group, func(n int) *device.Call { return s.call(k, n) },
		func(c *device.Call) error { return e.reduced(ctx, c) },
		func(c *device.Call) error { return cpu.Do(ctx, c, nil) })
}
