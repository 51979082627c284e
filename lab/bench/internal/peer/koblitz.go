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
	if len(in.Many.Hash) > 0 {
		for i, p := range []*Peer{peers[0], peers[len(peers)-1]} {
			if i == 0 || p != peers[0] {
				peers = append(peers, &Peer{
					Name: p.Name + OneByOne, Version: p.Version, Note: p.Note,
					Enter: p.Enter, Drivers: in.rowByRow(koblitzRows(in)),
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

// koblitzDrivers returns koblitz's drivers: for single rows, and for batches in one call.
func koblitzDrivers(in *Inputs) map[string]Driver {
	d := in.single(koblitzRows(in))
	koblitzBatches(in, d)
	koblitzArithmetic(in, d)
	in.ceremony.koblitz(d)
	return d
}

// koblitzRows returns koblitz's operations on single rows.
func koblitzRows(in *Inputs) map[string]func(s *Set) Driver {
	buf, tag := make([]byte, 0, 65), hashTag()
	key := func(t Timing, run func(i int) *koblitz.PublicKey) Driver {
		return gives(t, run, (*koblitz.PublicKey).Bytes)
	}
	signECDSA := func(o *ecdsa.SignOptions) func(s *Set) Driver {
		return func(s *Set) Driver {
			keys := parsed(s.Secret, private)
			return returns(Constant, func(i int) []byte {
				return must(ecdsa.AppendSign(buf, keys[i], s.Hash[i], o))
			})
		}
	}
	signSchnorr := func(unchecked bool) func(s *Set) Driver {
		return func(s *Set) Driver {
			keys := parsed(s.Secret, private)
			return returns(Constant, func(i int) []byte {
				o := schnorr.SignOptions{Aux: s.Aux[i], Unchecked: unchecked}
				return must(schnorr.AppendSign(buf, keys[i], s.Hash[i], &o))
			})
		}
	}
	prepared := func(s *Set, size int) []*koblitz.PreparedKey {
		return parsed(s.Key, func(b []byte) *koblitz.PreparedKey { return public(b).Prepare(size) })
	}
	verifyECDSA := func(size int) func(s *Set) Driver {
		return func(s *Set) Driver {
			keys, sigs := prepared(s, size), parsed(s.ECDSA, signature)
			return verifies(func(i int) bool { return ecdsa.VerifyPrepared(keys[i], s.Hash[i], sigs[i]) })
		}
	}
	verifySchnorr := func(size int) func(s *Set) Driver {
		return func(s *Set) Driver {
			keys := prepared(s, size)
			return verifies(func(i int) bool {
				return schnorr.VerifyPrepared(keys[i], s.Hash[i], s.Schnorr[i])
			})
		}
	}
	rows := map[string]func(s *Set) Driver{
		"keygen": func(s *Set) Driver {
			return key(Constant, func(i int) *koblitz.PublicKey { return private(s.Secret[i]).PublicKey() })
		},
		"pubkeys-batch": func(s *Set) Driver {
			return returns(Constant, func(i int) []byte {
				return private(s.Secret[i]).PublicKey().AppendBytes(buf)
			})
		},
		"ecdsa-sign":           signECDSA(nil),
		"ecdsa-sign-unchecked": signECDSA(unchecked),
		"ecdsa-sign-batch": func(s *Set) Driver {
			return returns(Constant, func(i int) []byte {
				return must(ecdsa.AppendSign(buf, private(s.Secret[i]), s.Hash[i], unchecked))
			})
		},
		"ecdsa-verify": func(s *Set) Driver {
			keys, sigs := parsed(s.Key, public), parsed(s.ECDSA, signature)
			return verifies(func(i int) bool { return ecdsa.Verify(keys[i], s.Hash[i], sigs[i]) })
		},
		"ecdsa-verify-parse": func(s *Set) Driver {
			return verifies(func(i int) bool {
				return ecdsa.Verify(public(s.Key[i]), s.Hash[i], must(ecdsa.ParseDER(s.DER[i])))
			})
		},
		"ecdsa-batch": func(s *Set) Driver {
			return verifies(func(i int) bool {
				return ecdsa.Verify(public(s.Key[i]), s.Hash[i], signature(s.ECDSA[i]))
			})
		},
		"ecdsa-verify-prepared-2k":  verifyECDSA(PreparedSizes[0]),
		"ecdsa-verify-prepared-26k": verifyECDSA(PreparedSizes[1]),
		"schnorr-sign":              signSchnorr(false),
		"schnorr-sign-unchecked":    signSchnorr(true),
		"schnorr-sign-batch": func(s *Set) Driver {
			return returns(Constant, func(i int) []byte {
				o := uncheckedWith(s.Aux[i])
				return must(schnorr.AppendSign(buf, private(s.Secret[i]), s.Hash[i], o))
			})
		},
		"schnorr-verify": func(s *Set) Driver {
			keys := parsed(s.XOnly, xonly)
			return verifies(func(i int) bool { return schnorr.Verify(keys[i], s.Hash[i], s.Schnorr[i]) })
		},
		"schnorr-verify-parse": func(s *Set) Driver {
			return verifies(func(i int) bool {
				return schnorr.Verify(xonly(s.XOnly[i]), s.Hash[i], s.Schnorr[i])
			})
		},
		"schnorr-verify-prepared-2k":  verifySchnorr(PreparedSizes[0]),
		"schnorr-verify-prepared-26k": verifySchnorr(PreparedSizes[1]),
		"ecdh-sha256": func(s *Set) Driver {
			secrets, keys := parsed(s.Secret, private), parsed(s.Key, public)
			return returns(Constant, func(i int) []byte {
				return must(ecdh.AppendSharedSHA256(buf, secrets[i], keys[s.next(i)]))
			})
		},
		"ecdh-x": func(s *Set) Driver {
			secrets, keys := parsed(s.Secret, private), parsed(s.Key, public)
			return returns(Constant, func(i int) []byte {
				return must(ecdh.AppendSharedX(buf, secrets[i], keys[s.next(i)]))
			})
		},
		"ecdh-batch-pairs": func(s *Set) Driver {
			return returns(Constant, func(i int) []byte {
				return must(ecdh.AppendSharedX(buf, private(s.Secret[i]), public(s.Key[s.next(i)])))
			})
		},
		"ecdh-batch-one": func(s *Set) Driver {
			secrets := parsed(s.Secret, private)
			return returns(Constant, func(i int) []byte {
				return must(ecdh.AppendSharedX(buf, secrets[i], public(s.Key[i])))
			})
		},
		// Peers draw different encodings, so results are decoded before they are compared.
		"ellswift-encode": func(s *Set) Driver {
			keys := parsed(s.Key, public)
			return gives(Public, func(i int) []byte { return must(ellswift.Encode(keys[i], s.Aux[i])) },
				func(b []byte) []byte { return must(ellswift.Decode(b)).Bytes() })
		},
		"ellswift-decode": func(s *Set) Driver {
			return gives(Public, func(i int) *koblitz.PublicKey {
				return must(ellswift.Decode(s.Ellswift[i]))
			}, func(k *koblitz.PublicKey) []byte { return k.XOnlyPublicKey().Bytes() })
		},
		// The secret that a key of row i shares with the owner of the next row.
		"ellswift-ecdh": func(s *Set) Driver {
			keys := parsed(s.Secret, private)
			return returns(Constant, func(i int) []byte {
				ours, theirs := s.Ellswift[i], s.Ellswift[s.next(i)]
				return must(ellswift.AppendSharedSecret(buf, keys[i], ours, theirs, i%2 == 0))
			})
		},
		"recover": func(s *Set) Driver {
			return key(Public, func(i int) *koblitz.PublicKey {
				return must(ecdsa.Recover(s.Hash[i], s.Recoverable[i]))
			})
		},
		"parse": func(s *Set) Driver {
			return key(Public, func(i int) *koblitz.PublicKey { return public(s.Key[i]) })
		},
		"tweak-add": func(s *Set) Driver {
			keys := parsed(s.Key, public)
			return key(Constant, func(i int) *koblitz.PublicKey { return must(keys[i].TweakAdd(s.Hash[i])) })
		},
		"tweak-check-batch": func(s *Set) Driver {
			return verifies(func(i int) bool {
				return xonly(s.XOnly[i]).CheckTweakAdd(s.Hash[i], s.Output[i], s.Parity[i][0] == 1)
			})
		},
		"bip32-batch": func(*Set) Driver {
			a := in.account()
			return key(Public, func(i int) *koblitz.PublicKey {
				return must(public(a.key).TweakAdd(a.appendTweak(nil, i)[:32]))
			})
		},
		"base-mul-batch": func(s *Set) Driver {
			scalars := parsed(s.Secret, groupScalar)
			var p group.Point
			return returns(Public, func(i int) []byte {
				return p.ScalarBaseMultVartime(&scalars[i]).AppendBytes(buf)
			})
		},
		"hash-to-curve": func(s *Set) Driver {
			var p group.Point
			return returns(Constant, func(i int) []byte {
				return must(p.HashToCurve(s.Hash[i], tag)).AppendBytes(buf)
			})
		},
		"encode-to-curve": func(s *Set) Driver {
			var p group.Point
			return returns(Constant, func(i int) []byte {
				return must(p.EncodeToCurve(s.Hash[i], tag)).AppendBytes(buf)
			})
		},
	}
	for _, c := range scans {
		rows[c.family] = func(s *Set) Driver { return in.wallet.scanOne(s, c) }
	}
	return rows
}
