package silentpay

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// This file holds BIP-352 as its specification describes it, with package reference.

var curve = reference.Secp256k1()

func bytes32(x *big.Int) []byte { return x.FillBytes(make([]byte, 32)) }

func compressed(p reference.Point) []byte {
	return append([]byte{2 + byte(p.Y.Bit(0))}, bytes32(p.X)...)
}

func taggedNumber(tag string, parts ...[]byte) *big.Int {
	return new(big.Int).SetBytes(reference.TaggedHash(tag, parts...))
}

func ser32(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }

func private(d *big.Int) *koblitz.PrivateKey {
	return reference.Must(koblitz.ParsePrivateKey(bytes32(d)))
}

// number returns the private key with a small number.
func number(n int64) *koblitz.PrivateKey { return private(big.NewInt(n)) }

func spendKey(d *big.Int) *SpendKey { return reference.Must(NewSpendKey(private(d))) }

// A wallet is the secrets of a receiver.
type wallet struct {
	scan, spend *big.Int
	labels      []uint32
}

// receiver returns the receiver with w's keys and labels.
func (w *wallet) receiver() *Receiver {
	scan := reference.Must(NewScanKey(private(w.scan)))
	return reference.Must(NewReceiver(scan, private(w.spend).PublicKey(), w.labels...))
}

// labelTweak returns the tweak of label m, or 0 for no label, m = -1.
func (w *wallet) labelTweak(m int64) *big.Int {
	if m < 0 {
		return new(big.Int)
	}
	return taggedNumber("BIP0352/Label", bytes32(w.scan), ser32(uint32(m)))
}

// privateTweak returns t_k for the public tweak p, plus the tweak of label m.
func (w *wallet) privateTweak(p reference.Point, k uint32, m int64) *big.Int {
	shared := curve.ScalarMult(w.scan, p)
	t := taggedNumber("BIP0352/SharedSecret", compressed(shared), ser32(k))
	return t.Add(t, w.labelTweak(m)).Mod(t, curve.Order)
}

// output returns the x-only key of output k with label m, for the public tweak p.
func (w *wallet) output(p reference.Point, k uint32, m int64) [32]byte {
	d := w.privateTweak(p, k, m)
	d.Add(d, w.spend).Mod(d, curve.Order)
	return [32]byte(bytes32(curve.ScalarMult(d, curve.G).X))
}

// transactionTweak returns input_hash·a·G for the private keys of the inputs. It is infinity if
// they add up to zero.
func transactionTweak(keys []*big.Int, taproot []bool, outpoints []Outpoint) reference.Point {
	a := new(big.Int)
	for i, d := range keys {
		if taproot[i] && curve.ScalarMult(d, curve.G).Y.Bit(0) == 1 {
			d = new(big.Int).Sub(curve.Order, d)
		}
		a.Add(a, d)
	}
	a.Mod(a, curve.Order)
	sum := curve.ScalarMult(a, curve.G)
	if sum.IsInfinity() {
		return sum
	}
	smallest := slices.MinFunc(outpoints, func(a, b Outpoint) int { return bytes.Compare(a[:], b[:]) })
	return curve.ScalarMult(taggedNumber("BIP0352/Inputs", smallest[:], compressed(sum)), sum)
}
