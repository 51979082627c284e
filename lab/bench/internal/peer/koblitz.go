package peer

import (
	"runtime"
	"slices"
	"strings"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/ellswift"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/schnorr"
)

// Koblitz is the name of the peer that calls this library. All other peers are compared with it.
const Koblitz = "koblitz"

// Levels returns one peer for each implementation that this library can use on this CPU, the
// fastest first. After these comes a peer that processes the rows of batches one by one, although
// koblitz has functions for batches.
func Levels(in *Inputs) []*Peer {
	seen := []string{""}
	var peers []*Peer
	// Begin with all CPU features. Each step removes some of them.
	for _, keep := range []cpu.Feature{
		^cpu.Feature(0),
		cpu.BMI2 | cpu.ADX | cpu.AVX2 | cpu.AVXIFMA | cpu.SHANI,
		cpu.BMI2 | cpu.ADX | cpu.AVX2,
		cpu.BMI2 | cpu.ADX,
		0,
	} {
		restrict := func() func() { return cpu.Restrict(keep) }
		restore := restrict()
		names := koblitz.Implementations()
		p := &Peer{Name: Koblitz, Version: "this tree", Note: strings.Join(names, ", ")}
		if !slices.Contains(seen, p.Note) {
			seen = append(seen, p.Note)
			if len(peers) > 0 {
				p.Name, p.Note, p.Restrict = Koblitz+"/"+names[0], p.Note+", forced", restrict
			}
			p.Drivers = koblitzDrivers(in)
			peers = append(peers, p)
		}
		restore()
	}
	return append(peers, &Peer{Name: Koblitz + "/one-by-one", Version: peers[0].Version,
		Note: peers[0].Note, Drivers: in.oneByOne()})
}

// EmptyPools empties all sync.Pools, whose objects survive one garbage collection.
func EmptyPools() {
	runtime.GC()
	runtime.GC()
}

// unchecked makes koblitz sign by ECDSA without verifying the new signature, as the other peers do.
var unchecked = &ecdsa.SignOptions{Unchecked: true}

// uncheckedWith returns options for BIP-340 signatures with auxiliary randomness aux, without
// verifying the new signature.
func uncheckedWith(aux []byte) *schnorr.SignOptions {
	return &schnorr.SignOptions{Aux: aux, Unchecked: true}
}

// The following functions parse encodings that are valid.

func private(b []byte) *koblitz.PrivateKey   { return must(koblitz.ParsePrivateKey(b)) }
func public(b []byte) *koblitz.PublicKey     { return must(koblitz.ParsePublicKey(b)) }
func xonly(b []byte) *koblitz.XOnlyPublicKey { return must(koblitz.ParseXOnlyPublicKey(b)) }
func signature(b []byte) *ecdsa.Signature    { return must(ecdsa.ParseSignature(b)) }

// hashTag returns the domain separation tag of hashes to the curve.
func hashTag() []byte { return []byte("koblitz-bench-V01-with-secp256k1_XMD:SHA-256_SSWU_RO_") }

// asGiven returns r: koblitz's rows are those of the inputs.
func asGiven(r *Row) *Row { return r }

// koblitzDrivers returns koblitz's drivers: for single rows, and for batches in one call.
func koblitzDrivers(in *Inputs) map[string]Driver {
	d := single(in.rows, koblitzRows(in))
	koblitzBatches(in, d)
	koblitzArithmetic(in, d)
	return d
}

// koblitzRows returns koblitz's operations on single rows.
func koblitzRows(in *Inputs) map[string]op[*Row] {
	buf, tag := make([]byte, 0, 65), hashTag()
	var p group.Point
	account := in.account()
	key := func(run func(r *Row) *koblitz.PublicKey) op[*Row] {
		return gives(run, (*koblitz.PublicKey).Bytes)
	}
	signSchnorr := func(unchecked bool) op[*Row] {
		return returns(func(r *Row) []byte {
			o := schnorr.SignOptions{Aux: r.Aux, Unchecked: unchecked}
			return must(schnorr.AppendSign(buf, r.private, r.Hash, &o))
		})
	}
	return map[string]op[*Row]{
		"keygen": key(func(r *Row) *koblitz.PublicKey { return private(r.Secret).PublicKey() }),
		"pubkeys-batch": returns(func(r *Row) []byte {
			return private(r.Secret).PublicKey().AppendBytes(buf)
		}),
		"ecdsa-sign": returns(func(r *Row) []byte {
			return must(ecdsa.AppendSign(buf, r.private, r.Hash, nil))
		}),
		"ecdsa-sign-unchecked": returns(func(r *Row) []byte {
			return must(ecdsa.AppendSign(buf, r.private, r.Hash, unchecked))
		}),
		"ecdsa-sign-batch": returns(func(r *Row) []byte {
			return must(ecdsa.AppendSign(buf, private(r.Secret), r.Hash, unchecked))
		}),
		"ecdsa-verify": verifies(func(r *Row) bool {
			return ecdsa.Verify(r.public, r.Hash, r.signature)
		}),
		"ecdsa-batch": verifies(func(r *Row) bool {
			return ecdsa.Verify(public(r.Key), r.Hash, signature(r.ECDSA))
		}),
		"ecdsa-verify-prepared-26k": prepared(func(key *koblitz.PreparedKey, r *Row) bool {
			return ecdsa.VerifyPrepared(key, r.Hash, r.signature)
		}),
		"schnorr-sign":           signSchnorr(false),
		"schnorr-sign-unchecked": signSchnorr(true),
		"schnorr-sign-batch": returns(func(r *Row) []byte {
			return must(schnorr.AppendSign(buf, private(r.Secret), r.Hash, uncheckedWith(r.Aux)))
		}),
		"schnorr-verify": verifies(func(r *Row) bool {
			return schnorr.Verify(r.xonly, r.Hash, r.Schnorr)
		}),
		"schnorr-verify-parse": verifies(func(r *Row) bool {
			return schnorr.Verify(xonly(r.XOnly), r.Hash, r.Schnorr)
		}),
		"schnorr-verify-prepared-26k": prepared(func(key *koblitz.PreparedKey, r *Row) bool {
			return schnorr.VerifyPrepared(key, r.Hash, r.Schnorr)
		}),
		"ecdh-sha256": returns(func(r *Row) []byte {
			return must(ecdh.AppendSharedSHA256(buf, r.private, r.Next.public))
		}),
		"ecdh-x": returns(func(r *Row) []byte {
			return must(ecdh.AppendSharedX(buf, r.private, r.Next.public))
		}),
		"ecdh-batch-pairs": returns(func(r *Row) []byte {
			return must(ecdh.AppendSharedX(buf, private(r.Secret), public(r.Next.Key)))
		}),
		// Peers draw different encodings, so results are decoded before they are compared.
		"ellswift-encode": gives(func(r *Row) []byte {
			return must(ellswift.Encode(r.public, r.Aux))
		}, func(b []byte) []byte { return must(ellswift.Decode(b)).Bytes() }),
		"ellswift-decode": gives(func(r *Row) *koblitz.PublicKey {
			return must(ellswift.Decode(r.Ellswift))
		}, func(k *koblitz.PublicKey) []byte { return k.XOnlyPublicKey().Bytes() }),
		// The secret that a row's key shares with the owner of the next row.
		"ellswift-ecdh": returns(func(r *Row) []byte {
			ours, theirs := r.Ellswift, r.Next.Ellswift
			return must(ellswift.AppendSharedSecret(buf, r.private, ours, theirs, r.Index%2 == 0))
		}),
		"recover": key(func(r *Row) *koblitz.PublicKey {
			return must(ecdsa.Recover(r.Hash, r.Recoverable))
		}),
		"parse": key(func(r *Row) *koblitz.PublicKey { return public(r.Key) }),
		"tweak-check-batch": verifies(func(r *Row) bool {
			return xonly(r.XOnly).CheckTweakAdd(r.Hash, r.Output, r.Parity[0] == 1)
		}),
		"bip32-batch": key(func(r *Row) *koblitz.PublicKey {
			return must(public(account.key).TweakAdd(account.appendTweak(nil, r.Index)[:32]))
		}),
		"hash-to-curve": returns(func(r *Row) []byte {
			return must(p.HashToCurve(r.Hash, tag)).AppendBytes(buf)
		}),
		"silentpay-scan": in.scanOne(),
	}
}

// preparedSize is the size of a prepared key's table in bytes.
const preparedSize = 26 << 10

// prepared returns an operation that verifies a row's signature with its prepared key.
func prepared(verify func(key *koblitz.PreparedKey, r *Row) bool) op[*Row] {
	return func(rows []*Row) Driver {
		type row struct {
			*Row
			key *koblitz.PreparedKey
		}
		return verifies(func(r row) bool { return verify(r.key, r.Row) })(each(rows, func(r *Row) row {
			return row{r, r.public.Prepare(preparedSize)}
		}))
	}
}
