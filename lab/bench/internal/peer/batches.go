package peer

import (
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/msm"
	"github.com/koblitz-go/koblitz/x/halfagg"
)

// batchCalls holds the families of batches that koblitz processes by a Call. Function fields
// returns the fields of a row.
var batchCalls = []struct {
	family string
	call   Call
	exact  bool
	fields func(r *Row) [][]byte
}{
	{"schnorr-batch", VerifySchnorr, true, schnorrSignature},
	{"ecdsa-batch", VerifyECDSA, false, ecdsaSignature},
	{"recover-batch", Recover, false, func(r *Row) [][]byte {
		return [][]byte{r.Hash, r.Recoverable}
	}},
	{"parse-batch", Decompress, false, func(r *Row) [][]byte { return [][]byte{r.Key} }},
	{"base-mul-batch", PublicKeysVartime, false, func(r *Row) [][]byte { return [][]byte{r.Secret} }},
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
	{"ecdh-batch-one", SharedX, false, func(r *Row) [][]byte { return [][]byte{r.Secret, r.Key} }},
	{"schnorr-sign-batch", SignSchnorr, false, schnorrSigner},
	{"schnorr-sign-batch-one", SignSchnorr, false, schnorrSigner},
	{"ecdsa-sign-batch", SignECDSA, false, ecdsaSigner},
	{"ecdsa-sign-batch-one", SignECDSA, false, ecdsaSigner},
}

func schnorrSignature(r *Row) [][]byte { return [][]byte{r.XOnly, r.Hash, r.Schnorr} }
func ecdsaSignature(r *Row) [][]byte   { return [][]byte{r.Key, r.Hash, r.ECDSA} }
func schnorrSigner(r *Row) [][]byte    { return [][]byte{r.Secret, r.Hash, r.Aux} }
func ecdsaSigner(r *Row) [][]byte      { return [][]byte{r.Secret, r.Hash} }

// A together processes a batch in one call. Function call returns the number of valid rows. If
// results is nil, the rows are signatures.
type together struct {
	call    func() (valid int, err error)
	results func() [][]byte
	note    string
}

// addBatches adds to d the drivers of a family that process a batch in one call.
func (in *Inputs) addBatches(
	d map[string]Driver, family string, t Timing, prepare func(rows []*Row) together,
) {
	for _, n := range in.sizes(family) {
		b := prepare(in.batches[familyOf(family).Keys][:n])
		if b.results == nil {
			b.results = func() [][]byte { return slices.Repeat([][]byte{verdict(true)}, n) }
		}
		d[fmt.Sprintf("%s-%d", family, n)] = stores(t, func(int) { accept(must(b.call()) == n) },
			func() []byte { return slices.Concat(b.results()...) }).noted(b.note)
	}
}

// koblitzBatches adds to d koblitz's drivers that process batches and sums in one call.
func koblitzBatches(in *Inputs, d map[string]Driver) {
	for _, f := range batchCalls {
		in.addBatches(d, f.family, f.call.Timing, func(rows []*Row) together {
			c := NewColumns(f.call, each(rows, f.fields))
			if c.Exact, c.Unchecked = f.exact, true; familyOf(f.family).Keys == OneSecret {
				c.fields[0] = batch.Same(rows[0].Secret)
			}
			return together{call: c.Run, results: c.Results}
		})
	}
	a := in.account()
	in.addBatches(d, "bip32-batch", Public, func(rows []*Row) together {
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
	verifications(in, d)
	for _, s := range scans {
		in.scanTogether(d, s)
	}
	tag := hashTag()
	in.addBatches(d, "hash-to-curve-batch", Constant, func(rows []*Row) together {
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
	sum := msm.NewAccumulator(&msm.Options{Workers: 1})
	sumsOf(in, d, "msm", func(n int) group.Point {
		sum.Reset()
		must(0, sum.AddVartime(ctx, scalars[:n], points[:n]))
		return must(sum.SumVartime(ctx))
	}, func(p group.Point) []byte { return p.Bytes() })
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

// verifications adds to d the drivers that verify signatures by other functions than those of Call:
// with prepared keys, with accumulators, and of a half-aggregate (BIP-458).
func verifications(in *Inputs, d map[string]Driver) {
	o := &batch.Options{Workers: 1}
	verify := func(family string, prepare func(rows []*Row) (call func() (int, error))) {
		in.addBatches(d, family, Public, func(rows []*Row) together {
			return together{call: prepare(rows)}
		})
	}
	var prepared []*koblitz.PreparedKey
	var index []uint32
	for i, r := range in.batches[Few] {
		if i < PreparedKeys {
			prepared = append(prepared, r.public.Prepare(PreparedSizes[1]))
		}
		index = append(index, uint32(i%PreparedKeys))
	}
	verify("schnorr-batch-prepared", func(rows []*Row) func() (int, error) {
		c := NewColumns(VerifySchnorr, each(rows, schnorrSignature))
		b := batch.SchnorrRows{Keys: batch.PreparedKeys(prepared, index[:len(rows)]),
			Messages: c.fields[1], Signatures: c.fields[2]}
		return func() (int, error) { return b.Verify(ctx, c.verdicts, o) }
	})
	verify("ecdsa-batch-prepared", func(rows []*Row) func() (int, error) {
		c := NewColumns(VerifyECDSA, each(rows, ecdsaSignature))
		b := batch.ECDSARows{Keys: batch.PreparedKeys(prepared, index[:len(rows)]), S: batch.AnyS,
			Hashes: c.fields[1], Signatures: c.fields[2]}
		return func() (int, error) { return b.Verify(ctx, c.verdicts, o) }
	})

	limit := len(in.batches[Different])
	s, e := batch.NewSchnorr(limit, o), batch.NewECDSA(limit, batch.AnyS, o)
	verdicts := make([]batch.Verdict, limit)
	addParsed := func(rows []*Row) *batch.Schnorr {
		s.Reset()
		for _, r := range rows {
			s.Add(r.xonly, r.Hash, r.Schnorr)
		}
		return s
	}
	verify("schnorr-batch-parsed", func(rows []*Row) func() (int, error) {
		return func() (int, error) { return addParsed(rows).Verify(ctx, verdicts[:len(rows)]) }
	})
	verify("ecdsa-batch-parsed", func(rows []*Row) func() (int, error) {
		return func() (int, error) {
			e.Reset()
			for _, r := range rows {
				e.Add(r.public, r.Hash, r.signature)
			}
			return e.Verify(ctx, verdicts[:len(rows)])
		}
	})
	// all adds a family with a single verdict for all rows.
	all := func(family string, call func(rows []*Row) (bool, error)) {
		verify(family, func(rows []*Row) func() (int, error) {
			return func() (int, error) {
				if ok, err := call(rows); !ok {
					return 0, err
				}
				return len(rows), nil
			}
		})
	}
	all("schnorr-batch-all", func(rows []*Row) (bool, error) {
		s.Reset()
		for _, r := range rows {
			s.AddBytes(r.XOnly, r.Hash, r.Schnorr)
		}
		return s.VerifyAll(ctx)
	})
	all("schnorr-batch-all-parsed", func(rows []*Row) (bool, error) {
		return addParsed(rows).VerifyAll(ctx)
	})
	all("ecdsa-batch-recoverable", func(rows []*Row) (bool, error) {
		e.Reset()
		for _, r := range rows {
			e.AddRecoverableBytes(r.Key, r.Hash, r.Recoverable)
		}
		return e.VerifyAll(ctx)
	})
	verify("halfagg", func(rows []*Row) func() (int, error) {
		statements, signatures := make([]halfagg.Statement, len(rows)), make([][64]byte, len(rows))
		for i, r := range rows {
			statements[i] = halfagg.Statement{Key: [32]byte(r.XOnly), Message: [32]byte(r.Hash)}
			signatures[i] = [64]byte(r.Schnorr)
		}
		aggregate := must(halfagg.Aggregate(statements, signatures))
		claims := []halfagg.Claim{{Aggregate: aggregate, Statements: statements}}
		return func() (int, error) {
			valid, err := halfagg.VerifyEach(ctx, claims, verdicts[:1], 1)
			return valid * len(rows), err
		}
	})
}
