package peer

import (
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/msm"
)

// batchCalls holds the families of batches that koblitz processes by a Call. Function fields
// returns the fields of a row.
var batchCalls = []struct {
	family string
	call   Call
	exact  bool
	fields func(r *Row) [][]byte
}{
	{"schnorr-batch", VerifySchnorr, true, func(r *Row) [][]byte {
		return [][]byte{r.XOnly, r.Hash, r.Schnorr}
	}},
	{"ecdsa-batch", VerifyECDSA, false, func(r *Row) [][]byte {
		return [][]byte{r.Key, r.Hash, r.ECDSA}
	}},
	{"recover-batch", Recover, false, func(r *Row) [][]byte {
		return [][]byte{r.Hash, r.Recoverable}
	}},
	{"parse-batch", Decompress, false, func(r *Row) [][]byte { return [][]byte{r.Key} }},
	{"ellswift-decode-batch", DecodeEllswift, false, func(r *Row) [][]byte {
		return [][]byte{r.Ellswift}
	}},
	{"tweak-check-batch", CheckTweaks, false, func(r *Row) [][]byte {
		return [][]byte{r.XOnly, r.Hash, r.Output, r.Parity}
	}},
	{"pubkeys-batch", PublicKeys, false, func(r *Row) [][]byte { return [][]byte{r.Secret} }},
	{"ecdh-batch-pairs", SharedX, false, func(r *Row) [][]byte {
		return [][]byte{r.Secret, r.Next.Key}
	}},
	{"schnorr-sign-batch", SignSchnorr, false, func(r *Row) [][]byte {
		return [][]byte{r.Secret, r.Hash, r.Aux}
	}},
	{"ecdsa-sign-batch", SignECDSA, false, func(r *Row) [][]byte {
		return [][]byte{r.Secret, r.Hash}
	}},
}

// A together processes a batch in one call. Function call returns the number of valid rows. If
// results is nil, the rows are signatures.
type together struct {
	call    func() (valid int, err error)
	results func() [][]byte
	note    string
}

// addBatches adds to d the drivers of a family that process a batch in one call.
func (in *Inputs) addBatches(
	d map[string]Driver, family string, prepare func(rows []*Row) together,
) {
	for _, n := range in.sizes(family) {
		b := prepare(in.many[:n])
		if b.results == nil {
			b.results = func() [][]byte { return slices.Repeat([][]byte{verdict(true)}, n) }
		}
		d[fmt.Sprintf("%s-%d", family, n)] = stores(func(int) { accept(must(b.call()) == n) },
			func() []byte { return slices.Concat(b.results()...) }).noted(b.note)
	}
}

// A preparation returns the call that processes rows of a family together.
type preparation struct {
	family  string
	prepare func(rows []*Row) together
}

// calls returns koblitz's calls that process batches, with the given number of workers.
func (in *Inputs) calls(workers int) (all []preparation) {
	for _, f := range batchCalls {
		all = append(all, preparation{f.family, func(rows []*Row) together {
			c := NewColumns(f.call, each(rows, f.fields))
			c.Workers, c.Exact, c.Unchecked = workers, f.exact, true
			return together{call: c.Run, results: c.Results}
		}})
	}
	return append(append(all, in.singleVerdicts(workers)...), in.scanTogether(workers))
}

// koblitzBatches adds to d koblitz's drivers that process batches and sums in one call.
func koblitzBatches(in *Inputs, d map[string]Driver) {
	for _, f := range in.calls(1) {
		in.addBatches(d, f.family, f.prepare)
	}
	a := in.account()
	in.addBatches(d, "bip32-batch", func(rows []*Row) together {
		buf := make([]byte, 64*len(rows))
		c := NewColumns(TweakAdd, each(rows, func(r *Row) [][]byte { return nil }))
		c.fields = []batch.Column{batch.Same(a.key), batch.Strided(buf, 32, 64)}
		return together{results: c.Results, call: func() (int, error) {
			for i := range rows {
				a.appendTweak(buf[:64*i], i)
			}
			return c.Run()
		}}
	})
	tag := hashTag()
	in.addBatches(d, "hash-to-curve-batch", func(rows []*Row) together {
		points := make([]group.Point, len(rows))
		hashes := each(rows, func(r *Row) []byte { return r.Hash })
		return together{
			call: func() (int, error) { return len(rows), group.BatchHashToCurve(points, hashes, tag) },
			results: func() [][]byte {
				return each(points, func(p group.Point) []byte { return p.Bytes() })
			},
		}
	})
	// The time of a sum includes adding the terms to the accumulator.
	scalars, points := each(in.Scalars, groupScalar), each(in.Points, groupPoint)
	sums(in, d, summer(scalars, points, 1), func(p group.Point) []byte { return p.Bytes() })
}

// summer returns a function that computes the sum of the first n products.
func summer(scalars []group.Scalar, points []group.Point, workers int) func(n int) group.Point {
	sum := msm.NewAccumulator(&msm.Options{Workers: workers})
	return func(n int) group.Point {
		sum.Reset()
		must(0, sum.AddVartime(ctx, scalars[:n], points[:n]))
		return must(sum.SumVartime(ctx))
	}
}

// Growing returns functions that process the first n rows or terms of in with the given number of
// workers, for each n of sizes, by the names of the families of batches and sums. A function panics
// if a row has the wrong verdict.
func (in *Inputs) Growing(workers int, sizes []int) map[string]func() []func() {
	all := map[string]func() []func(){}
	for _, f := range in.calls(workers) {
		all[f.family] = func() []func() {
			return each(sizes, func(n int) func() {
				b := f.prepare(in.many[:n])
				return func() { accept(must(b.call()) == n) }
			})
		}
	}
	all[Sums] = func() []func() {
		scalars, points := each(in.Scalars, groupScalar), each(in.Points, groupPoint)
		return each(sizes, func(n int) func() {
			sum := summer(scalars, points, workers) // its memory is that of n terms
			return func() { sum(n) }
		})
	}
	return all
}

func groupScalar(b []byte) group.Scalar {
	s := scalarOf(b)
	return *must(new(group.Scalar).SetBytes(encodeScalar(&s)))
}

// groupPoint returns the point with the coordinates x ‖ y.
func groupPoint(b []byte) group.Point {
	var j point.Jacobian
	p := affineOf(b)
	return *must(new(group.Point).SetBytes(compress(j.SetAffine(&p))))
}

// singleVerdicts returns the calls that verify many signatures by an accumulator, which returns one
// verdict for all of them.
func (in *Inputs) singleVerdicts(workers int) []preparation {
	o := &batch.Options{Workers: workers}
	s := batch.NewSchnorr(len(in.many), o)
	e := batch.NewECDSA(len(in.many), batch.AnyS, o)
	verify := func(family string, call func(rows []*Row) (bool, error)) preparation {
		return preparation{family, func(rows []*Row) together {
			return together{call: func() (int, error) {
				if ok, err := call(rows); !ok {
					return 0, err
				}
				return len(rows), nil
			}}
		}}
	}
	return []preparation{
		verify("schnorr-batch-all", func(rows []*Row) (bool, error) {
			s.Reset()
			for _, r := range rows {
				s.AddBytes(r.XOnly, r.Hash, r.Schnorr)
			}
			return s.VerifyAll(ctx)
		}),
		verify("ecdsa-batch-recoverable", func(rows []*Row) (bool, error) {
			e.Reset()
			for _, r := range rows {
				e.AddRecoverableBytes(r.Key, r.Hash, r.Recoverable)
			}
			return e.VerifyAll(ctx)
		}),
	}
}
