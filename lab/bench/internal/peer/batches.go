package peer

import (
	"context"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/msm"
	"github.com/koblitz-go/koblitz/x/halfagg"
)

// A Call is a function of package batch on columns.
type Call int

// The calls, each with its columns and results.
const (
	VerifySchnorr     Call = iota + 1 // x-only keys, messages of 32 bytes, signatures
	VerifyECDSA                       // keys, hashes, signatures of 64 bytes with any s
	VerifyECDSALowS                   // the same under the rule that s must be low
	Recover                           // hashes, signatures of 65 bytes; keys
	Decompress                        // keys of 33 bytes; keys
	PublicKeysVartime                 // public scalars; keys
	PublicKeys                        // secrets; keys of 33 bytes
	SharedX                           // secrets, keys of 33 bytes; x coordinates
	DecodeEllswift                    // encodings of 64 bytes; x coordinates
	TweakAdd                          // keys, tweaks; keys
	CheckTweaks                       // x-only keys, tweaks, x coordinates of outputs, parities
	SignSchnorr                       // secrets, messages, auxiliary randomness; signatures
	SignECDSA                         // secrets, hashes; signatures of 65 bytes
)

// Result returns the number of bytes of a row's result, which is zero for a verification, and the
// timing of the call.
func (c Call) Result() (width int, t Timing) {
	switch c {
	case Recover, Decompress, PublicKeysVartime, TweakAdd:
		return 65, Public
	case SignECDSA:
		return 65, Constant
	case SignSchnorr:
		return 64, Constant
	case PublicKeys:
		return 33, Constant
	case SharedX:
		return 32, Constant
	case DecodeEllswift:
		return 32, Public
	}
	return 0, Public
}

// Rules says how a call verifies and signs.
type Rules struct {
	Exact     bool // verification must not use equations over many rows
	Unchecked bool // new signatures are not verified
}

// Run processes rows whose fields are the columns f, on one thread, because the other peers use
// one. It stores the results in dst and a verdict for each row in v, and returns the number of
// valid rows.
func (c Call) Run(f []batch.Column, dst []byte, v []batch.Verdict, r Rules) (valid int, err error) {
	// Only signatures have equations, and package batch refuses the option for other calls.
	signatures := c == VerifySchnorr || c == VerifyECDSA || c == VerifyECDSALowS
	ctx, o := context.Background(), &batch.Options{Workers: 1, Exact: r.Exact && signatures}
	secret := &batch.SecretOptions{Workers: 1, Unchecked: r.Unchecked}
	switch rule := batch.AnyS; c {
	case VerifySchnorr:
		rows := batch.SchnorrRows{Keys: batch.EncodedKeys(f[0]), Messages: f[1], Signatures: f[2]}
		return rows.Verify(ctx, v, o)
	case VerifyECDSALowS, VerifyECDSA:
		if c == VerifyECDSALowS {
			rule = batch.LowS
		}
		keys := batch.EncodedKeys(f[0])
		return batch.ECDSARows{Keys: keys, Hashes: f[1], Signatures: f[2], S: rule}.Verify(ctx, v, o)
	case Recover:
		return batch.RecoverRows{Hashes: f[0], Signatures: f[1], S: rule}.Recover(ctx, dst, v, o)
	case Decompress:
		return batch.KeyRows{Keys: f[0]}.Decompress(ctx, dst, v, o)
	case PublicKeysVartime:
		return batch.ScalarRows{Scalars: f[0]}.PublicKeysVartime(ctx, dst, v, o)
	case PublicKeys:
		return batch.SecretRows{Secrets: f[0]}.PublicKeys(ctx, dst, v, secret)
	case SharedX:
		return batch.ECDHRows{Secrets: f[0], Keys: f[1]}.SharedX(ctx, dst, v, secret)
	case DecodeEllswift:
		return batch.EllswiftRows{Encodings: f[0]}.XOnlyPublicKeys(ctx, dst, v, o)
	case TweakAdd:
		return batch.TweakRows{Keys: f[0], Tweaks: f[1]}.AddVartime(ctx, dst, v, o)
	case CheckTweaks:
		rows := batch.TweakCheckRows{Keys: f[0], Tweaks: f[1], Outputs: f[2], Parities: f[3]}
		return rows.Verify(ctx, v, o)
	case SignSchnorr:
		rows := batch.SchnorrSignRows{Secrets: f[0], Messages: f[1], Aux: f[2]}
		return rows.Sign(ctx, dst, v, secret)
	case SignECDSA:
		return batch.ECDSASignRows{Secrets: f[0], Hashes: f[1]}.Sign(ctx, dst, v, secret)
	}
	return 0, fmt.Errorf("peer: no call %d", c)
}

// Results returns the results of all rows in the encodings that the peers use: public keys in 33
// bytes, and ECDSA signatures without the recovery id, which other peers do not compute. The result
// of a row that is not valid is nil, and that of a valid verification is not.
func (c Call) Results(dst []byte, v []batch.Verdict) (results [][]byte) {
	width, _ := c.Result()
	for i, v := range v {
		var b []byte
		switch {
		case v != batch.Valid:
		case width == 0:
			b = verdict(true)
		case c == SignECDSA:
			b = dst[i*width:][:64]
		case width == 65:
			b = append([]byte{2 | dst[i*width+64]&1}, dst[i*width+1:][:32]...)
		default:
			b = dst[i*width:][:width]
		}
		results = append(results, b)
	}
	return results
}

// addBatches adds to d the drivers of a family that process a batch in one call. The function
// prepare takes the number of rows and their verdicts. It returns the call, whose result is the
// number of valid rows, and a function that returns the call's results.
func (in *Inputs) addBatches(
	d map[string]Driver, family string, t Timing,
	prepare func(n int, v []batch.Verdict) (call func() (int, error), results func() [][]byte),
) {
	for _, n := range in.sizes(family) {
		call, results := prepare(n, make([]batch.Verdict, n))
		d[fmt.Sprintf("%s-%d", family, n)] = stores(t, func(int) { accept(must(call()) == n) },
			func() []byte { return slices.Concat(results()...) })
	}
}

// column returns the first n rows of a field. If the field has one row, all rows have its value.
func column(field [][]byte, n int) batch.Column {
	if len(field) == 1 {
		return batch.Same(field[0])
	}
	return batch.Packed(slices.Concat(field[:n]...), len(field[0]))
}

// koblitzBatches adds to d koblitz's drivers that process batches and sums in one call.
func koblitzBatches(in *Inputs, d map[string]Driver) {
	m, pairs, one := &in.Many, in.batch("ecdh-batch-pairs"), in.Secret[:1]
	var next [][]byte // keys of the next rows
	for i := range pairs.Key {
		next = append(next, pairs.Key[pairs.next(i)])
	}
	for _, f := range []struct {
		family string
		call   Call
		rules  Rules
		fields [][][]byte
	}{
		{"schnorr-batch", VerifySchnorr, Rules{Exact: true}, [][][]byte{m.XOnly, m.Hash, m.Schnorr}},
		{"ecdsa-batch", VerifyECDSA, Rules{}, [][][]byte{m.Key, m.Hash, m.ECDSA}},
		{"recover-batch", Recover, Rules{}, [][][]byte{m.Hash, m.Recoverable}},
		{"parse-batch", Decompress, Rules{}, [][][]byte{m.Key}},
		{"base-mul-batch", PublicKeysVartime, Rules{}, [][][]byte{m.Secret}},
		{"ellswift-decode-batch", DecodeEllswift, Rules{}, [][][]byte{m.Ellswift}},
		{"tweak-check-batch", CheckTweaks, Rules{}, [][][]byte{m.XOnly, m.Hash, m.Output, m.Parity}},
		{"pubkeys-batch", PublicKeys, Rules{}, [][][]byte{m.Secret}},
		{"ecdh-batch-pairs", SharedX, Rules{}, [][][]byte{m.Secret, next}},
		{"ecdh-batch-one", SharedX, Rules{}, [][][]byte{one, m.Key}},
		{"schnorr-sign-batch", SignSchnorr, Rules{Unchecked: true},
			[][][]byte{m.Secret, m.Hash, m.Aux}},
		{"schnorr-sign-batch-one", SignSchnorr, Rules{Unchecked: true},
			[][][]byte{one, m.Hash, m.Aux}},
		{"ecdsa-sign-batch", SignECDSA, Rules{Unchecked: true}, [][][]byte{m.Secret, m.Hash}},
		{"ecdsa-sign-batch-one", SignECDSA, Rules{Unchecked: true}, [][][]byte{one, m.Hash}},
	} {
		width, timing := f.call.Result()
		in.addBatches(d, f.family, timing, func(n int, v []batch.Verdict) (
			func() (int, error), func() [][]byte,
		) {
			var columns []batch.Column
			for _, field := range f.fields {
				columns = append(columns, column(field, n))
			}
			dst := make([]byte, n*width)
			return func() (int, error) { return f.call.Run(columns, dst, v, f.rules) },
				func() [][]byte { return f.call.Results(dst, v) }
		})
	}
	a := in.account()
	in.addBatches(d, "bip32-batch", Public, func(n int, v []batch.Verdict) (
		func() (int, error), func() [][]byte,
	) {
		buf, dst := make([]byte, 64*n), make([]byte, 65*n)
		columns := []batch.Column{batch.Same(a.key), batch.Strided(buf, 32, 64)}
		return func() (int, error) {
			for i := range n {
				a.appendTweak(buf[:64*i], i)
			}
			return TweakAdd.Run(columns, dst, v, Rules{})
		}, func() [][]byte { return TweakAdd.Results(dst, v) }
	})
	verifications(in, d)
	for _, s := range scans {
		in.scanTogether(d, s)
	}
	tag := hashTag()
	in.addBatches(d, "hash-to-curve-batch", Constant, func(n int, _ []batch.Verdict) (
		func() (int, error), func() [][]byte,
	) {
		points := make([]group.Point, n)
		return func() (int, error) { return n, group.BatchHashToCurve(points, m.Hash[:n], tag) },
			func() (all [][]byte) {
				for i := range points {
					all = append(all, points[i].Bytes())
				}
				return all
			}
	})
	// The time of a sum includes adding the terms to the accumulator.
	scalars, points := parsed(in.Scalars, groupScalar), parsed(in.Points, groupPoint)
	sum := msm.NewAccumulator(&msm.Options{Workers: 1})
	sumsOf(in, d, "msm", func(n int) group.Point {
		sum.Reset()
		must(0, sum.AddVartime(context.Background(), scalars[:n], points[:n]))
		return must(sum.SumVartime(context.Background()))
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
	m, few, ctx := &in.Many, &in.Few, context.Background()
	o := &batch.Options{Workers: 1}
	each := func(family string, verify func(n int, v []batch.Verdict) func() (int, error)) {
		in.addBatches(d, family, Public, func(n int, v []batch.Verdict) (
			func() (int, error), func() [][]byte,
		) {
			return verify(n, v), func() [][]byte { return VerifySchnorr.Results(nil, v) }
		})
	}
	var prepared []*koblitz.PreparedKey
	index := make([]uint32, len(few.Key))
	for i, key := range few.Key {
		if i < PreparedKeys {
			prepared = append(prepared, public(key).Prepare(PreparedSizes[1]))
		}
		index[i] = uint32(i % PreparedKeys)
	}
	each("schnorr-batch-prepared", func(n int, v []batch.Verdict) func() (int, error) {
		rows := batch.SchnorrRows{Keys: batch.PreparedKeys(prepared, index[:n]),
			Messages: column(few.Hash, n), Signatures: column(few.Schnorr, n)}
		return func() (int, error) { return rows.Verify(ctx, v, o) }
	})
	each("ecdsa-batch-prepared", func(n int, v []batch.Verdict) func() (int, error) {
		rows := batch.ECDSARows{Keys: batch.PreparedKeys(prepared, index[:n]), S: batch.AnyS,
			Hashes: column(few.Hash, n), Signatures: column(few.ECDSA, n)}
		return func() (int, error) { return rows.Verify(ctx, v, o) }
	})

	s, e := batch.NewSchnorr(len(m.Hash), o), batch.NewECDSA(len(m.Hash), batch.AnyS, o)
	xonlys, keys, sigs := parsed(m.XOnly, xonly), parsed(m.Key, public), parsed(m.ECDSA, signature)
	addParsed := func(n int) *batch.Schnorr {
		s.Reset()
		for i := range n {
			s.Add(xonlys[i], m.Hash[i], m.Schnorr[i])
		}
		return s
	}
	each("schnorr-batch-parsed", func(n int, v []batch.Verdict) func() (int, error) {
		return func() (int, error) { return addParsed(n).Verify(ctx, v) }
	})
	each("ecdsa-batch-parsed", func(n int, v []batch.Verdict) func() (int, error) {
		return func() (int, error) {
			e.Reset()
			for i := range n {
				e.Add(keys[i], m.Hash[i], sigs[i])
			}
			return e.Verify(ctx, v)
		}
	})
	// all adds the drivers of a family with a single verdict for all rows.
	all := func(family string, verify func(n int) (bool, error)) {
		each(family, func(n int, v []batch.Verdict) func() (int, error) {
			return func() (int, error) {
				if ok, err := verify(n); !ok {
					return 0, err
				}
				for i := range v {
					v[i] = batch.Valid
				}
				return n, nil
			}
		})
	}
	all("schnorr-batch-all", func(n int) (bool, error) {
		s.Reset()
		for i := range n {
			s.AddBytes(m.XOnly[i], m.Hash[i], m.Schnorr[i])
		}
		return s.VerifyAll(ctx)
	})
	all("schnorr-batch-all-parsed", func(n int) (bool, error) { return addParsed(n).VerifyAll(ctx) })
	all("ecdsa-batch-recoverable", func(n int) (bool, error) {
		e.Reset()
		for i := range n {
			e.AddRecoverableBytes(m.Key[i], m.Hash[i], m.Recoverable[i])
		}
		return e.VerifyAll(ctx)
	})
	claims := map[int][]halfagg.Claim{}
	for _, n := range in.sizes("halfagg") {
		statements, signatures := make([]halfagg.Statement, n), make([][64]byte, n)
		for i := range n {
			statements[i] = halfagg.Statement{
				Key: [32]byte(m.XOnly[i]), Message: [32]byte(m.Hash[i]),
			}
			signatures[i] = [64]byte(m.Schnorr[i])
		}
		aggregate := must(halfagg.Aggregate(statements, signatures))
		claims[n] = []halfagg.Claim{{Aggregate: aggregate, Statements: statements}}
	}
	verdicts := make([]batch.Verdict, 1)
	all("halfagg", func(n int) (bool, error) {
		valid, err := halfagg.VerifyEach(ctx, claims[n], verdicts, 1)
		return valid == 1, err
	})
}
