// Package btcec benchmarks the operations of btcec and of its packages ecdsa, schnorr and ellswift.
package btcec

import (
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/btcsuite/btcd/btcec/v2/ellswift"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"

	"github.com/koblitz-go/koblitz/internal/reference"
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
	{Name: "recover", Open: func() rows.Rows {
		return keys.Recover(ecdsa.SignCompact, ecdsa.RecoverCompact)
	}},
	{Name: "bip340-verify", Open: func() rows.Rows {
		return keys.Verify(bip340(), (*schnorr.Signature).Verify)
	}},
	{Name: "bip340-sign", Open: func() rows.Rows {
		return keys.Sign(bip340(), (*schnorr.Signature).Serialize)
	}},
	{Name: "bip340-sign-fast", Open: func() rows.Rows {
		return keys.Sign(bip340(schnorr.FastSign()), (*schnorr.Signature).Serialize)
	}},
	{Name: "musig2", Open: musig},
	{Name: "ellswift-ecdh", Open: ellswiftECDH},
}

func BenchmarkOperations(b *testing.B) { rows.Benchmark(b, operations) }
func TestResults(t *testing.T)         { rows.Test(t, operations) }

func bip340(options ...schnorr.SignOption) keys.Signer[*schnorr.Signature] {
	return func(k *btcec.PrivateKey, hash []byte) (*schnorr.Signature, error) {
		return schnorr.Sign(k, hash, options...)
	}
}

// ellswiftECDH returns the operation that computes the shared secret of a BIP 324 handshake, from
// one side's private key and the other side's 64 bytes. Any 64 bytes encode a public key.
func ellswiftECDH() rows.Rows {
	in, r := keys.Open(), rows.Random()
	var ours, theirs [][64]byte
	for range rows.Count {
		ours = append(ours, [64]byte(reference.Bytes(r, 64)))
		theirs = append(theirs, [64]byte(reference.Bytes(r, 64)))
	}
	var shared *[32]byte
	return rows.Rows{
		Run: func(i int) error {
			h, err := ellswift.V2Ecdh(in.Private[i], theirs[i], ours[i], i%2 == 0)
			shared = (*[32]byte)(h)
			return err
		},
		Result: func() []byte { return shared[:] },
	}
}
