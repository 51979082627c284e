// Package btcec benchmarks the operations of btcec and of its packages ecdsa, schnorr and ellswift.
package btcec

import (
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/btcsuite/btcd/btcec/v2/ellswift"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"

	"github.com/koblitz-go/koblitz/lab/dropins/internal/rows"
)

var operations = []rows.Operation{
	{Name: "verify", Open: verify},
	{Name: "sign", Open: sign},
	{Name: "recover", Open: recoverCompact},
	{Name: "bip340-verify", Open: bip340Verify},
	{Name: "bip340-sign", Open: func() rows.Rows { return bip340Sign() }},
	{Name: "bip340-sign-fast", Open: func() rows.Rows { return bip340Sign(schnorr.FastSign()) }},
	{Name: "musig2", Open: musig},
	{Name: "ellswift-ecdh", Open: ellswiftECDH},
}

func BenchmarkOperations(b *testing.B) { rows.Benchmark(b, operations) }
func TestResults(t *testing.T)         { rows.Test(t, operations) }

// inputs holds key pairs, and for each pair a hash to sign.
type inputs struct {
	private []*btcec.PrivateKey
	public  []*btcec.PublicKey
	hash    [][]byte
}

func open() inputs {
	r := rows.Random()
	var in inputs
	for range rows.Count {
		private, public := btcec.PrivKeyFromBytes(rows.Bytes(r, 32))
		in.private = append(in.private, private)
		in.public = append(in.public, public)
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

func recoverCompact() rows.Rows {
	in := open()
	var signatures [][]byte
	for i, k := range in.private {
		signatures = append(signatures, ecdsa.SignCompact(k, in.hash[i], true))
	}
	var k *btcec.PublicKey
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

func bip340Verify() rows.Rows {
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

func bip340Sign(options ...schnorr.SignOption) rows.Rows {
	in := open()
	var s *schnorr.Signature
	return rows.Rows{
		Run: func(i int) error {
			var err error
			s, err = schnorr.Sign(in.private[i], in.hash[i], options...)
			return err
		},
		Result: func() []byte { return s.Serialize() },
	}
}

// ellswiftECDH returns the operation that computes the shared secret of a BIP 324 handshake, from
// one side's private key and the other side's 64 bytes. Any 64 bytes encode a public key.
func ellswiftECDH() rows.Rows {
	in := open()
	r := rows.Random()
	var ours, theirs [][64]byte
	for range rows.Count {
		ours = append(ours, [64]byte(rows.Bytes(r, 64)))
		theirs = append(theirs, [64]byte(rows.Bytes(r, 64)))
	}
	var shared [32]byte
	return rows.Rows{
		Run: func(i int) error {
			h, err := ellswift.V2Ecdh(in.private[i], theirs[i], ours[i], i%2 == 0)
			if err != nil {
				return err
			}
			shared = *h
			return nil
		},
		Result: func() []byte { return shared[:] },
	}
}
