package msm

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// PackedSumVartime works like SumVartime, for encoded terms. A scalar has 32 bytes, big-endian, and
// is below n. A point has 64 bytes: both coordinates, big-endian and below p, or zeros for the
// identity. PackedSumVartime returns an error if the numbers of scalars and points differ. If a
// scalar is not below n or a point is not on the curve, the error names the first such term.
func PackedSumVartime(
	ctx context.Context, scalars32, points64 []byte, o *Options,
) (group.Point, error) {
	n := len(scalars32) / scalarSize
	if len(scalars32) != n*scalarSize || len(points64) != n*pointSize {
		return group.Point{}, fmt.Errorf(
			"msm: %d bytes of scalars and %d of points, want 32 and 64 for each term",
			len(scalars32), len(points64))
	}
	ctx = forkjoin.Context(ctx)
	options := o.get()
	if options.accepts(n) {
		if p, ok := onDevice(ctx, options.Device, scalars32, points64); ok {
			return p, nil
		}
	}
	a := takeAccumulator(options)
	defer keepAccumulator(a)
	c := a.team(n)
	defer c.Stop()
	var bad badTerm
	work := func(_, from, to int) {
		var k scalar.Scalar
		var p point.Affine
		for i := a.added + from; i < a.added+to; i++ {
			if !k.SetBytes((*[scalarSize]byte)(scalars32[i*scalarSize:])).Bool() {
				bad.set(i, "msm: scalar %d is not below the group order n")
				return
			}
			if !setPoint(&p, points64[i*pointSize:]) {
				bad.set(i, "msm: point %d is not on the curve")
				return
			}
			if p != (point.Affine{}) {
				a.sum.SetFull(a.terms+i-a.added, &k, &p)
			}
		}
	}
	if err := a.addTerms(ctx, n, c, work, &bad); err != nil {
		return group.Point{}, err
	}
	return a.result(ctx, c)
}

// A badTerm holds the invalid term with the lowest number among those that goroutines have found.
type badTerm struct {
	mutex sync.Mutex
	term  int
	err   error
}

func (b *badTerm) set(term int, format string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.err == nil || term < b.term {
		b.term, b.err = term, fmt.Errorf(format, term)
	}
}

const (
	scalarSize = 32
	pointSize  = 64
)

// setPoint sets p to the point that b begins with, or to (0, 0) for the identity. It returns false
// if the bytes are not a point of the curve.
func setPoint(p *point.Affine, b []byte) bool {
	x, y := (*[32]byte)(b), (*[32]byte)(b[32:])
	return p.X.SetBytes(x).Bool() && p.Y.SetBytes(y).Bool() &&
		(*p == (point.Affine{}) || p.IsOnCurve().Bool())
}

// accepts reports whether the options have a device that accepts a sum of n terms. A sum of no
// terms never goes to a device.
func (o *Options) accepts(n int) bool { return n > 0 && o.Device.Accepts(device.Sum, 0, n) }

// packOnDevice encodes the terms and lets the device sum them. It returns false if the device does
// not accept that number of terms, or fails. It also returns false if the numbers of scalars and
// points differ, so that the caller goes on and finds that error.
func (o *Options) packOnDevice(
	ctx context.Context, scalars []group.Scalar, points []group.Point,
) (sum group.Point, ok bool) {
	if len(scalars) != len(points) || !o.accepts(len(scalars)) {
		return sum, false
	}
	scalars32, points64 := pack(scalars, points)
	return onDevice(ctx, o.Device, scalars32, points64)
}

// onDevice returns the sum that the device computes. It returns false if the device fails, if its
// verdict is not Valid, or if its result is no point of the curve.
func onDevice(
	ctx context.Context, d *device.Device, scalars, points []byte,
) (sum group.Point, ok bool) {
	n := len(scalars) / scalarSize
	var out [pointSize]byte
	var verdict [1]device.Verdict
	call := device.Call{Kind: device.Sum, Rows: n, Verdicts: verdict[:], Results: out[:]}
	call.Columns[0] = device.Column{Data: slices.Clip(scalars), Stride: scalarSize}
	call.Columns[1] = device.Column{Data: slices.Clip(points), Stride: pointSize}
	if err := d.Run(ctx, &call); err != nil || ctx.Err() != nil || verdict[0] != device.Valid {
		return group.Point{}, false
	}
	var p point.Affine
	if !setPoint(&p, out[:]) {
		return group.Point{}, false
	}
	g := (*keys.GroupPoint)(&sum)
	if p != (point.Affine{}) {
		g.Value().SetAffine(&p)
	}
	g.Normalized()
	return sum, true
}

// pack encodes terms in the form that PackedSumVartime takes.
func pack(scalars []group.Scalar, points []group.Point) (scalars32, points64 []byte) {
	scalars32, points64 = make([]byte, 0, scalarSize*len(scalars)), make([]byte, pointSize*len(points))
	for i := range scalars {
		scalars32 = scalars[i].AppendBytes(scalars32)
	}
	var n normalizer
	for lo := 0; lo < len(points); lo += batchTerms {
		for j, p := range n.affine(points[lo:min(lo+batchTerms, len(points))]) {
			if p == (point.Affine{}) {
				continue
			}
			p.Normalize()
			b := points64[(lo+j)*pointSize:]
			p.X.PutBytes((*[32]byte)(b))
			p.Y.PutBytes((*[32]byte)(b[32:]))
		}
	}
	return scalars32, points64
}
