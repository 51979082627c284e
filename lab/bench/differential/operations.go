package main

import (
	"bytes"
	"context"
	"crypto/sha256"

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
	// cases returns the fields of n cases.
	cases func(g *generator, n int) [][][]byte
	// theirs computes a case by libsecp256k1.
	theirs func(f peer.Functions, c [][]byte) []byte
	// one computes a case by koblitz's function for one call.
	one func(c [][]byte) []byte
	// many computes the n cases of a block by koblitz's function for many rows. The columns hold
	// the fields, packed. exact forbids equations. many returns nil if the function does not take
	// columns of these widths, and is nil if there is no function.
	many func(columns []column, n int, exact bool) [][]byte
}

// operations returns all operations. The comment of each lists the fields of a case.
func operations() []operation {
	type functions = peer.Functions
	return []operation{
		// A key, a hash, a signature, and a byte that is 1 for the rule that s must be low.
		{"ECDSA verify", 7, (*generator).ecdsaCases, func(f functions, c [][]byte) []byte {
			if c[3][0] == 1 {
				return yes(f.ECDSAVerifyLowS(c[0], c[1], c[2]))
			}
			return yes(f.ECDSAVerify(c[0], c[1], c[2]))
		}, oneECDSA, manyECDSA},

		// A key, a message and a signature.
		{"BIP-340 verify", 7, (*generator).schnorrCases, func(f functions, c [][]byte) []byte {
			return yes(f.SchnorrVerify(c[0], c[1], c[2]))
		}, func(c [][]byte) []byte {
			key, err := koblitz.ParseXOnlyPublicKey(c[0])
			return yes(err == nil && schnorr.Verify(key, c[1], c[2]))
		}, manySchnorr},

		// A key, a hash, and a signature in DER whose s must be low.
		{"ECDSA verify, DER", 1, (*generator).derCases, func(f functions, c [][]byte) []byte {
			return yes(f.ECDSAVerifyDER(c[0], c[1], c[2]))
		}, func(c [][]byte) []byte {
			return withKey(c[0], func(key *koblitz.PublicKey) []byte {
				sig, err := ecdsa.ParseDER(c[2])
				return yes(err == nil && ecdsa.VerifyLowS(key, c[1], sig))
			})
		}, nil},

		// A hash, and a signature of 65 bytes.
		{"recover", 3, (*generator).recoverCases, func(f functions, c [][]byte) []byte {
			return f.Recover(c[0], c[1])
		}, func(c [][]byte) []byte { return encoded(ecdsa.Recover(c[0], c[1])) }, rows(peer.Recover)},

		// The encoding of a key.
		{"parse and decompress", 5, (*generator).keyCases, func(f functions, c [][]byte) []byte {
			return f.Parse(c[0])
		}, func(c [][]byte) []byte {
			return withKey(c[0], (*koblitz.PublicKey).UncompressedBytes)
		}, manyKeys},

		// A secret.
		{"public key of a secret", 2, (*generator).secretCases, func(f functions, c [][]byte) []byte {
			return f.PublicKey(c[0])
		}, func(c [][]byte) []byte {
			return withSecret(c[0], func(k *koblitz.PrivateKey) []byte { return k.PublicKey().Bytes() })
		}, func(columns []column, n int, exact bool) [][]byte {
			if exact {
				return rows(peer.PublicKeysVartime)(columns, n, exact)
			}
			return rows(peer.PublicKeys)(columns, n, exact)
		}},

		// A secret and the other party's key.
		{"ECDH", 2, (*generator).ecdhCases, func(f functions, c [][]byte) []byte {
			return f.ECDHX(c[0], c[1])
		}, shared(ecdh.SharedX), func(columns []column, n int, exact bool) [][]byte {
			if columns[1].width != 33 {
				return nil
			}
			return rows(peer.SharedX)(columns, n, exact)
		}},
		{"ECDH, SHA-256", 1, (*generator).ecdhCases, func(f functions, c [][]byte) []byte {
			return f.ECDHSHA256(c[0], c[1])
		}, shared(ecdh.SharedSHA256), nil},

		// An encoding of 64 bytes. The function for many rows returns only x coordinates.
		{"ElligatorSwift decode", 1, (*generator).ellswiftCases, func(f functions, c [][]byte) []byte {
			return f.EllswiftDecode(c[0])
		}, func(c [][]byte) []byte { return encoded(ellswift.Decode(c[0])) }, nil},
		{"ElligatorSwift decode, x", 1, (*generator).ellswiftCases, func(f functions, c [][]byte) []byte {
			return f.EllswiftDecode(c[0])[1:]
		}, func(c [][]byte) []byte { return encoded(ellswift.Decode(c[0]))[1:] },
			rows(peer.DecodeEllswift)},

		// A secret, its owner's encoding, the other party's, and a byte that is 1 for the initiator.
		{"BIP-324 secret", 1, (*generator).ellswiftSecretCases, func(f functions, c [][]byte) []byte {
			return f.EllswiftSecret(c[0], c[1], c[2], c[3][0] == 1)
		}, func(c [][]byte) []byte {
			return withSecret(c[0], func(k *koblitz.PrivateKey) []byte {
				return reference.Must(ellswift.SharedSecret(k, c[1], c[2], c[3][0] == 1))
			})
		}, nil},

		// A key and a tweak.
		{"key + tweak·G", 2, (*generator).tweakCases, func(f functions, c [][]byte) []byte {
			return f.TweakAdd(c[0], c[1])
		}, func(c [][]byte) []byte {
			return withKey(c[0], func(k *koblitz.PublicKey) []byte { return encoded(k.TweakAdd(c[1])) })
		}, rows(peer.TweakAdd)},

		// An x-only key, a tweak, the output's x coordinate and its parity.
		{"taproot tweak check", 2, (*generator).checkCases, func(f functions, c [][]byte) []byte {
			return yes(f.TweakCheck(c[0], c[1], c[2], c[3][0]))
		}, func(c [][]byte) []byte {
			key, err := koblitz.ParseXOnlyPublicKey(c[0])
			return yes(err == nil && c[3][0] < 2 && key.CheckTweakAdd(c[1], c[2], c[3][0] == 1))
		}, rows(peer.CheckTweaks)},

		// A secret, a tweak, and a byte that is 1 for a product.
		{"tweak of a secret", 2, (*generator).secretTweakCases, func(f functions, c [][]byte) []byte {
			if c[2][0] == 1 {
				return f.SecretTweakMul(c[0], c[1])
			}
			return f.SecretTweakAdd(c[0], c[1])
		}, func(c [][]byte) []byte {
			return withSecret(c[0], func(k *koblitz.PrivateKey) []byte {
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
		{"tagged hash", 4, (*generator).hashCases, func(f functions, c [][]byte) []byte {
			return f.TaggedHash(c[0], c[1])
		}, func(c [][]byte) []byte {
			h := schnorr.TaggedHash(string(c[0]), c[1])
			return h[:]
		}, manyHashes},

		// The scalars of a sum, 32 bytes each, and its points, 33 bytes each.
		{"sum of products", 1, (*generator).sumCases, theirSum, oneSum, manySums},

		// Keys of 33 bytes each.
		{"sum of keys", 1, (*generator).combineCases, func(f functions, c [][]byte) []byte {
			return f.Combine(split(c[0])...)
		}, oneCombine, nil},

		// A secret, a hash or message, and the auxiliary randomness of BIP-340.
		{"ECDSA sign", 1, (*generator).signCases, func(f functions, c [][]byte) []byte {
			return f.ECDSASign(c[0], c[1])
		}, func(c [][]byte) []byte {
			return withSecret(c[0], func(k *koblitz.PrivateKey) []byte {
				return reference.Must(ecdsa.AppendSign(nil, k, c[1], nil))
			})
		}, rows(peer.SignECDSA)},
		{"BIP-340 sign", 1, (*generator).signCases, func(f functions, c [][]byte) []byte {
			return f.SchnorrSign(c[0], c[1], c[2])
		}, func(c [][]byte) []byte {
			return withSecret(c[0], func(k *koblitz.PrivateKey) []byte {
				return reference.Must(schnorr.Sign(k, c[1], &schnorr.SignOptions{Aux: c[2]}))
			})
		}, rows(peer.SignSchnorr)},
	}
}

// A column holds the values of one field in all cases of a block, which have the same width.
type column struct {
	data  []byte
	width int
}

func (c column) at(i int) []byte { return c.data[i*c.width:][:c.width] }

// columnsOf returns the fields of the cases as columns. It returns false if a field does not have
// the same width in all cases.
func columnsOf(cases [][][]byte) (columns []column, ok bool) {
	columns = make([]column, len(cases[0]))
	for f := range columns {
		columns[f].width = len(cases[0][f])
		for _, c := range cases {
			if len(c[f]) != columns[f].width {
				return nil, false
			}
			columns[f].data = append(columns[f].data, c[f]...)
		}
	}
	return columns, true
}

// compute returns koblitz's answers for the cases of a block, by the function for many rows if
// together is set and there is one for the widths of the cases, and otherwise by one call for each.
func (o *operation) compute(cases [][][]byte, together, exact bool) (
	answers [][]byte, inRows bool,
) {
	if columns, ok := columnsOf(cases); ok && together && o.many != nil {
		if answers = o.many(columns, len(cases), exact); answers != nil {
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

// withKey and withSecret return the result of f for the parsed key, or nil if it is refused.

func withKey(b []byte, f func(*koblitz.PublicKey) []byte) []byte {
	key, err := koblitz.ParsePublicKey(b)
	if err != nil {
		return nil
	}
	return f(key)
}

func withSecret(b []byte, f func(*koblitz.PrivateKey) []byte) []byte {
	key, err := koblitz.ParsePrivateKey(b)
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
		return withSecret(c[0], func(secret *koblitz.PrivateKey) []byte {
			return withKey(c[1], func(key *koblitz.PublicKey) []byte {
				return reference.Must(f(secret, key))
			})
		})
	}
}

// rows returns the function for many rows that runs a call. The columns after those of the call are
// ignored.
func rows(call peer.Call) func(columns []column, n int, exact bool) [][]byte {
	return func(columns []column, n int, exact bool) [][]byte {
		var packed []batch.Column
		for _, c := range columns {
			packed = append(packed, batch.Packed(c.data, c.width))
		}
		width, _ := call.Result()
		dst, verdicts := make([]byte, n*width), make([]batch.Verdict, n)
		reference.Must(call.Run(packed, dst, verdicts, peer.Rules{Exact: exact}))
		results := call.Results(dst, verdicts)
		for i, b := range results {
			if width == 0 {
				results[i] = yes(b != nil)
			}
		}
		return results
	}
}

// judged encodes the verdicts of accumulators as answers, which are 1 for Valid.
func judged(verdicts []batch.Verdict) (answers [][]byte) {
	for _, v := range verdicts {
		answers = append(answers, yes(v == batch.Valid))
	}
	return answers
}

func oneECDSA(c [][]byte) []byte {
	return withKey(c[0], func(key *koblitz.PublicKey) []byte {
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

func manyECDSA(columns []column, n int, exact bool) [][]byte {
	rule, call := batch.AnyS, peer.VerifyECDSA
	if columns[3].data[0] == 1 {
		rule, call = batch.LowS, peer.VerifyECDSALowS
	}
	if exact {
		return rows(call)(columns, n, exact)
	}
	verdicts := make([]batch.Verdict, n)
	b := batch.NewECDSA(n, rule, &batch.Options{Workers: 1})
	for i := range n {
		b.AddBytes(columns[0].at(i), columns[1].at(i), columns[2].at(i))
	}
	reference.Must(b.Verify(context.Background(), verdicts))
	return judged(verdicts)
}

func manySchnorr(columns []column, n int, exact bool) [][]byte {
	if columns[1].width == 32 {
		return rows(peer.VerifySchnorr)(columns, n, exact)
	}
	verdicts := make([]batch.Verdict, n)
	b := batch.NewSchnorr(n, &batch.Options{Workers: 1, Exact: exact})
	for i := range n {
		b.AddBytes(columns[0].at(i), columns[1].at(i), columns[2].at(i))
	}
	reference.Must(b.Verify(context.Background(), verdicts))
	return judged(verdicts)
}

// manyKeys returns the keys in 65 bytes.
func manyKeys(columns []column, n int, _ bool) (answers [][]byte) {
	if columns[0].width != 33 {
		return nil
	}
	dst, verdicts := make([]byte, 65*n), make([]batch.Verdict, n)
	column := []batch.Column{batch.Packed(columns[0].data, 33)}
	reference.Must(peer.Decompress.Run(column, dst, verdicts, peer.Rules{}))
	for i, v := range verdicts {
		var answer []byte
		if v == batch.Valid {
			answer = dst[65*i:][:65]
		}
		answers = append(answers, answer)
	}
	return answers
}

// manyHashes computes the hashes of BIP-340 by the function for SHA-256 of many messages.
func manyHashes(columns []column, n int, _ bool) (answers [][]byte) {
	var messages [][]byte
	for i := range n {
		tag := sha256.Sum256(columns[0].at(i))
		messages = append(messages, bytes.Join([][]byte{tag[:], tag[:], columns[1].at(i)}, nil))
	}
	for _, h := range batch.AppendSHA256(nil, messages) {
		answers = append(answers, h[:])
	}
	return answers
}

func theirSum(f peer.Functions, c [][]byte) []byte {
	var products [][]byte
	for i := range len(c[1]) / 33 {
		if k := c[0][32*i:][:32]; !isZero(k) {
			products = append(products, f.Multiply(k, c[1][33*i:][:33]))
		}
	}
	return f.Combine(products...)
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

func manySums(columns []column, n int, _ bool) (answers [][]byte) {
	for i := range n {
		scalars, points := terms([][]byte{columns[0].at(i), columns[1].at(i)})
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
