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
	result := func(run func(r row) []byte, encode func(b []byte) []byte) op[row] {
		return gives(func(r row) []byte {
			b := run(r)
			accept(b != nil)
			return b
		}, encode)
	}
	key := func(run func(r row) []byte) op[row] { return result(run, l.Short) }
	bytes := func(run func(r row) []byte) op[row] { return result(run, slices.Clone) }
	verifyECDSA := verifies(func(r row) bool { return l.Verify(r.key, r.Hash, r.signature) })
	verifySchnorr := verifies(func(r row) bool { return l.VerifySchnorr(r.xonly, r.Hash, r.Schnorr) })
	account, tweak := in.account(), make([]byte, 64)
	parent := kept(l.Key(account.key))
	return map[string]op[row]{
		"keygen":        key(func(r row) []byte { return l.PublicKey(r.Secret) }),
		"pubkeys-batch": bytes(func(r row) []byte { return l.Short(l.PublicKey(r.Secret)) }),
		"parse":         key(func(r row) []byte { return l.Key(r.Key) }),
		"ecdsa-sign-unchecked": result(func(r row) []byte {
			return l.Sign(r.Secret, r.Hash)
		}, l.Compact),
		"ecdsa-sign-batch": bytes(func(r row) []byte {
			return l.Compact(l.Sign(r.Secret, r.Hash))
		}),
		"ecdsa-verify":              verifyECDSA,
		"ecdsa-verify-prepared-26k": verifyECDSA.noted(withoutTable),
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
		"schnorr-verify-prepared-26k": verifySchnorr.noted(withoutTable),
		"schnorr-verify-parse": verifies(func(r row) bool {
			return l.VerifySchnorr(l.XOnly(r.XOnly), r.Hash, r.Schnorr)
		}),
		"ecdh-sha256":      bytes(func(r row) []byte { return l.SharedHash(r.Secret, r.next) }),
		"ecdh-x":           bytes(func(r row) []byte { return l.SharedX(r.Secret, r.next) }),
		"ecdh-batch-pairs": bytes(func(r row) []byte { return l.SharedX(r.Secret, l.Key(r.Next.Key)) }),
		"recover":          key(func(r row) []byte { return l.Recover(r.Hash, r.Recoverable) }),
		"tweak-check-batch": verifies(func(r row) bool {
			return l.CheckTweak(l.XOnly(r.XOnly), r.Hash, r.Output, r.Parity[0])
		}),
		"bip32-batch": result(func(r row) []byte {
			account.appendTweak(tweak[:0], r.Index)
			return l.Short(l.Tweak(TweakKeyAdd, parent, tweak))
		}, slices.Clone).noted("the hash by Go"),
		"ellswift-encode": result(func(r row) []byte {
			out := l.object()[:64]
			return made(l.call(ellswiftEncode, l.ptr(out), l.ptr(r.key), l.ptr(r.Aux)), out)
		}, func(b []byte) []byte { return l.Short(l.Decode(b)) }),
		"ellswift-decode": result(func(r row) []byte { return l.Decode(r.Ellswift) },
			func(key []byte) []byte { return l.Short(key)[1:] }).noted("with the y coordinate"),
		"ellswift-ecdh": bytes(func(r row) []byte {
			return l.SharedSecret(r.Secret, r.Ellswift, r.Next.Ellswift, r.Index%2 == 0)
		}),
		"silentpay-scan": l.scan(in),
	}
}

// scan returns the operation that scans a transaction for silent payments.
func (l *Libsecp) scan(in *Inputs) op[*libsecpRow] {
	secret, spend, out := in.rows[0].Secret, kept(l.Key(in.rows[1].Key)), make([]byte, 1+2*64)
	return func(rows []*libsecpRow) Driver {
		outputs := each(rows, func(r *libsecpRow) []byte { return in.outputs(r.Row) })
		return stores(func(i int) {
			accept(l.call(internalScan, l.ptr(out), l.ptr(rows[i].Key), l.ptr(outputs[i]),
				l.ptr(secret), l.ptr(spend)))
		}, func() []byte { return slices.Clone(out[:1+64*int(out[0])]) })
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
		id   string
		size int
	}{
		{"field-mul", 32}, {"field-mul-independent", 32}, {"field-square", 32}, {"field-add", 32},
		{"field-inv", 32}, {"scalar-mul", 32}, {"scalar-inv", 32}, {"point-double", 33},
		{"point-mul-ct", 33}, {"base-mul-ct", 33}, {"double-mul", 33},
	} {
		d[o.id] = loop(out[:o.size], func(first, n int) time.Duration {
			return l.internal(internalRun, l.ctx, uintptr(op), uintptr(first), uintptr(n), l.ptr(out))
		})
	}
	ks, all := slices.Concat(in.Scalars...), slices.Concat(in.Points...)
	if len(all) == 0 {
		return
	}
	l.internal(internalLoadSums, uintptr(len(in.Points)), l.ptr(ks), l.ptr(all))
	for _, n := range in.sizes(Sums) {
		d[fmt.Sprintf("msm-%d", n)] = loop(out[:33], func(_, k int) time.Duration {
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
func loop(out []byte, run func(first, n int) time.Duration) Driver {
	return Driver{Note: "loop in C", Run: run,
		Out: func(i int) []byte { run(i, 1); return slices.Clone(out) }}
}
