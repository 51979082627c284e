package peer

import (
	"fmt"
	"slices"
	"time"

	"github.com/ebitengine/purego"
)

// withoutTable is the note in the report on a peer without prepared keys: in the operations with
// prepared keys, it verifies with plain keys.
const withoutTable = "plain verification: it has no prepared keys"

// A libsecpRow is a row with the objects that the library parses from it.
type libsecpRow struct {
	*Row
	pair, key, xonly, signature []byte
	next                        []byte // public key of the next row
}

func (l *Libsecp) row(r *Row) *libsecpRow {
	return &libsecpRow{r, kept(l.Pair(r.Secret)), kept(l.Key(r.Key)), kept(l.XOnly(r.XOnly)),
		kept(l.Signature(r.ECDSA)), kept(l.Key(r.Next.Key))}
}

// rows returns the library's operations on single rows.
func (l *Libsecp) rows(in *Inputs) map[string]op[*libsecpRow] {
	type row = *libsecpRow
	// result returns an operation whose result must not be nil.
	result := func(t Timing, run func(r row) []byte, encode func(b []byte) []byte) op[row] {
		return gives(t, func(r row) []byte {
			b := run(r)
			accept(b != nil)
			return b
		}, encode)
	}
	key := func(t Timing, run func(r row) []byte) op[row] { return result(t, run, l.Short) }
	bytes := func(run func(r row) []byte) op[row] { return result(Constant, run, slices.Clone) }
	verifyECDSA := verifies(func(r row) bool { return l.Verify(r.key, r.Hash, r.signature) })
	verifySchnorr := verifies(func(r row) bool { return l.VerifySchnorr(r.xonly, r.Hash, r.Schnorr) })
	keygen := key(Constant, func(r row) []byte { return l.PublicKey(r.Secret) })
	account, tweak := in.account(), make([]byte, 64)
	parent := kept(l.Key(account.key))
	ops := map[string]op[row]{
		"keygen":         keygen,
		"pubkeys-batch":  bytes(func(r row) []byte { return l.Short(l.PublicKey(r.Secret)) }),
		"base-mul-batch": keygen.noted("it has no other"),
		"parse":          key(Public, func(r row) []byte { return l.Key(r.Key) }),
		"ecdsa-sign-unchecked": result(Constant, func(r row) []byte {
			return l.Sign(r.Secret, r.Hash)
		}, l.Compact),
		"ecdsa-sign-batch": bytes(func(r row) []byte {
			return l.Compact(l.Sign(r.Secret, r.Hash))
		}),
		"ecdsa-verify":              verifyECDSA,
		"ecdsa-verify-prepared-2k":  verifyECDSA.noted(withoutTable),
		"ecdsa-verify-prepared-26k": verifyECDSA.noted(withoutTable),
		"ecdsa-verify-parse": verifies(func(r row) bool {
			return l.Verify(l.Key(r.Key), r.Hash, l.DER(r.DER))
		}),
		"ecdsa-batch": verifies(func(r row) bool {
			return l.Verify(l.Key(r.Key), r.Hash, l.Signature(r.ECDSA))
		}),
		"schnorr-sign-unchecked": bytes(func(r row) []byte {
			return l.SignSchnorr(r.pair, r.Hash, r.Aux)
		}),
		"schnorr-sign-batch": bytes(func(r row) []byte {
			return l.SignSchnorr(l.Pair(r.Secret), r.Hash, r.Aux)
		}),
		"schnorr-verify":              verifySchnorr,
		"schnorr-verify-prepared-2k":  verifySchnorr.noted(withoutTable),
		"schnorr-verify-prepared-26k": verifySchnorr.noted(withoutTable),
		"schnorr-verify-parse": verifies(func(r row) bool {
			return l.VerifySchnorr(l.XOnly(r.XOnly), r.Hash, r.Schnorr)
		}),
		"ecdh-sha256":      bytes(func(r row) []byte { return l.SharedHash(r.Secret, r.next) }),
		"ecdh-x":           bytes(func(r row) []byte { return l.SharedX(r.Secret, r.next) }),
		"ecdh-batch-pairs": bytes(func(r row) []byte { return l.SharedX(r.Secret, l.Key(r.Next.Key)) }),
		"ecdh-batch-one":   bytes(func(r row) []byte { return l.SharedX(r.Secret, l.Key(r.Key)) }),
		"recover":          key(Public, func(r row) []byte { return l.Recover(r.Hash, r.Recoverable) }),
		"tweak-add": key(Variable, func(r row) []byte {
			return l.Tweak(TweakKeyAdd, r.key, r.Hash)
		}),
		"tweak-check-batch": verifies(func(r row) bool {
			return l.CheckTweak(l.XOnly(r.XOnly), r.Hash, r.Output, r.Parity[0])
		}),
		"bip32-batch": result(Public, func(r row) []byte {
			account.appendTweak(tweak[:0], r.Index)
			return l.Short(l.Tweak(TweakKeyAdd, parent, tweak))
		}, slices.Clone).noted("the hash by Go"),
		"ellswift-encode": result(Public, func(r row) []byte {
			out := l.object()[:64]
			return made(l.call(ellswiftEncode, l.ptr(out), l.ptr(r.key), l.ptr(r.Aux)), out)
		}, func(b []byte) []byte { return l.Short(l.Decode(b)) }),
		"ellswift-decode": result(Public, func(r row) []byte { return l.Decode(r.Ellswift) },
			func(key []byte) []byte { return l.Short(key)[1:] }).noted("with the y coordinate"),
		"ellswift-ecdh": bytes(func(r row) []byte {
			return l.SharedSecret(r.Secret, r.Ellswift, r.Next.Ellswift, r.Index%2 == 0)
		}),
	}
	for _, s := range scans {
		ops[s.family] = l.scan(in.wallet, s)
	}
	return ops
}

// scan returns the operation that scans a transaction for silent payments.
func (l *Libsecp) scan(w *wallet, how scanning) op[*libsecpRow] {
	spend, out, f, note := kept(l.Key(w.spend)), make([]byte, 192), internalScan, ""
	var label []byte
	if how.label {
		label = slices.Concat(w.label, w.labelTweak)
	}
	return func(rows []*libsecpRow) Driver {
		outputs := w.outputs(each(rows, func(r *libsecpRow) *Row { return r.Row }), how)
		if how.parsed {
			f, note = internalScanParsed, "outputs parsed beforehand"
			outputs = each(outputs, func(b []byte) []byte {
				return slices.Concat(kept(l.XOnly(b[:32]))[:64], kept(l.XOnly(b[32:]))[:64])
			})
		}
		return stores(Constant, func(i int) {
			accept(l.call(f, l.ptr(out), l.ptr(rows[i].Key), l.ptr(outputs[i]), l.ptr(w.secret),
				l.ptr(spend), l.ptr(label)))
		}, func() []byte { return slices.Clone(out[:1+65*int(out[0])]) }).noted(note)
	}
}

// internals adds to d the drivers for libsecp256k1's internal functions, which native/internals.c
// exports.
func (l *Libsecp) internals(in *Inputs, d map[string]Driver) {
	a, b, out := slices.Concat(in.A...), slices.Concat(in.B...), make([]byte, 64)
	points := slices.Concat(each(in.rows, func(r *Row) []byte {
		return r.public.UncompressedBytes()[1:]
	})...)
	l.internal(internalLoad, Rows, l.ptr(a), l.ptr(b), l.ptr(points))
	for op, o := range []struct {
		id     string
		size   int
		timing Timing
	}{
		{"field-mul", 32, ""}, {"field-mul-independent", 32, ""},
		{"field-square", 32, ""}, {"field-add", 32, ""},
		{"field-inv", 32, Constant}, {"field-inv-var", 32, ""}, {"field-sqrt", 32, ""},
		{"scalar-mul", 32, ""}, {"scalar-square", 32, ""}, {"scalar-add", 32, ""},
		{"scalar-inv", 32, Constant}, {"scalar-inv-var", 32, ""},
		{"point-double", 33, ""}, {"point-add", 33, ""},
		{"point-mul", 33, ""}, {"point-mul-ct", 33, Constant},
		{"base-mul", 33, ""}, {"base-mul-ct", 33, Constant}, {"double-mul", 33, ""},
		{"normalize-1", 32, ""}, {"field-sub", 32, ""},
	} {
		d[o.id] = loop(out[:o.size], o.timing, func(first, n int) time.Duration {
			return l.internal(internalRun, l.ctx, uintptr(op), uintptr(first), uintptr(n), l.ptr(out))
		})
	}
	for _, n := range NormalizeSizes {
		d[fmt.Sprintf("normalize-%d", n)] = loop(out[:32], Public, func(first, k int) time.Duration {
			first = min(first, Rows-n)
			return l.internal(internalNormalize, uintptr(n), uintptr(first), uintptr(k), l.ptr(out))
		})
	}
	ks, all := slices.Concat(in.Scalars...), slices.Concat(in.Points...)
	if len(all) == 0 {
		return
	}
	l.internal(internalLoadSums, uintptr(len(in.Points)), l.ptr(ks), l.ptr(all))
	for _, n := range in.sizes("msm") {
		d[fmt.Sprintf("msm-%d", n)] = loop(out[:33], Public, func(_, k int) time.Duration {
			return l.internal(internalSum, l.ctx, uintptr(n), uintptr(k), l.ptr(out))
		}).noted("ecmult_multi, internal")
	}
}

// internal calls a function of native/internals.c that returns a number of nanoseconds.
func (l *Libsecp) internal(f symbol, args ...uintptr) time.Duration {
	r, _, _ := purego.SyscallN(l.functions[f], args...)
	return time.Duration(r)
}

// loop returns the driver for an operation that the function run executes n times, beginning with a
// row, and that stores its last result in out.
func loop(out []byte, t Timing, run func(first, n int) time.Duration) Driver {
	return Driver{Timing: t, Note: "loop in C", Run: run,
		Out: func(i int) []byte { run(i, 1); return slices.Clone(out) }}
}
