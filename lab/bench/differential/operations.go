package main

import (
	"bytes"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/ellswift"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
	"github.com/koblitz-go/koblitz/schnorr"
)

// An operation is computed by koblitz and by libsecp256k1. A case is a list of fields, such as a
// key, a hash and a signature. The answer is nil if the operation refuses the case.
type operation struct {
	name string
	// share is the number of cases of this operation in each round, divided by unit.
	share int
	// next returns the fields of the next case.
	next func(g *generator) [][]byte
	// theirs computes a case by libsecp256k1.
	theirs func(l *peer.Libsecp, c [][]byte) []byte
	// one computes a case by koblitz's function for one call.
	one func(c [][]byte) []byte
	// many computes the cases of a block by koblitz's function for many rows. A field has the same
	// width in all cases. exact forbids equations. many returns nil if the function does not take
	// fields of these widths, and is nil if there is no function.
	many func(cases [][][]byte, exact bool) [][]byte
}

// operations returns all operations. The comment of each lists the fields of a case.
func operations() []operation {
	type (
		libsecp = *peer.Libsecp
		private = *koblitz.PrivateKey
		public  = *koblitz.PublicKey
	)
	decompress := peer.Decompress
	decompress.Encode = bytes.Clone
	return []operation{
		// A key, a hash and a signature, with any s or a low one.
		{"ECDSA verify", 4, (*generator).ecdsaCase, func(l libsecp, c [][]byte) []byte {
			return yes(l.Verify(l.Key(c[0]), c[1], l.Low(l.Signature(c[2]))))
		}, oneECDSA(ecdsa.ParseSignature, ecdsa.Verify), rows(peer.VerifyECDSA)},
		{"ECDSA verify, low s", 3, (*generator).lowCase, func(l libsecp, c [][]byte) []byte {
			return yes(l.Verify(l.Key(c[0]), c[1], l.Signature(c[2])))
		}, oneECDSA(ecdsa.ParseSignature, ecdsa.VerifyLowS), rows(peer.VerifyECDSALowS)},

		// A key, a hash, and a signature in DER whose s must be low.
		{"ECDSA verify, DER", 1, (*generator).derCase, func(l libsecp, c [][]byte) []byte {
			return yes(l.Verify(l.Key(c[0]), c[1], l.DER(c[2])))
		}, oneECDSA(ecdsa.ParseDER, ecdsa.VerifyLowS), nil},

		// A key, a message and a signature.
		{"BIP-340 verify", 7, (*generator).schnorrCase, func(l libsecp, c [][]byte) []byte {
			return yes(l.VerifySchnorr(l.XOnly(c[0]), c[1], c[2]))
		}, func(c [][]byte) []byte {
			key, err := koblitz.ParseXOnlyPublicKey(c[0])
			return yes(err == nil && schnorr.Verify(key, c[1], c[2]))
		}, ofWidth(1, 32, rows(peer.VerifySchnorr))},

		// A hash, and a signature of 65 bytes.
		{"recover", 3, (*generator).recoverCase, func(l libsecp, c [][]byte) []byte {
			return l.Short(l.Recover(c[0], c[1]))
		}, func(c [][]byte) []byte { return encoded(ecdsa.Recover(c[0], c[1])) }, rows(peer.Recover)},

		// The encoding of a key.
		{"parse and decompress", 5, (*generator).keyCase, func(l libsecp, c [][]byte) []byte {
			return l.Long(l.Key(c[0]))
		}, with(koblitz.ParsePublicKey, func(k public, _ [][]byte) ([]byte, error) {
			return k.UncompressedBytes(), nil
		}), ofWidth(0, 33, rows(decompress))},

		// A secret.
		{"public key of a secret", 2, (*generator).secretCase, func(l libsecp, c [][]byte) []byte {
			return l.Short(l.PublicKey(c[0]))
		}, with(koblitz.ParsePrivateKey, func(k private, _ [][]byte) ([]byte, error) {
			return k.PublicKey().Bytes(), nil
		}), func(cases [][][]byte, exact bool) [][]byte {
			if exact {
				return rows(peer.PublicKeysVartime)(cases, exact)
			}
			return rows(peer.PublicKeys)(cases, exact)
		}},

		// A secret and the other party's key.
		{"ECDH", 2, (*generator).ecdhCase, func(l libsecp, c [][]byte) []byte {
			return l.SharedX(c[0], l.Key(c[1]))
		}, with(koblitz.ParsePrivateKey, func(k private, c [][]byte) ([]byte, error) {
			key, err := koblitz.ParsePublicKey(c[0])
			if err != nil {
				return nil, err
			}
			return ecdh.SharedX(k, key)
		}), ofWidth(1, 33, rows(peer.SharedX))},

		// An encoding of 64 bytes. The function for many rows returns only x coordinates.
		{"ElligatorSwift decode", 1, (*generator).ellswiftCase, func(l libsecp, c [][]byte) []byte {
			return l.Short(l.Decode(c[0]))
		}, func(c [][]byte) []byte { return encoded(ellswift.Decode(c[0])) }, nil},
		{"ElligatorSwift decode, x", 1, (*generator).ellswiftCase, func(l libsecp, c [][]byte) []byte {
			return l.Short(l.Decode(c[0]))[1:]
		}, func(c [][]byte) []byte { return encoded(ellswift.Decode(c[0]))[1:] },
			rows(peer.DecodeEllswift)},

		// A secret, its owner's encoding, the other party's, and a byte that is 1 for the initiator.
		{"BIP-324 secret", 1, (*generator).ellswiftSecretCase, func(l libsecp, c [][]byte) []byte {
			return l.SharedSecret(c[0], c[1], c[2], c[3][0] == 1)
		}, with(koblitz.ParsePrivateKey, func(k private, c [][]byte) ([]byte, error) {
			return ellswift.SharedSecret(k, c[0], c[1], c[2][0] == 1)
		}), nil},

		// A key and a tweak.
		{"key + tweak·G", 2, (*generator).tweakCase, func(l libsecp, c [][]byte) []byte {
			return l.Short(l.Tweak(peer.TweakKeyAdd, l.Key(c[0]), c[1]))
		}, with(koblitz.ParsePublicKey, func(k public, c [][]byte) ([]byte, error) {
			return encoded(k.TweakAdd(c[0])), nil
		}), rows(peer.TweakAdd)},

		// An x-only key, a tweak, the output's x coordinate and its parity.
		{"taproot tweak check", 2, (*generator).checkCase, func(l libsecp, c [][]byte) []byte {
			return yes(l.CheckTweak(l.XOnly(c[0]), c[1], c[2], c[3][0]))
		}, func(c [][]byte) []byte {
			key, err := koblitz.ParseXOnlyPublicKey(c[0])
			return yes(err == nil && c[3][0] < 2 && key.CheckTweakAdd(c[1], c[2], c[3][0] == 1))
		}, rows(peer.CheckTweaks)},

		// A secret, a hash or message, and the auxiliary randomness of BIP-340.
		{"ECDSA sign", 1, (*generator).signCase, func(l libsecp, c [][]byte) []byte {
			return l.Compact(l.Sign(c[0], c[1]))
		}, with(koblitz.ParsePrivateKey, func(k private, c [][]byte) ([]byte, error) {
			return ecdsa.AppendSign(nil, k, c[0], nil)
		}), rows(peer.SignECDSA)},
		{"BIP-340 sign", 1, (*generator).signCase, func(l libsecp, c [][]byte) []byte {
			return l.SignSchnorr(l.Pair(c[0]), c[1], c[2])
		}, with(koblitz.ParsePrivateKey, func(k private, c [][]byte) ([]byte, error) {
			return schnorr.Sign(k, c[0], &schnorr.SignOptions{Aux: c[1]})
		}), rows(peer.SignSchnorr)},
	}
}

// uniform reports whether each field has the same width in all cases.
func uniform(cases [][][]byte) bool {
	return !slices.ContainsFunc(cases, func(c [][]byte) bool {
		return !slices.EqualFunc(c, cases[0], func(a, b []byte) bool { return len(a) == len(b) })
	})
}

// compute returns koblitz's answers for the cases of a block, by the function for many rows if
// together is set and there is one for the widths of the cases, and otherwise by one call for each.
func (o *operation) compute(cases [][][]byte, together, exact bool) (
	answers [][]byte, inRows bool,
) {
	if together && o.many != nil && uniform(cases) {
		if answers = o.many(cases, exact); answers != nil {
			return answers, true
		}
	}
	for _, c := range cases {
		answers = append(answers, o.one(c))
	}
	return answers, false
}

// yes is the answer of operations without another result, as calls on rows return it.
func yes(ok bool) []byte {
	if ok {
		return []byte("valid")
	}
	return nil
}

// with returns a function for a case whose first field is a key. It returns the result of f for the
// parsed key and the other fields, or nil if parse refuses the key or f fails.
func with[K any](
	parse func([]byte) (K, error), f func(key K, rest [][]byte) ([]byte, error),
) func(c [][]byte) []byte {
	return func(c [][]byte) []byte {
		key, err := parse(c[0])
		if err != nil {
			return nil
		}
		result, err := f(key, c[1:])
		if err != nil {
			return nil
		}
		return result
	}
}

// encoded returns the encoding of a key, or nil if there is an error.
func encoded(key *koblitz.PublicKey, err error) []byte {
	if err != nil {
		return nil
	}
	return key.Bytes()
}

// rows returns the function for many rows that runs a call. The fields after those of the call are
// ignored.
func rows(call peer.Call) func(cases [][][]byte, exact bool) [][]byte {
	return func(cases [][][]byte, exact bool) [][]byte {
		c := peer.NewColumns(call, cases)
		c.Exact = exact
		reference.Must(c.Run())
		return c.Results()
	}
}

func oneECDSA(
	parse func([]byte) (*ecdsa.Signature, error),
	verify func(key *koblitz.PublicKey, hash []byte, sig *ecdsa.Signature) bool,
) func(c [][]byte) []byte {
	return with(koblitz.ParsePublicKey, func(key *koblitz.PublicKey, c [][]byte) ([]byte, error) {
		sig, err := parse(c[1])
		return yes(err == nil && verify(key, c[0], sig)), nil
	})
}

// ofWidth returns many for cases whose given field has the given width.
func ofWidth(field, width int, many func(cases [][][]byte, exact bool) [][]byte,
) func(cases [][][]byte, exact bool) [][]byte {
	return func(cases [][][]byte, exact bool) [][]byte {
		if len(cases[0][field]) != width {
			return nil
		}
		return many(cases, exact)
	}
}
