// Package dcrec benchmarks the operations of dcrec/secp256k1 and of its packages ecdsa and schnorr.
package dcrec

import (
	"testing"

	secp "github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/schnorr"

	"github.com/koblitz-go/koblitz/lab/dropins/internal/rows"
)

var operations = []rows.Operation{
	{Name: "verify", Open: verify},
	{Name: "sign", Open: sign},
	{Name: "sign-compact", Open: signCompact},
	{Name: "recover", Open: recoverCompact},
	{Name: "ecdh", Open: ecdh},
	{Name: "parse", Open: parse},
	{Name: "keygen", Open: keygen},
	{Name: "schnorr-verify", Open: schnorrVerify},
	{Name: "schnorr-sign", Open: schnorrSign},
}

func BenchmarkOperations(b *testing.B) { rows.Benchmark(b, operations) }
func TestResults(t *testing.T)         { rows.Test(t, operations) }

// inputs holds key pairs, and for each pair a hash to sign.
type inputs struct {
	private []*secp.PrivateKey
	public  []*secp.PublicKey
	hash    [][]byte
}

func open() inputs {
	r := rows.Random()
	var in inputs
	for range rows.Count {
		k := secp.PrivKeyFromBytes(rows.Bytes(r, 32))
		in.private = append(in.private, k)
		in.public = append(in.public, k.PubKey())
		in.hash = append(in.hash, rows.Bytes(r, 32))
	}
	return in
}

func verify() rows.Rows {
	in := open()
	var signatures []*ecdsa.Signature
	for i, k := range in.private {
		signatures = append(signatures, ecdsa.Sign(k, in.hash[i]))
	}
	return rows.Rows{
		Run: func(i int) error {
			return rows.Accepted(signatures[i].Verify(in.hash[i], in.public[i]))
		},
		Wrong: func(i int) bool {
			return !signatures[i].Verify(rows.Flipped(in.hash[i], i), in.public[i])
		},
	}
}

func sign() rows.Rows {
	in := open()
	var s *ecdsa.Signature
	return rows.Rows{
		Run:    func(i int) error { s = ecdsa.Sign(in.private[i], in.hash[i]); return nil },
		Result: func() []byte { return s.Serialize() },
	}
}

func signCompact() rows.Rows {
	in := open()
	var s []byte
	return rows.Rows{
		Run: func(i int) error {
			s = ecdsa.SignCompact(in.private[i], in.hash[i], i%2 == 0)
			return nil
		},
		Result: func() []byte { return s },
	}
}

func recoverCompact() rows.Rows {
	in := open()
	var signatures [][]byte
	for i, k := range in.private {
		signatures = append(signatures, ecdsa.SignCompact(k, in.hash[i], true))
	}
	var k *secp.PublicKey
	return rows.Rows{
		Run: func(i int) error {
			var err error
			k, _, err = ecdsa.RecoverCompact(signatures[i], in.hash[i])
			if err != nil {
				return err
			}
			return rows.Accepted(k.IsEqual(in.public[i]))
		},
		Result: func() []byte { return k.SerializeUncompressed() },
		Wrong: func(i int) bool {
			k, _, err := ecdsa.RecoverCompact(signatures[i], rows.Flipped(in.hash[i], i))
			return err != nil || !k.IsEqual(in.public[i])
		},
	}
}

func ecdh() rows.Rows {
	in := open()
	var shared []byte
	return rows.Rows{
		Run: func(i int) error {
			shared = secp.GenerateSharedSecret(in.private[i], in.public[(i+1)%rows.Count])
			return nil
		},
		Result: func() []byte { return shared },
	}
}

func parse() rows.Rows {
	in := open()
	var keys [][]byte
	for _, k := range in.public {
		keys = append(keys, k.SerializeCompressed())
	}
	var k *secp.PublicKey
	return rows.Rows{
		Run: func(i int) error {
			var err error
			k, err = secp.ParsePubKey(keys[i])
			return err
		},
		Result: func() []byte { return k.SerializeUncompressed() },
		Wrong: func(i int) bool {
			k, err := secp.ParsePubKey(rows.Flipped(keys[i], i))
			return err != nil || !k.IsEqual(in.public[i])
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

func schnorrVerify() rows.Rows {
	in := open()
	var signatures []*schnorr.Signature
	for i, k := range in.private {
		signatures = append(signatures, rows.Must(schnorr.Sign(k, in.hash[i])))
	}
	return rows.Rows{
		Run: func(i int) error {
			return rows.Accepted(signatures[i].Verify(in.hash[i], in.public[i]))
		},
		Wrong: func(i int) bool {
			return !signatures[i].Verify(rows.Flipped(in.hash[i], i), in.public[i])
		},
	}
}

func schnorrSign() rows.Rows {
	in := open()
	var s *schnorr.Signature
	return rows.Rows{
		Run: func(i int) error {
			var err error
			s, err = schnorr.Sign(in.private[i], in.hash[i])
			return err
		},
		Result: func() []byte { return s.Serialize() },
	}
}
