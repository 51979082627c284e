// Package keys makes the rows of operations with key pairs of dcrec, which btcec has too.
package keys

//ci:untested The tests of lab/dropins/dcrec and lab/dropins/btcec run it.

import (
	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/lab/dropins/internal/rows"
)

// Pairs holds key pairs, and for each pair a hash to sign.
type Pairs struct {
	Private []*secp256k1.PrivateKey
	Public  []*secp256k1.PublicKey
	Hash    [][]byte
}

// Open returns the pairs for all rows.
func Open() Pairs {
	r := rows.Random()
	var in Pairs
	for range rows.Count {
		k := secp256k1.PrivKeyFromBytes(reference.Bytes(r, 32))
		in.Private = append(in.Private, k)
		in.Public = append(in.Public, k.PubKey())
		in.Hash = append(in.Hash, reference.Bytes(r, 32))
	}
	return in
}

// A Signer signs a hash.
type Signer[S any] func(k *secp256k1.PrivateKey, hash []byte) (S, error)

// Sure returns a signer that has no errors.
func Sure[S any](sign func(k *secp256k1.PrivateKey, hash []byte) S) Signer[S] {
	return func(k *secp256k1.PrivateKey, hash []byte) (S, error) { return sign(k, hash), nil }
}

// Sign returns the operation that signs. The function encode encodes the results.
func Sign[S any](sign Signer[S], encode func(S) []byte) rows.Rows {
	in := Open()
	var s S
	return rows.Rows{
		Run: func(i int) (err error) {
			s, err = sign(in.Private[i], in.Hash[i])
			return err
		},
		Result: func() []byte { return encode(s) },
	}
}

// Verify returns the operation that verifies signatures.
func Verify[S any](
	sign Signer[S], verify func(s S, hash []byte, public *secp256k1.PublicKey) bool,
) rows.Rows {
	in := Open()
	var signatures []S
	for i, k := range in.Private {
		signatures = append(signatures, reference.Must(sign(k, in.Hash[i])))
	}
	return rows.Rows{
		Run: func(i int) error {
			return rows.Accepted(verify(signatures[i], in.Hash[i], in.Public[i]))
		},
		Wrong: func(i int) bool {
			return !verify(signatures[i], rows.Flipped(in.Hash[i], i), in.Public[i])
		},
	}
}

// Recover returns the operation that recovers keys from compact signatures.
func Recover(
	sign func(k *secp256k1.PrivateKey, hash []byte, compressed bool) []byte,
	recovered func(signature, hash []byte) (*secp256k1.PublicKey, bool, error),
) rows.Rows {
	in := Open()
	var signatures [][]byte
	for i, k := range in.Private {
		signatures = append(signatures, sign(k, in.Hash[i], true))
	}
	var k *secp256k1.PublicKey
	return rows.Rows{
		Run: func(i int) (err error) {
			if k, _, err = recovered(signatures[i], in.Hash[i]); err != nil {
				return err
			}
			return rows.Accepted(k.IsEqual(in.Public[i]))
		},
		Result: func() []byte { return k.SerializeUncompressed() },
		Wrong: func(i int) bool {
			k, _, err := recovered(signatures[i], rows.Flipped(in.Hash[i], i))
			return err != nil || !k.IsEqual(in.Public[i])
		},
	}
}
