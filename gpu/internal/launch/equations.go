package launch

import (
	"context"
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/equation"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// equationKinds maps each kind with one verdict for all rows to the kind that has the same columns
// and a verdict for each row.
var equationKinds = map[device.Kind]device.Kind{
	device.AllSchnorr: device.Schnorr,
	device.AllECDSA:   device.ECDSA,
}

// hasEquation reports whether a call has one verdict for all rows, and has all columns that an
// equation needs.
func hasEquation(c *device.Call) bool {
	switch c.Kind {
	case device.AllSchnorr:
		return true
	case device.AllECDSA:
		return c.Columns[3].Data != nil
	}
	return false
}

// addEquation has the device of r compute the equation of rows lo to hi − 1 of c, and adds the
// result to t. If there is no memory for that many rows, it computes several equations and adds
// them up.
func (t *tally) addEquation(ctx context.Context, r *reduction, c *device.Call, lo, hi int) error {
	for lo < hi && !t.equation.Bad() {
		shape, err := r.equationShape(hi - lo)
		if err != nil {
			return err
		}
		if err := r.load(); err != nil {
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

// equationPart has the device compute one equation, for rows lo to hi − 1 of a call.
func (r *reduction) equationPart(
	ctx context.Context, c *device.Call, shape *equation.Shape, lo, hi int,
) error {
	own := &r.equations
	err := r.one(ctx, func(q driver.Queue) error {
		own.answer.Records, own.answer.Sum.Memory = r.slots[0].cols[1].host, r.slots[0].out.host
		return shape.Begin(q, &own.memory, &own.answer)
	})
	if err != nil {
		return err
	}
	err = r.cut(ctx, lo, hi, func(s *slot, from, to int) error {
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

// A space is the memory for one sum or equation. An equationSpace is the part of it that only
// equations use; sums use the rest, too.
type equationSpace struct {
	memory equation.Memory
	answer equation.Answer
}

// equationShape returns the parameters for computing an equation of n rows, and allocates its
// memory. If n rows do not fit into memory, the parameters are for one of several parts of equal
// size. If not even one row fits, the error is driver.ErrMemory.
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
