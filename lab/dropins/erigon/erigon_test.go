// Package erigon benchmarks the module with which Erigon calls libsecp256k1.
package erigon

import (
	"bytes"
	"testing"

	"github.com/erigontech/secp256k1"

	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/lab/dropins/internal/rows"
)

var operations = []rows.Operation{
	{Name: "recover", Open: recoverKey},
	{Name: "verify", Open: verify},
	{Name: "sign", Open: sign},
	{Name: "ecdh", Open: ecdh},
}

func BenchmarkOperations(b *testing.B) { rows.Benchmark(b, operations) }
func TestResults(t *testing.T)         { rows.Test(t, operations) }

// inputs holds private keys, and for each a hash, its signature and the public key.
type inputs struct{ private, hash, signature, public [][]byte }

func open() inputs {
	r := rows.Random()
	var in inputs
	for range rows.Count {
		key, hash := reference.Bytes(r, 32), reference.Bytes(r, 32)
		in.private = append(in.private, key)
		in.hash = append(in.hash, hash)
		in.signature = append(in.signature, reference.Must(secp256k1.Sign(hash, key)))
		x, y := secp256k1.S256().ScalarBaseMult(key)
		in.public = append(in.public, secp256k1.S256().Marshal(x, y))
	}
	return in
}

func recoverKey() rows.Rows {
	in := open()
	context := secp256k1.ContextForThread(0)
	var last, buf []byte
	return rows.Rows{
		Run: func(i int) (err error) {
			last, err = secp256k1.RecoverPubkeyWithContext(context, in.hash[i], in.signature[i], buf[:0])
			if err != nil {
				return err
			}
			buf = last
			return rows.Accepted(bytes.Equal(last, in.public[i]))
		},
		Result: func() []byte { return last },
		Wrong: func(i int) bool {
			key, err := secp256k1.RecoverPubkey(in.hash[i], rows.Flipped(in.signature[i], i))
			return err != nil || !bytes.Equal(key, in.public[i])
		},
	}
}

func verify() rows.Rows {
	in := open()
	return rows.Rows{
		Run: func(i int) error {
			return rows.Accepted(
				secp256k1.VerifySignature(in.public[i], in.hash[i], in.signature[i][:64]))
		},
		Wrong: func(i int) bool {
			return !secp256k1.VerifySignature(in.public[i], rows.Flipped(in.hash[i], i),
				in.signature[i][:64])
		},
	}
}

func sign() rows.Rows {
	in := open()
	var last []byte
	return rows.Rows{
		Run: func(i int) (err error) {
			last, err = secp256k1.Sign(in.hash[i], in.private[i])
			if err != nil {
				return err
			}
			return rows.Accepted(bytes.Equal(last, in.signature[i]))
		},
		Result: func() []byte { return last },
		Wrong: func(i int) bool {
			_, err := secp256k1.Sign(in.hash[i], make([]byte, 32))
			return err == secp256k1.ErrInvalidKey
		},
	}
}

// ecdh multiplies the public key of the next row by the private key of a row, as the handshake
// between nodes does.
func ecdh() rows.Rows {
	in := open()
	curve := secp256k1.S256()
	var last []byte
	return rows.Rows{
		Run: func(i int) error {
			x, y := curve.Unmarshal(in.public[(i+1)%rows.Count])
			x, y = curve.ScalarMult(x, y, in.private[i])
			last = curve.Marshal(x, y)
			return nil
		},
		Result: func() []byte { return last },
		Wrong: func(i int) bool {
			x, y := curve.Unmarshal(in.public[i])
			x, _ = curve.ScalarMult(x, y, make([]byte, 32))
			return x == nil
		},
	}
}
