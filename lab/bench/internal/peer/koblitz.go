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
// fastest first. After these come peers that process the rows of batches one by one.
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
		enter := func() func() { return cpu.Restrict(keep) }
		leave := enter()
		names := koblitz.Implementations()
		p := &Peer{Name: Koblitz, Version: "this tree", Note: strings.Join(names, ", ")}
		if !slices.Contains(seen, p.Note) {
			seen = append(seen, p.Note)
			if len(peers) > 0 {
				p.Name, p.Note, p.Enter = Koblitz+"/"+names[0], p.Note+", forced", enter
			}
			p.Drivers = koblitzDrivers(in)
			peers = append(peers, p)
		}
		leave()
	}
	// Add two more peers that process batches row by row: one with the best implementation, and one
	// without assembly.
	if len(in.batches[Different]) > 0 {
		for i, p := range []*Peer{peers[0], peers[len(peers)-1]} {
			if i == 0 || p != peers[0] {
				peers = append(peers, &Peer{
					Name: p.Name + OneByOne, Version: p.Version, Note: p.Note,
					Enter: p.Enter, Drivers: rowByRow(in, asGiven, koblitzRows(in)),
				})
			}
		}
	}
	return peers
}

// EmptyPools empties all sync.Pools, which may hold objects of an implementation that is no longer
// in use. A pool's objects survive one garbage collection.
func EmptyPools() {
	runtime.GC()
	runtime.GC()
}

// OneByOne is the suffix of the names of peers that process batches row by row, although koblitz
// has batch functions.
const OneByOne = "/one-by-one"

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
	in.ceremony.koblitz(d)
	return d
}

// koblitzRows returns koblitz's operations on single rows.
func koblitzRows(in *Inputs) map[string]op[*Row] {
	buf, tag := make([]byte, 0, 65), hashTag()
	var p group.Point
	account := in.account()
	key := func(t Timing, run func(r *Row) *koblitz.PublicKey) op[*Row] {
		return gives(t, run, (*koblitz.PublicKey).Bytes)
	}
	signSchnorr := func(unchecked bool) op[*Row] {
		return returns(Constant, func(r *Row) []byte {
			o := schnorr.SignOptions{Aux: r.Aux, Unchecked: unchecked}
			return must(schnorr.AppendSign(buf, r.private, r.Hash, &o))
		})
	}
	verifyECDSA := func(key *koblitz.PreparedKey, r *Row) bool {
		return ecdsa.VerifyPrepared(key, r.Hash, r.signature)
	}
	verifySchnorr := func(key *koblitz.PreparedKey, r *Row) bool {
		return schnorr.VerifyPrepared(key, r.Hash, r.Schnorr)
	}
	ops := map[string]op[*Row]{
		"keygen": key(Constant, func(r *Row) *koblitz.PublicKey {
			return private(r.Secret).PublicKey()
		}),
		"pubkeys-batch": returns(Constant, func(r *Row) []byte {
			return private(r.Secret).PublicKey().AppendBytes(buf)
		}),
		"ecdsa-sign": returns(Constant, func(r *Row) []byte {
			return must(ecdsa.AppendSign(buf, r.private, r.Hash, nil))
		}),
		"ecdsa-sign-unchecked": returns(Constant, func(r *Row) []byte {
			return must(ecdsa.AppendSign(buf, r.private, r.Hash, unchecked))
		}),
		"ecdsa-sign-batch": returns(Constant, func(r *Row) []byte {
			return must(ecdsa.AppendSign(buf, private(r.Secret), r.Hash, unchecked))
		}),
		"ecdsa-verify": verifies(func(r *Row) bool {
			return ecdsa.Verify(r.public, r.Hash, r.signature)
		}),
		"ecdsa-verify-parse": verifies(func(r *Row) bool {
			return ecdsa.Verify(public(r.Key), r.Hash, must(ecdsa.ParseDER(r.DER)))
		}),
		"ecdsa-batch": verifies(func(r *Row) bool {
			return ecdsa.Verify(public(r.Key), r.Hash, signature(r.ECDSA))
		}),
		"ecdsa-verify-prepared-2k":  prepared(PreparedSizes[0], verifyECDSA),
		"ecdsa-verify-prepared-26k": prepared(PreparedSizes[1], verifyECDSA),
		"schnorr-sign":              signSchnorr(false),
		"schnorr-sign-unchecked":    signSchnorr(true),
		"schnorr-sign-batch": returns(Constant, func(r *Row) []byte {
			return must(schnorr.AppendSign(buf, private(r.Secret), r.Hash, uncheckedWith(r.Aux)))
		}),
		"schnorr-verify": verifies(func(r *Row) bool {
			return schnorr.Verify(r.xonly, r.Hash, r.Schnorr)
		}),
		"schnorr-verify-parse": verifies(func(r *Row) bool {
			return schnorr.Verify(xonly(r.XOnly), r.Hash, r.Schnorr)
		}),
		"schnorr-verify-prepared-2k":  prepared(PreparedSizes[0], verifySchnorr),
		"schnorr-verify-prepared-26k": prepared(PreparedSizes[1], verifySchnorr),
		"ecdh-sha256": returns(Constant, func(r *Row) []byte {
			return must(ecdh.AppendSharedSHA256(buf, r.private, r.Next.public))
		}),
		"ecdh-x": returns(Constant, func(r *Row) []byte {
			return must(ecdh.AppendSharedX(buf, r.private, r.Next.public))
		}),
		"ecdh-batch-pairs": returns(Constant, func(r *Row) []byte {
			return must(ecdh.AppendSharedX(buf, private(r.Secret), public(r.Next.Key)))
		}),
		"ecdh-batch-one": returns(Constant, func(r *Row) []byte {
			return must(ecdh.AppendSharedX(buf, r.private, public(r.Key)))
		}),
		// Peers draw different encodings, so results are decoded before they are compared.
		"ellswift-encode": gives(Public, func(r *Row) []byte {
			return must(ellswift.Encode(r.public, r.Aux))
		}, func(b []byte) []byte { return must(ellswift.Decode(b)).Bytes() }),
		"ellswift-decode": gives(Public, func(r *Row) *koblitz.PublicKey {
			return must(ellswift.Decode(r.Ellswift))
		}, func(k *koblitz.PublicKey) []byte { return k.XOnlyPublicKey().Bytes() }),
		// The secret that a row's key shares with the owner of the next row.
		"ellswift-ecdh": returns(Constant, func(r *Row) []byte {
			ours, theirs := r.Ellswift, r.Next.Ellswift
			return must(ellswift.AppendSharedSecret(buf, r.private, ours, theirs, r.Index%2 == 0))
		}),
		"recover": key(Public, func(r *Row) *koblitz.PublicKey {
			return must(ecdsa.Recover(r.Hash, r.Recoverable))
		}),
		"parse": key(Public, func(r *Row) *koblitz.PublicKey { return public(r.Key) }),
		"tweak-add": key(Constant, func(r *Row) *koblitz.PublicKey {
			return must(r.public.TweakAdd(r.Hash))
		}),
		"tweak-check-batch": verifies(func(r *Row) bool {
			return xonly(r.XOnly).CheckTweakAdd(r.Hash, r.Output, r.Parity[0] == 1)
		}),
		"bip32-batch": key(Public, func(r *Row) *koblitz.PublicKey {
			return must(public(account.key).TweakAdd(account.appendTweak(nil, r.Index)[:32]))
		}),
		"base-mul-batch": returns(Public, func(r *Row) []byte {
			return p.ScalarBaseMultVartime(&r.scalar).AppendBytes(buf)
		}),
		"hash-to-curve": returns(Constant, func(r *Row) []byte {
			return must(p.HashToCurve(r.Hash, tag)).AppendBytes(buf)
		}),
		"encode-to-curve": returns(Constant, func(r *Row) []byte {
			return must(p.EncodeToCurve(r.Hash, tag)).AppendBytes(buf)
		}),
	}
	for _, s := range scans {
		ops[s.family] = in.wallet.scanOne(s)
	}
	return ops
}

// prepared returns an operation that verifies a row's signature with its key, prepared with a table
// of the given size. Equal keys share a table.
func prepared(size int, verify func(key *koblitz.PreparedKey, r *Row) bool) op[*Row] {
	type row struct {
		*Row
		key *koblitz.PreparedKey
	}
	return func(rows []*Row) Driver {
		tables := map[string]*koblitz.PreparedKey{}
		return verifies(func(r row) bool { return verify(r.key, r.Row) })(each(rows, func(r *Row) row {
			if tables[string(r.Key)] == nil {
				tables[string(r.Key)] = r.public.Prepare(size)
			}
			return row{r, tables[string(r.Key)]}
		}))
	}
}
