package peer

import (
	"maps"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

func dcrScalar(b []byte) (s secp256k1.ModNScalar) { s.SetByteSlice(b); return s }

func dcrRS(sig *ecdsa.Signature) []byte {
	r, s := sig.R(), sig.S()
	rb, sb := r.Bytes(), s.Bytes()
	return append(rb[:], sb[:]...)
}

func dcrPublic(b []byte) *secp256k1.PublicKey { return must(secp256k1.ParsePubKey(b)) }

func dcrSignature(b []byte) *ecdsa.Signature {
	r, s := dcrScalar(b[:32]), dcrScalar(b[32:])
	return ecdsa.NewSignature(&r, &s)
}

// NewDcrec returns a peer that calls decred's pure-Go implementation.
func NewDcrec(in *Inputs) *Peer {
	rows := dcrRows()
	d := in.single(rows)
	maps.Copy(d, in.rowByRow(rows))
	version := moduleVersion("github.com/decred/dcrd/dcrec/secp256k1/v4")
	return &Peer{Name: "dcrec", Version: version, Drivers: d}
}

// dcrRows returns dcrec's operations on single rows.
func dcrRows() map[string]func(s *Set) Driver {
	key := func(t Timing, run func(i int) *secp256k1.PublicKey) Driver {
		return gives(t, run, (*secp256k1.PublicKey).SerializeCompressed)
	}
	return map[string]func(s *Set) Driver{
		"keygen": func(s *Set) Driver {
			return key(Variable, func(i int) *secp256k1.PublicKey {
				return secp256k1.PrivKeyFromBytes(s.Secret[i]).PubKey()
			})
		},
		"ecdsa-sign-unchecked": func(s *Set) Driver {
			keys := parsed(s.Secret, secp256k1.PrivKeyFromBytes)
			return gives(Variable, func(i int) *ecdsa.Signature {
				return ecdsa.Sign(keys[i], s.Hash[i])
			}, dcrRS)
		},
		"ecdsa-verify": func(s *Set) Driver {
			keys, sigs := parsed(s.Key, dcrPublic), parsed(s.ECDSA, dcrSignature)
			return verifies(func(i int) bool { return sigs[i].Verify(s.Hash[i], keys[i]) })
		},
		"ecdsa-verify-parse": func(s *Set) Driver {
			return verifies(func(i int) bool {
				sig := must(ecdsa.ParseDERSignature(s.DER[i]))
				return sig.Verify(s.Hash[i], dcrPublic(s.Key[i]))
			})
		},
		"ecdsa-batch": func(s *Set) Driver {
			return verifies(func(i int) bool {
				return dcrSignature(s.ECDSA[i]).Verify(s.Hash[i], dcrPublic(s.Key[i]))
			})
		},
		"ecdh-x": func(s *Set) Driver {
			secrets, keys := parsed(s.Secret, secp256k1.PrivKeyFromBytes), parsed(s.Key, dcrPublic)
			return returns(Variable, func(i int) []byte {
				return secp256k1.GenerateSharedSecret(secrets[i], keys[s.next(i)])
			})
		},
		"recover": func(s *Set) Driver {
			compact := parsed(s.Recoverable, func(b []byte) []byte {
				return append([]byte{31 + b[64]}, b[:64]...)
			})
			return key(Public, func(i int) *secp256k1.PublicKey {
				k, _, err := ecdsa.RecoverCompact(compact[i], s.Hash[i])
				return must(k, err)
			})
		},
		"parse": func(s *Set) Driver {
			return key(Public, func(i int) *secp256k1.PublicKey { return dcrPublic(s.Key[i]) })
		},
		"base-mul-batch": func(s *Set) Driver {
			scalars := parsed(s.Secret, dcrScalar)
			var r secp256k1.JacobianPoint
			return stores(Public, func(i int) {
				secp256k1.ScalarBaseMultNonConst(&scalars[i], &r)
				r.ToAffine()
			}, func() []byte { return secp256k1.NewPublicKey(&r.X, &r.Y).SerializeCompressed() })
		},
	}
}
