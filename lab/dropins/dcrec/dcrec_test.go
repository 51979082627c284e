// Package dcrec benchmarks the operations of dcrec/secp256k1 and of its packages ecdsa and schnorr.
package dcrec

import (
	"testing"

	secp "github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/schnorr"

	"github.com/koblitz-go/koblitz/lab/dropins/internal/keys"
	"github.com/koblitz-go/koblitz/lab/dropins/internal/rows"
)

var operations = []rows.Operation{
	{Name: "verify", Open: func() rows.Rows {
		return keys.Verify(keys.Sure(ecdsa.Sign), (*ecdsa.Signature).Verify)
	}},
	{Name: "sign", Open: func() rows.Rows {
		return keys.Sign(keys.Sure(ecdsa.Sign), (*ecdsa.Signature).Serialize)
	}},
	{Name: "sign-compact", Open: func() rows.Rows {
		return keys.Sign(func(k *secp.PrivateKey, hash []byte) ([]byte, error) {
			return ecdsa.SignCompact(k, hash, hash[0]%2 == 0), nil
		}, func(s []byte) []byte { return s })
	}},
	{Name: "recover", Open: func() rows.Rows {
		return keys.Recover(ecdsa.SignCompact, ecdsa.RecoverCompact)
	}},
	{Name: "ecdh", Open: ecdh},
	{Name: "parse", Open: parse},
	{Name: "keygen", Open: keygen},
	{Name: "schnorr-verify", Open: func() rows.Rows {
		return keys.Verify(schnorr.Sign, (*schnorr.Signature).Verify)
	}},
	{Name: "schnorr-sign", Open: func() rows.Rows {
		return keys.Sign(schnorr.Sign, (*schnorr.Signature).Serialize)
	}},
}

func BenchmarkOperations(b *testing.B) { rows.Benchmark(b, operations) }
func TestResults(t *testing.T)         { rows.Test(t, operations) }

func ecdh() rows.Rows {
	in := keys.Open()
	var shared []byte
	return rows.Rows{
		Run: func(i int) error {
			shared = secp.GenerateSharedSecret(in.Private[i], in.Public[(i+1)%rows.Count])
			return nil
		},
		Result: func() []byte { return shared },
	}
}

func parse() rows.Rows {
	in := keys.Open()
	var encoded [][]byte
	for _, k := range in.Public {
		encoded = append(encoded, k.SerializeCompressed())
	}
	var k *secp.PublicKey
	return rows.Rows{
		Run: func(i int) (err error) {
			k, err = secp.ParsePubKey(encoded[i])
			return err
		},
		Result: func() []byte { return k.SerializeUncompressed() },
		Wrong: func(i int) bool {
			k, err := secp.ParsePubKey(rows.Flipped(encoded[i], i))
			return err != nil || !k.IsEqual(in.Public[i])
		},
	}
}

func keygen() rows.Rows {
	r := rows.Random()
	var k *secp.PublicKey
	return rows.Rows{
		Run: func(int) error {
			private, err := secp.GeneratePrivateKeyFromRand(r)
			if err != nil {
				return err
			}
			k = private.PubKey()
			return nil
		},
		Result: func() []byte { return k.SerializeCompressed() },
	}
}
