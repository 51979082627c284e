package msm

import (
	"bytes"
	"context"
	"errors"
	"math/rand"
	"runtime"
	"testing"

	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/reference"
)

func randomScalar(r *rand.Rand) (s group.Scalar) {
	b := make([]byte, 64)
	r.Read(b)
	s.SetUniformBytes(b)
	return s
}

// randomPoints returns random points with their discrete logarithms. Some points are the identity,
// or equal or opposite to others, with a denominator of 1 or another one.
func randomPoints(r *rand.Rand, n int) (points []group.Point, logs []group.Scalar) {
	points, logs = make([]group.Point, n), make([]group.Scalar, n)
	step := randomScalar(r)
	d := new(group.Point).ScalarBaseMult(&step)
	var at group.Scalar
	var p group.Point
	for i := range n {
		if i%16 == 15 { // set the denominator to 1 now and then
			list := []group.Point{p}
			group.BatchNormalize(list)
			p.Set(&list[0])
		}
		if r.Intn(4) != 0 {
			p.Add(&p, d)
			at.Add(&at, &step)
		} else {
			p.Negate(&p)
			at.Negate(&at)
		}
		points[i].Set(&p)
		logs[i].Set(&at)
	}
	return points, logs
}

// terms returns n random terms. Some scalars are 0 or 1. The sum is log·G.
func terms(r *rand.Rand, n int) (scalars []group.Scalar, points []group.Point, log *group.Scalar) {
	points, logs := randomPoints(r, n)
	scalars, log = make([]group.Scalar, n), new(group.Scalar)
	for i := range n {
		scalars[i] = randomScalar(r)
		if r.Intn(8) == 0 {
			scalars[i].SetUint64(uint64(r.Intn(2)))
		}
		log.Add(log, new(group.Scalar).Mul(&scalars[i], &logs[i]))
	}
	return scalars, points, log
}

// least is the minimum size in bytes of a point's table: two coordinates each of the point P and of
// λ·P.
const least = 4 * field.Size

// TestSum checks sums of points, of encoded terms, and of prepared points with tables of several
// sizes.
func TestSum(t *testing.T) {
	t.Log(cpu.Implementations())
	r := rand.New(rand.NewSource(1))
	for _, n := range []int{0, 1, 2, 3, 10, 30, 40, 127, 128, 129, 255, 256, 257, 700, 1000, 3000} {
		scalars, points, log := terms(r, n)
		want := new(group.Point).ScalarBaseMult(log)
		scalars32, points64 := pack(scalars, points)
		for workers := range 4 {
			o := &Options{Workers: workers}
			check := func(name string, got group.Point, err error) {
				if err != nil || !got.Equal(want) {
					t.Errorf("%s of %d terms, %d workers: another sum, %v", name, n, workers, err)
				}
			}
			got, err := SumVartime(context.Background(), scalars, points, o)
			check("SumVartime", got, err)
			got, err = PackedSumVartime(context.Background(), scalars32, points64, o)
			check("PackedSumVartime", got, err)
			for _, each := range []int{least, 512, 4096} {
				if n > 700 || workers == 3 {
					break
				}
				b, err := Prepare(points, each*n)
				if err != nil || b.Len() != n || b.Size() > each*n {
					t.Fatalf("%d points: %v", n, err)
				}
				got, err := b.SumVartime(context.Background(), scalars, o)
				check("Bases", got, err)
			}
		}
	}
}

// TestErrors checks arguments that are errors, and contexts that are done before the call.
func TestErrors(t *testing.T) {
	scalars, points, _ := terms(rand.New(rand.NewSource(3)), 5)
	scalars32, points64 := pack(scalars, points)
	for _, size := range []int{5*least - 1, -1} {
		if _, err := Prepare(points, size); err == nil {
			t.Errorf("%d bytes are enough for the tables of five points", size)
		}
	}
	b, a := reference.Must(Prepare(points, 5*least)), NewAccumulator(nil)
	if err := a.AddVartime(context.Background(), scalars, points); err != nil {
		t.Fatal(err)
	}
	if got, err := SumVartime(context.Background(), scalars, points[:4], nil); err == nil ||
		!got.IsIdentity() {
		t.Error("4 points for 5 scalars are accepted")
	}
	if _, err := b.SumVartime(context.Background(), scalars[:4], nil); err == nil {
		t.Error("4 scalars for 5 prepared points are accepted")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, f := range map[string]func() (group.Point, error){
		"AddVartime": func() (p group.Point, err error) {
			return p, a.AddVartime(ctx, scalars, points)
		},
		"SumVartime of an Accumulator": func() (group.Point, error) { return a.SumVartime(ctx) },
		"SumVartime of Bases": func() (group.Point, error) {
			return b.SumVartime(ctx, scalars, nil)
		},
		"SumVartime": func() (group.Point, error) { return SumVartime(ctx, scalars, points, nil) },
		"PackedSumVartime": func() (group.Point, error) {
			return PackedSumVartime(ctx, scalars32, points64, nil)
		},
	} {
		if _, err := f(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s does not see that it is cancelled: %v", name, err)
		}
	}
}

// TestStream checks the sum of terms that are added in groups of any length, over several parts.
// Memory must not grow with their number.
func TestStream(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	total := partTerms + 4000
	if cputest.Deep() {
		total = 1 << 20
	}
	scalars, points, log := terms(r, 3000)
	piece := new(group.Point).ScalarBaseMult(log)

	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	a := NewAccumulator(&Options{Workers: 2})
	add := func(scalars []group.Scalar, points []group.Point) {
		if err := a.AddVartime(context.Background(), scalars, points); err != nil {
			t.Fatal(err)
		}
	}
	sum := new(group.Point)
	for range total/len(scalars) + 1 {
		k := r.Intn(len(scalars) + 1)
		add(scalars[:k], points[:k])
		add(scalars[k:], points[k:])
		sum.Add(sum, piece)
	}
	got, err := a.SumVartime(context.Background())
	if err != nil || !got.Equal(sum) {
		t.Errorf("%d terms: another sum, %v", total, err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	kept := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	t.Logf("%d terms: %d KiB kept, %d KiB allocated in all",
		total, kept>>10, (after.TotalAlloc-before.TotalAlloc)>>10)
	if kept > 48<<20 {
		t.Errorf("the accumulator keeps %d bytes", kept)
	}
	runtime.KeepAlive(a)

	// Identities add nothing, also in memory that held other terms.
	add(scalars, make([]group.Point, len(scalars)))
	if got, err := a.SumVartime(context.Background()); err != nil || !got.Equal(sum) {
		t.Errorf("identities change the sum, %v", err)
	}
	a.Reset()
	if got, err := a.SumVartime(context.Background()); err != nil || !got.IsIdentity() {
		t.Errorf("after Reset there is a sum, %v", err)
	}

	// PackedSumVartime also adds up more than partTerms terms in parts.
	const repeats = partTerms/3000 + 2
	scalars32, points64 := pack(scalars, points)
	got, err = PackedSumVartime(context.Background(), bytes.Repeat(scalars32, repeats),
		bytes.Repeat(points64, repeats), nil)
	if err != nil || !got.Equal(sum.ScalarMult(new(group.Scalar).SetUint64(repeats), piece)) {
		t.Errorf("encoded terms: another sum, %v", err)
	}
}

// TestNilAccumulator checks that methods of a nil Accumulator return an error if they have an error
// result, and that Reset does nothing.
func TestNilAccumulator(t *testing.T) {
	var a *Accumulator
	a.Reset()
	scalars, points, _ := terms(rand.New(rand.NewSource(3)), 2)
	for n := range 3 {
		if err := a.AddVartime(context.Background(), scalars[:n], points[:n]); err == nil {
			t.Errorf("%d terms are added to nil", n)
		}
	}
	if p, err := a.SumVartime(context.Background()); err == nil || !p.Equal(new(group.Point)) {
		t.Errorf("the sum of nil is %v, %v", p, err)
	}
}
