package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/ellswift"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
	"github.com/koblitz-go/koblitz/msm"
	"github.com/koblitz-go/koblitz/schnorr"
)

// An operation is computed by koblitz and by libsecp256k1. A case is a list of fields, such as a
// key, a hash and a signature. The answer is nil if the operation refuses the case.
type operation struct {
	name string
	// share is the number of blocks of this operation in each round.
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
	type libsecp = *peer.Libsecp
	return []operation{
		// A key, a hash, a signature, and a byte that is 1 for the rule that s must be low.
		{"ECDSA verify", 7, (*generator).ecdsaCase, func(l libsecp, c [][]byte) []byte {
			if c[3][0] == 1 {
				return yes(l.Verify(l.Key(c[0]), c[1], l.Signature(c[2])))
			}
			return yes(l.Verify(l.Key(c[0]), c[1], l.Low(l.Signature(c[2]))))
		}, oneECDSA, manyECDSA},

		// A key, a message and a signature.
		{"BIP-340 verify", 7, (*generator).schnorrCase, func(l libsecp, c [][]byte) []byte {
			return yes(l.VerifySchnorr(l.XOnly(c[0]), c[1], c[2]))
		}, func(c [][]byte) []byte {
			key, err := koblitz.ParseXOnlyPublicKey(c[0])
			return yes(err == nil && schnorr.Verify(key, c[1], c[2]))
		}, manySchnorr},

		// A key, a hash, and a signature in DER whose s must be low.
		{"ECDSA verify, DER", 1, (*generator).derCase, func(l libsecp, c [][]byte) []byte {
			return yes(l.Verify(l.Key(c[0]), c[1], l.DER(c[2])))
		}, func(c [][]byte) []byte {
			return with(koblitz.ParsePublicKey, c[0], func(key *koblitz.PublicKey) []byte {
				sig, err := ecdsa.ParseDER(c[2])
				return yes(err == nil && ecdsa.VerifyLowS(key, c[1], sig))
			})
		}, nil},

		// A hash, and a signature of 65 bytes.
		{"recover", 3, (*generator).recoverCase, func(l libsecp, c [][]byte) []byte {
			return l.Short(l.Recover(c[0], c[1]))
		}, func(c [][]byte) []byte { return encoded(ecdsa.Recover(c[0], c[1])) }, rows(peer.Recover)},

		// The encoding of a key.
		{"parse and decompress", 5, (*generator).keyCase, func(l libsecp, c [][]byte) []byte {
			return l.Long(l.Key(c[0]))
		}, func(c [][]byte) []byte {
			return with(koblitz.ParsePublicKey, c[0], (*koblitz.PublicKey).UncompressedBytes)
		}, manyKeys},

		// A secret.
		{"public key of a secret", 2, (*generator).secretCase, func(l libsecp, c [][]byte) []byte {
			return l.Short(l.PublicKey(c[0]))
		}, func(c [][]byte) []byte {
			return with(koblitz.ParsePrivateKey, c[0], func(k *koblitz.PrivateKey) []byte {
				return k.PublicKey().Bytes()
			})
		}, func(cases [][][]byte, exact bool) [][]byte {
			if exact {
				return rows(peer.PublicKeysVartime)(cases, exact)
			}
			return rows(peer.PublicKeys)(cases, exact)
		}},

		// A secret and the other party's key.
		{"ECDH", 2, (*generator).ecdhCase, func(l libsecp, c [][]byte) []byte {
			return l.SharedX(c[0], l.Key(c[1]))
		}, shared(ecdh.SharedX), func(cases [][][]byte, exact bool) [][]byte {
			if len(cases[0][1]) != 33 {
				return nil
			}
			return rows(peer.SharedX)(cases, exact)
		}},
		{"ECDH, SHA-256", 1, (*generator).ecdhCase, func(l libsecp, c [][]byte) []byte {
			return l.SharedHash(c[0], l.Key(c[1]))
		}, shared(ecdh.SharedSHA256), nil},

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
		}, func(c [][]byte) []byte {
			return with(koblitz.ParsePrivateKey, c[0], func(k *koblitz.PrivateKey) []byte {
				return reference.Must(ellswift.SharedSecret(k, c[1], c[2], c[3][0] == 1))
			})
		}, nil},

		// A key and a tweak.
		{"key + tweak·G", 2, (*generator).tweakCase, func(l libsecp, c [][]byte) []byte {
			return l.Short(l.Tweak(peer.TweakKeyAdd, l.Key(c[0]), c[1]))
		}, func(c [][]byte) []byte {
			return with(koblitz.ParsePublicKey, c[0], func(k *koblitz.PublicKey) []byte {
				return encoded(k.TweakAdd(c[1]))
			})
		}, rows(peer.TweakAdd)},

		// An x-only key, a tweak, the output's x coordinate and its parity.
		{"taproot tweak check", 2, (*generator).checkCase, func(l libsecp, c [][]byte) []byte {
			return yes(l.CheckTweak(l.XOnly(c[0]), c[1], c[2], c[3][0]))
		}, func(c [][]byte) []byte {
			key, err := koblitz.ParseXOnlyPublicKey(c[0])
			return yes(err == nil && c[3][0] < 2 && key.CheckTweakAdd(c[1], c[2], c[3][0] == 1))
		}, rows(peer.CheckTweaks)},

		// A secret, a tweak, and a byte that is 1 for a product.
		{"tweak of a secret", 2, (*generator).secretTweakCase, func(l libsecp, c [][]byte) []byte {
			if c[2][0] == 1 {
				return l.Tweak(peer.TweakSecretMul, c[0], c[1])
			}
			return l.Tweak(peer.TweakSecretAdd, c[0], c[1])
		}, func(c [][]byte) []byte {
			return with(koblitz.ParsePrivateKey, c[0], func(k *koblitz.PrivateKey) []byte {
				tweak := k.TweakAdd
				if c[2][0] == 1 {
					tweak = k.TweakMul
				}
				k, err := tweak(c[1])
				if err != nil {
					return nil
				}
				return k.Bytes()
			})
		}, nil},

		// A tag and a message.
		{"tagged hash", 4, (*generator).hashCase, func(l libsecp, c [][]byte) []byte {
			return l.TaggedHash(c[0], c[1])
		}, func(c [][]byte) []byte {
			h := schnorr.TaggedHash(string(c[0]), c[1])
			return h[:]
		}, manyHashes},

		// The scalars of a sum, 32 bytes each, and its points, 33 bytes each.
		{"sum of products", 1, (*generator).sumCase, theirSum, oneSum, manySums},

		// Keys of 33 bytes each.
		{"sum of keys", 1, (*generator).combineCase, func(l libsecp, c [][]byte) []byte {
			return combined(l, split(c[0]))
		}, oneCombine, nil},

		// A secret, a hash or message, and the auxiliary randomness of BIP-340.
		{"ECDSA sign", 1, (*generator).signCase, func(l libsecp, c [][]byte) []byte {
			return l.Compact(l.Sign(c[0], c[1]))
		}, func(c [][]byte) []byte {
			return with(koblitz.ParsePrivateKey, c[0], func(k *koblitz.PrivateKey) []byte {
				return reference.Must(ecdsa.AppendSign(nil, k, c[1], nil))
			})
		}, rows(peer.SignECDSA)},
		{"BIP-340 sign", 1, (*generator).signCase, func(l libsecp, c [][]byte) []byte {
			return l.SignSchnorr(l.Pair(c[0]), c[1], c[2])
		}, func(c [][]byte) []byte {
			return with(koblitz.ParsePrivateKey, c[0], func(k *koblitz.PrivateKey) []byte {
				return reference.Must(schnorr.Sign(k, c[1], &schnorr.SignOptions{Aux: c[2]}))
			})
		}, rows(peer.SignSchnorr)},
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

// yes is the answer of operations without another result.
func yes(ok bool) []byte {
	if ok {
		return []byte{1}
	}
	return nil
}

// with returns the result of f for a parsed key, or nil if parse refuses the key.
func with[K any](parse func([]byte) (*K, error), b []byte, f func(*K) []byte) []byte {
	key, err := parse(b)
	if err != nil {
		return nil
	}
	return f(key)
}

// encoded returns the encoding of a key, or nil if there is an error.
func encoded(key *koblitz.PublicKey, err error) []byte {
	if err != nil {
		return nil
	}
	return key.Bytes()
}

// shared returns the function for ECDH on a case by the given function of koblitz.
func shared(f func(*koblitz.PrivateKey, *koblitz.PublicKey) ([]byte, error)) func([][]byte) []byte {
	return func(c [][]byte) []byte {
		return with(koblitz.ParsePrivateKey, c[0], func(secret *koblitz.PrivateKey) []byte {
			return with(koblitz.ParsePublicKey, c[1], func(key *koblitz.PublicKey) []byte {
				return reference.Must(f(secret, key))
			})
		})
	}
}

// rows returns the function for many rows that runs a call. The fields after those of the call are
// ignored.
func rows(call peer.Call) func(cases [][][]byte, exact bool) [][]byte {
	return func(cases [][][]byte, exact bool) [][]byte {
		c := peer.NewColumns(call, cases)
		c.Exact = exact
		reference.Must(c.Run())
		results := c.Results()
		for i, b := range results {
			if call.Width == 0 {
				results[i] = yes(b != nil)
			}
		}
		return results
	}
}

// accumulated returns the answers of an accumulator of package batch, which is empty.
func accumulated(b interface {
	AddBytes(key, message, signature []byte)
	Verify(context.Context, []batch.Verdict) (int, error)
}, cases [][][]byte) (answers [][]byte) {
	for _, c := range cases {
		b.AddBytes(c[0], c[1], c[2])
	}
	verdicts := make([]batch.Verdict, len(cases))
	reference.Must(b.Verify(context.Background(), verdicts))
	for _, v := range verdicts {
		answers = append(answers, yes(v == batch.Valid))
	}
	return answers
}

func oneECDSA(c [][]byte) []byte {
	return with(koblitz.ParsePublicKey, c[0], func(key *koblitz.PublicKey) []byte {
		sig, err := ecdsa.ParseSignature(c[2])
		if err != nil {
			return nil
		}
		if c[3][0] == 1 {
			return yes(ecdsa.VerifyLowS(key, c[1], sig))
		}
		return yes(ecdsa.Verify(key, c[1], sig))
	})
}

func manyECDSA(cases [][][]byte, exact bool) [][]byte {
	rule, call := batch.AnyS, peer.VerifyECDSA
	if cases[0][3][0] == 1 {
		rule, call = batch.LowS, peer.VerifyECDSALowS
	}
	if exact {
		return rows(call)(cases, exact)
	}
	b := batch.NewECDSA(len(cases), rule, &batch.Options{Workers: 1})
	return accumulated(b, cases)
}

func manySchnorr(cases [][][]byte, exact bool) [][]byte {
	if len(cases[0][1]) == 32 {
		return rows(peer.VerifySchnorr)(cases, exact)
	}
	b := batch.NewSchnorr(len(cases), &batch.Options{Workers: 1, Exact: exact})
	return accumulated(b, cases)
}

// manyKeys returns the keys in 65 bytes.
func manyKeys(cases [][][]byte, _ bool) (answers [][]byte) {
	if len(cases[0][0]) != 33 {
		return nil
	}
	c := peer.NewColumns(peer.Decompress, cases)
	reference.Must(c.Run())
	for i := range cases {
		answers = append(answers, c.Result(i))
	}
	return answers
}

// manyHashes computes the hashes of BIP-340 by the function for SHA-256 of many messages.
func manyHashes(cases [][][]byte, _ bool) (answers [][]byte) {
	var messages [][]byte
	for _, c := range cases {
		tag := sha256.Sum256(c[0])
		messages = append(messages, slices.Concat(tag[:], tag[:], c[1]))
	}
	for _, h := range batch.AppendSHA256(nil, messages) {
		answers = append(answers, h[:])
	}
	return answers
}

// combined returns the encoded sum of keys by libsecp256k1.
func combined(l *peer.Libsecp, keys [][]byte) []byte {
	var objects [][]byte
	for _, b := range keys {
		key := l.Key(b)
		if key == nil {
			return nil
		}
		objects = append(objects, bytes.Clone(key))
	}
	return l.Short(l.Combine(objects...))
}

func theirSum(l *peer.Libsecp, c [][]byte) []byte {
	var products [][]byte
	for i := range len(c[1]) / 33 {
		if k := c[0][32*i:][:32]; !isZero(k) {
			product := l.Tweak(peer.TweakKeyMul, l.Key(c[1][33*i:][:33]), k)
			products = append(products, bytes.Clone(product))
		}
	}
	return l.Short(l.Combine(products...))
}

func terms(c [][]byte) (scalars []group.Scalar, points []group.Point) {
	n := len(c[1]) / 33
	scalars, points = make([]group.Scalar, n), make([]group.Point, n)
	for i := range n {
		reference.Must(scalars[i].SetBytes(c[0][32*i:][:32]))
		reference.Must(points[i].SetBytes(c[1][33*i:][:33]))
	}
	return scalars, points
}

// point returns the encoding of p, or nil for the identity.
func point(p *group.Point) []byte {
	if p.IsIdentity() {
		return nil
	}
	return p.Bytes()
}

func oneSum(c [][]byte) []byte {
	scalars, points := terms(c)
	var k []*group.Scalar
	var p []*group.Point
	for i := range scalars {
		k, p = append(k, &scalars[i]), append(p, &points[i])
	}
	return point(reference.Must(new(group.Point).MultiScalarMult(k, p)))
}

func manySums(cases [][][]byte, _ bool) (answers [][]byte) {
	for _, c := range cases {
		scalars, points := terms(c)
		o := &msm.Options{Workers: 1}
		sum := reference.Must(msm.SumVartime(context.Background(), scalars, points, o))
		answers = append(answers, point(&sum))
	}
	return answers
}

func split(b []byte) (keys [][]byte) {
	for ; len(b) > 0; b = b[33:] {
		keys = append(keys, b[:33])
	}
	return keys
}

func oneCombine(c [][]byte) []byte {
	var keys []*koblitz.PublicKey
	for _, b := range split(c[0]) {
		key, err := koblitz.ParsePublicKey(b)
		if err != nil {
			return nil
		}
		keys = append(keys, key)
	}
	return encoded(koblitz.CombineKeys(keys...))
}
