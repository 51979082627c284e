package launch

import (
	"bytes"
	"context"
	"fmt"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/sums"
)

// addSum has the device of r add up terms lo to hi − 1 of c, and adds the sum to t. If there is no
// memory for that many terms, it computes several sums with equal numbers of terms.
func (t *tally) addSum(ctx context.Context, r *reduction, c *device.Call, lo, hi int) error {
	for lo < hi && !t.malformed {
		shape, err := r.shape(hi - lo)
		if err != nil {
			return err
		}
		if err := r.load(); err != nil {
			return err
		}
		err = r.one(ctx, func(q driver.Queue) error {
			r.answer.Memory = r.slots[0].out.host
			return shape.Begin(q, &r.memory, &r.answer)
		})
		if err != nil {
			return err
		}
		err = r.cut(ctx, lo, lo+shape.Terms, func(s *slot, from, to int) error {
			return r.terms(ctx, shape, s, c, from-lo, from, to)
		})
		if err != nil {
			return err
		}
		err = r.one(ctx, func(q driver.Queue) error {
			return shape.Sum(q, &r.memory, &r.answer)
		})
		if err != nil {
			return err
		}
		if err := t.sum.Add(shape, &r.answer); err != nil {
			return err
		}
		t.malformed = r.answer.Malformed()
		lo += shape.Terms
	}
	return nil
}

// terms enqueues rows lo to hi − 1 of c. They become consecutive terms of the sum; start is the
// index of the first of these terms.
func (r *reduction) terms(
	ctx context.Context, shape *sums.Shape, s *slot, c *device.Call, start, lo, hi int,
) error {
	for i, width := range [2]int{32, 64} {
		if err := s.write(i, &c.Columns[i], width, lo, hi); err != nil {
			return err
		}
	}
	if err := r.settleOthers(ctx, s); err != nil {
		return err
	}
	return shape.Parse(s.queue, &r.memory, start, hi-lo, s.cols[0].buffer, s.cols[1].buffer)
}

// sumCall returns a call for the sum of n products of a scalar and a point. If there are fewer than
// n products, it repeats them. points holds both coordinates of each point.
func sumCall(scalars, points []byte, n int) *device.Call {
	c := &device.Call{Kind: device.Sum, Rows: n, Verdicts: make([]device.Verdict, 1),
		Results: make([]byte, 64)}
	for i, data := range [2][]byte{scalars, points} {
		width := 32 << i
		times := (n*width + len(data) - 1) / len(data)
		c.Columns[i] = device.Column{Data: bytes.Repeat(data, times)[:n*width], Stride: width}
	}
	return c
}

// points returns the affine coordinates of the sample's keys. All rows of the sample must be valid.
func (s *sample) points(ctx context.Context) ([]byte, error) {
	n := len(s.keys) / 33
	c := s.call(device.Decompress, n)
	if err := cpu.Do(ctx, c, nil); err != nil {
		return nil, err
	}
	points := make([]byte, 0, 64*n)
	for i := range n {
		points = append(points, c.Results[i*device.KeySize+1:][:64]...)
	}
	return points, nil
}

// sumAnswers checks the device's answers to sums that the host knows: a sum of one term; a sum with
// zeros, the identity, the scalar n − 1, and terms that are equal or opposite; and a sum with one
// malformed term.
func (e *Engine) sumAnswers(ctx context.Context) error {
	s, err := newSample(answerRows)
	if err != nil {
		return err
	}
	points, err := s.points(ctx)
	if err != nil {
		return err
	}
	mixed := sumCall(s.scalars, points, answerRows)
	scalars, encoded := mixed.Columns[0].Data, mixed.Columns[1].Data
	one := append(make([]byte, 31), 1)
	for i := range answerRows {
		k, q := scalars[32*i:][:32], encoded[64*i:][:64]
		switch i % 8 {
		case 1:
			clear(q)
		case 3:
			clear(k)
		case 5, 6: // the negative of the term before it, and that term once more
			copy(k, scalars[32*(i-1):])
			copy(q, encoded[64*(i-1):])
			if i%8 == 5 {
				err = negate(k)
			}
		case 7:
			copy(k, one)
			err = negate(k)
		}
		if err != nil {
			return err
		}
	}
	malformed := sumCall(s.scalars, points, answerRows)
	malformed.Columns[1].Data[64*answerRows-1] ^= 1
	for _, c := range []*device.Call{sumCall(s.scalars, points, 1), mixed, malformed} {
		want := *c
		want.Verdicts, want.Results = make([]device.Verdict, 1), make([]byte, 64)
		if err := cpu.Do(ctx, &want, nil); err != nil {
			return err
		}
		if err := e.do(ctx, c); err != nil {
			return err
		}
		if c.Verdicts[0] != want.Verdicts[0] || !bytes.Equal(c.Results, want.Results) {
			return fmt.Errorf("%w: another sum", ErrAnswer)
		}
	}
	return nil
}
