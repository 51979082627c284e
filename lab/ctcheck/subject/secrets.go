package main

import (
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/lab/ctcheck/cases"
)

// This file makes the operands of the cases. Most of them are marked as secret.

// secretBytes returns 32 bytes, marked as secret, that encode a number far from 0 and n.
func secretBytes(seed uint64) []byte { return cases.Secret(seed, 32) }

// secretArray returns the bytes of secretBytes as an array.
func secretArray(seed uint64) *[32]byte { return (*[32]byte)(secretBytes(seed)) }

// secretCopy returns a copy of the given public bytes. The copy is marked as secret.
func secretCopy(public []byte) []byte {
	b := append([]byte(nil), public...)
	cases.Mark(b)
	return b
}

func secretElement(seed uint64) (x field.Element) {
	x.SetBytes(secretArray(seed))
	return x
}

func secretScalar(seed uint64) (k scalar.Scalar) {
	k.SetBytes(secretArray(seed))
	return k
}

func secretJacobian(seed uint64) (p point.Jacobian) {
	k := secretScalar(seed)
	ecmult.ScalarBaseMult(&p, &k)
	return p
}

// secretAffine returns a secret point of the curve in affine coordinates.
func secretAffine(seed uint64) (a point.Affine) {
	p := secretJacobian(seed)
	a.SetJacobian(&p)
	return a
}

// secretGroupScalar returns a secret scalar far from 0 and n.
func secretGroupScalar(seed uint64) *group.Scalar {
	s := must(new(group.Scalar).SetBytes(secretBytes(seed)))
	return s
}

// secretGroupPoint returns a secret point whose denominator is not 1.
func secretGroupPoint(seed uint64) *group.Point {
	return new(group.Point).ScalarBaseMult(secretGroupScalar(seed))
}

// secretKey returns the private key encoded by secretBytes.
func secretKey(seed uint64) *koblitz.PrivateKey {
	k := must(koblitz.ParsePrivateKey(secretBytes(seed)))
	return k
}

// generatedKey returns a private key from secret random bytes.
func generatedKey() *koblitz.PrivateKey { return koblitz.GenerateKey() }

// publicKey returns a public key that is computed from public data only.
func publicKey(seed uint64) *koblitz.PublicKey {
	k := must(koblitz.ParsePrivateKey([]byte(fmt.Sprintf("%032d", seed))))
	return k.PublicKey()
}

// messageLengths holds the lengths of messages in bytes: zero, the length of a hash and its
// neighbors, and a whole block of SHA-256. Lengths are public.
var messageLengths = [...]int{0, 31, 32, 33, 64}

// messages returns a public message of each length in messageLengths. Signatures are public too, so
// branches on them are no leaks.
func messages() (all [][]byte) {
	text := []byte("a public message of as many bytes as one block of SHA-256 has...")
	for _, n := range messageLengths {
		all = append(all, text[:n])
	}
	return all
}

// digests returns those results of the function messages that are long enough to be ECDSA hashes.
func digests() [][]byte { return messages()[1:] }

// secretMessages returns a secret message of each length in messageLengths.
func secretMessages(seed uint64) (all [][]byte) {
	for i, n := range messageLengths {
		all = append(all, cases.Secret(seed+uint64(i), n))
	}
	return all
}

// must returns v. It stops the program if err is not nil. Whether there is an error is public.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// refused stops the program if err is nil. It is used where a case must run the code that handles
// this error.
func refused[T any](_ T, err error) {
	if err == nil {
		panic("nothing was refused")
	}
}
