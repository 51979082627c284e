package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/gpu/internal/launch"
	"github.com/koblitz-go/koblitz/gpu/kernels"
	"github.com/koblitz-go/koblitz/group"
)

// An inputs holds the operands of all operations, which are public and different, and those of
// kernels random. Numbers are 32 bytes, big-endian.
type inputs struct {
	seed   uint64
	n      int
	a, b   [][32]byte // elements of the field, some of them p or more, which kernels accept
	k      []*group.Scalar
	p, q   line
	signed *launch.Sample // rows of calls, after sign
}

// A line holds the points (start + i·step)·G. Their discrete logarithms are known, so one product
// with G checks what a device computes from them.
type line struct {
	start, step *group.Scalar
	points      [][64]byte // x and y
}

// log returns the discrete logarithm of point i.
func (l *line) log(i int) *group.Scalar {
	k := new(group.Scalar).SetUint64(uint64(i))
	return k.Add(k.Mul(k, l.step), l.start)
}

// newInputs returns n operands of each sort.
func newInputs(ctx context.Context, seed uint64, n int) (*inputs, error) {
	in := &inputs{seed: seed, n: n, a: make([][32]byte, n), b: make([][32]byte, n),
		k: make([]*group.Scalar, n)}
	for i, l := range []*line{&in.p, &in.q} {
		r := in.random("line", i)
		*l = line{randomScalar(r), randomScalar(r), make([][64]byte, n)}
	}
	return in, parallel(ctx, n, func(lo, hi int) {
		r := in.random("operands", lo)
		for i := lo; i < hi; i++ {
			in.k[i] = randomScalar(r)
			_, _ = r.Read(in.a[i][:]) // never fails
			_, _ = r.Read(in.b[i][:])
			if i%64 == 1 {
				copy(in.a[i][:], bytes.Repeat([]byte{0xff}, 28))
			}
		}
		in.p.fill(lo, hi)
		in.q.fill(lo, hi)
	})
}

// random returns a source of random numbers that depend on the seed and the arguments alone.
func (in *inputs) random(purpose string, i int) *rand.ChaCha8 {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], in.seed)
	binary.LittleEndian.PutUint64(seed[8:], uint64(i))
	copy(seed[16:], purpose)
	return rand.NewChaCha8(seed)
}

// randomScalar returns a random scalar, which is not zero in practice.
func randomScalar(r *rand.ChaCha8) *group.Scalar {
	var b [32]byte
	_, _ = r.Read(b[:])                             // never fails
	k, _ := new(group.Scalar).SetBytesReduced(b[:]) // no error for 32 bytes
	return k
}

// fill computes the points of l from lo to hi − 1.
func (l *line) fill(lo, hi int) {
	points := make([]group.Point, hi-lo)
	points[0].ScalarBaseMultVartime(l.log(lo))
	step := new(group.Point).ScalarBaseMultVartime(l.step)
	for i := range points[1:] {
		points[i+1].Add(&points[i], step)
	}
	group.BatchNormalize(points)
	for i := range points {
		l.points[lo+i] = kernels.Coordinates(&points[i])
	}
}

// sample returns at most the given number of rows, out of n, whose results are checked: all, or
// the first, the last and random ones.
func (in *inputs) sample(n, most int) []int {
	rows := make([]int, min(n, most))
	random := rand.New(in.random("sample", n))
	for i := range rows {
		rows[i] = i
		if n > most && i > 0 {
			rows[i] = random.IntN(n)
		}
	}
	rows[len(rows)-1] = n - 1
	return rows
}

// parallel calls f, on all CPUs, for ranges that make up the numbers from 0 to n − 1. When ctx
// ends, it calls f no more, and returns ctx.Err(). All long work of the CPU is done in this way, so
// that only the driver can keep the program from ending.
func parallel(ctx context.Context, n int, f func(lo, hi int)) error {
	const each = 256
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for ctx.Err() == nil {
				lo := int(next.Add(each)) - each
				if lo >= n {
					return
				}
				f(lo, min(lo+each, n))
			}
		})
	}
	all.Wait()
	return ctx.Err()
}
