package msm

import (
	"context"
	"errors"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/cpu"
)

// A sumModel is an Accumulator with a model of it: the discrete logarithm of the sum.
type sumModel struct {
	a   *Accumulator
	log group.Scalar
}

// step calls one method of the accumulator, and updates the model or compares the accumulator with
// it. The bytes choose the method, the number of terms, and when the context ends.
func (m *sumModel) step(
	t *testing.T, known []group.Point, logs []group.Scalar, r *rand.Rand, step, b byte,
) {
	t.Helper()
	ctx := context.Context(context.Background())
	if step&16 != 0 {
		ctx = after(int64(b % 8)) // done at one of the next calls of Err
	}
	switch step % 8 {
	default:
		n := int(b) % 24
		if b > 250 {
			n = 1000
		}
		scalars, points := make([]group.Scalar, n), make([]group.Point, n)
		log := m.log
		for i := range n {
			k := r.Intn(len(known))
			if scalars[i] = randomScalar(r); step&32 != 0 {
				scalars[i].SetUint64(uint64(r.Intn(3)))
			}
			points[i] = known[k]
			log.Add(&log, new(group.Scalar).Mul(&scalars[i], &logs[k]))
		}
		err := m.a.AddVartime(ctx, scalars, points)
		clear(scalars) // the accumulator must not keep them
		clear(points)
		switch {
		case err == nil:
			m.log = log
		case !errors.Is(err, context.Canceled) || step&16 == 0:
			t.Fatalf("AddVartime of %d terms: %v", n, err)
		}
	case 4:
		err := m.a.AddVartime(ctx, make([]group.Scalar, b%4), make([]group.Point, b%4+1))
		if err == nil {
			t.Fatal("different numbers of scalars and points are added")
		}
	case 5, 6:
		m.sum(t, ctx, step&16 != 0)
	case 7:
		m.a.Reset()
		m.log = group.Scalar{}
	}
}

// sum compares the sum with the model. If mayEnd is set, it may return the context's error.
func (m *sumModel) sum(t *testing.T, ctx context.Context, mayEnd bool) {
	t.Helper()
	got, err := m.a.SumVartime(ctx)
	if err != nil {
		if !errors.Is(err, context.Canceled) || !mayEnd {
			t.Fatalf("SumVartime: %v", err)
		}
		return
	}
	if !got.Equal(new(group.Point).ScalarBaseMult(&m.log)) {
		t.Fatalf("another sum than %x·G: %x", m.log.Bytes(), got.Bytes())
	}
}

// FuzzAccumulator adds terms to two accumulators in turns, with contexts that end, and compares
// their sums with the sums of the logarithms.
func FuzzAccumulator(f *testing.F) {
	known, logs := randomPoints(rand.New(rand.NewSource(41)), 48)
	known[0], logs[0] = group.Point{}, group.Scalar{}
	r := rand.New(rand.NewSource(42))
	for i := range 24 {
		data := make([]byte, 30+2*i)
		r.Read(data)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 1 {
			return
		}
		data = data[:min(len(data), 300)]
		how := data[0]
		defer cpu.Restrict([]cpu.Feature{^cpu.Feature(0), ^cpu.Feature(0) &^ cpu.AVX512IFMA, 0}[how%3])()
		r := rand.New(rand.NewSource(int64(how)))
		o := &Options{Workers: 1 + int(how)/3%3}
		models := []sumModel{{a: NewAccumulator(o)}, {a: new(Accumulator)}}
		for data = data[1:]; len(data) >= 2; data = data[2:] {
			models[data[0]>>7].step(t, known, logs, r, data[0], data[1])
		}
		for i := range models {
			models[i].sum(t, context.Background(), false)
		}
	})
}
