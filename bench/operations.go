package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/btcec/v2"
	btcschnorr "github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	dcrecdsa "github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// size is the number of keys and messages.
const size = 64

// inputs is what the operations work on, in the form of each implementation.
type inputs struct {
	hash [size][]byte
	aux  [size][32]byte

	key       [size]*koblitz.PrivateKey
	public    [size]*koblitz.PublicKey
	xonly     [size]*koblitz.XOnlyPublicKey
	sec1      [size][]byte
	x         [size][]byte
	signature [size]*ecdsa.Signature
	der       [size][]byte
	sig65     [size][]byte
	bip340    [size][]byte

	dcrKey       [size]*secp256k1.PrivateKey
	dcrPublic    [size]*secp256k1.PublicKey
	dcrSignature [size]*dcrecdsa.Signature
	dcrCompact   [size][]byte
	btcBIP340    [size]*btcschnorr.Signature

	buf [65]byte
}

func newInputs() *inputs {
	in := new(inputs)
	for i := range size {
		in.hash[i] = koblitz.GenerateKey().Bytes()
		copy(in.aux[i][:], koblitz.GenerateKey().Bytes())
		k := koblitz.GenerateKey()
		in.key[i], in.public[i], in.xonly[i] = k, k.PublicKey(), k.XOnlyPublicKey()
		in.sec1[i], in.x[i] = in.public[i].Bytes(), in.xonly[i].Bytes()
		in.signature[i] = must(ecdsa.Sign(k, in.hash[i]))
		in.der[i] = in.signature[i].DER()
		in.sig65[i] = must(ecdsa.SignRecoverable(k, in.hash[i]))
		in.bip340[i] = must(schnorr.Sign(k, in.hash[i], in.aux[i][:]))

		in.dcrKey[i] = secp256k1.PrivKeyFromBytes(k.Bytes())
		in.dcrPublic[i] = in.dcrKey[i].PubKey()
		in.dcrSignature[i] = must(dcrecdsa.ParseDERSignature(in.der[i]))
		in.dcrCompact[i] = dcrecdsa.SignCompact(in.dcrKey[i], in.hash[i], true)
		in.btcBIP340[i] = must(btcschnorr.ParseSignature(in.bip340[i]))
	}
	return in
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// check compares what the implementations say about the same inputs.
func (in *inputs) check() error {
	for i := range size {
		h := in.hash[i]
		wrong := in.hash[(i+1)%size]
		peer := in.public[(i+1)%size]
		k := in.dcrKey[i]
		bkey, _ := btcec.PrivKeyFromBytes(k.Serialize())
		theirs := must(btcschnorr.Sign(bkey, h, btcschnorr.CustomNonce(in.aux[i])))
		recovered, _, err := dcrecdsa.RecoverCompact(in.dcrCompact[i], h)
		for _, c := range []struct {
			name string
			ok   bool
		}{
			{"public keys", bytes.Equal(in.dcrPublic[i].SerializeCompressed(), in.sec1[i])},
			{"ECDSA signatures", bytes.Equal(dcrecdsa.Sign(k, h).Serialize(), in.der[i])},
			{"ECDSA verification", ecdsa.Verify(in.public[i], h, in.signature[i]) && in.dcrSignature[i].Verify(h, in.dcrPublic[i])},
			{"ECDSA refusal", !ecdsa.Verify(in.public[i], wrong, in.signature[i]) && !in.dcrSignature[i].Verify(wrong, in.dcrPublic[i])},
			{"recovery", err == nil && recovered.IsEqual(in.dcrPublic[i]) && must(ecdsa.Recover(h, in.sig65[i])).Equal(in.public[i])},
			{"compact signatures", bytes.Equal(in.dcrCompact[i][1:], in.sig65[i][:64]) && in.dcrCompact[i][0] == 31+in.sig65[i][64]},
			{"BIP-340 signatures", bytes.Equal(theirs.Serialize(), in.bip340[i])},
			{"BIP-340 verification", schnorr.Verify(in.xonly[i], h, in.bip340[i]) && in.btcBIP340[i].Verify(h, in.dcrPublic[i])},
			{"BIP-340 refusal", !schnorr.Verify(in.xonly[i], wrong, in.bip340[i]) && !in.btcBIP340[i].Verify(wrong, in.dcrPublic[i])},
			{"ECDH", bytes.Equal(must(ecdh.SharedX(in.key[i], peer)), secp256k1.GenerateSharedSecret(k, in.dcrPublic[(i+1)%size]))},
		} {
			if !c.ok {
				return fmt.Errorf("input %d: %s differ", i, c.name)
			}
		}
	}
	return nil
}

var errRefused = errors.New("refused")

func accept(ok bool) {
	if !ok {
		panic(errRefused)
	}
}

const (
	constant = "constant time"
	variable = "not constant time"
)

func (in *inputs) operations() []operation {
	return []operation{
		{"ECDSA verify, parsed key", []driver{
			{"koblitz", "", func(i int) { accept(ecdsa.Verify(in.public[i], in.hash[i], in.signature[i])) }},
			{"dcrec", "", func(i int) { accept(in.dcrSignature[i].Verify(in.hash[i], in.dcrPublic[i])) }},
		}},
		{"ECDSA parse key and DER, verify", []driver{
			{"koblitz", "", func(i int) {
				accept(ecdsa.Verify(must(koblitz.NewPublicKey(in.sec1[i])), in.hash[i], must(ecdsa.ParseDER(in.der[i]))))
			}},
			{"dcrec", "", func(i int) {
				accept(must(dcrecdsa.ParseDERSignature(in.der[i])).Verify(in.hash[i], must(secp256k1.ParsePubKey(in.sec1[i]))))
			}},
		}},
		{"recover", []driver{
			{"koblitz", "", func(i int) { must(ecdsa.Recover(in.hash[i], in.sig65[i])) }},
			{"dcrec", "", func(i int) {
				_, _, err := dcrecdsa.RecoverCompact(in.dcrCompact[i], in.hash[i])
				accept(err == nil)
			}},
		}},
		{"BIP-340 verify, parsed key", []driver{
			{"koblitz", "", func(i int) { accept(schnorr.Verify(in.xonly[i], in.hash[i], in.bip340[i])) }},
			{"btcec", "lifts the key every time", func(i int) { accept(in.btcBIP340[i].Verify(in.hash[i], in.dcrPublic[i])) }},
		}},
		{"BIP-340 parse key, verify", []driver{
			{"koblitz", "", func(i int) {
				accept(schnorr.Verify(must(koblitz.NewXOnlyPublicKey(in.x[i])), in.hash[i], in.bip340[i]))
			}},
			{"btcec", "", func(i int) {
				key := must(btcschnorr.ParsePubKey(in.x[i]))
				accept(must(btcschnorr.ParseSignature(in.bip340[i])).Verify(in.hash[i], key))
			}},
		}},
		{"ECDH", []driver{
			{"koblitz", constant, func(i int) { must(ecdh.AppendSharedX(in.buf[:0], in.key[i], in.public[(i+1)%size])) }},
			{"dcrec", variable, func(i int) { secp256k1.GenerateSharedSecret(in.dcrKey[i], in.dcrPublic[(i+1)%size]) }},
		}},
		{"public key from secret", []driver{
			{"koblitz", constant, func(i int) { must(koblitz.NewPrivateKey(in.hash[i])).PublicKey() }},
			{"dcrec", variable, func(i int) { secp256k1.PrivKeyFromBytes(in.hash[i]).PubKey() }},
		}},
		{"ECDSA sign", []driver{
			{"koblitz", constant, func(i int) { must(ecdsa.AppendSign(in.buf[:0], in.key[i], in.hash[i])) }},
			{"dcrec", variable, func(i int) { dcrecdsa.Sign(in.dcrKey[i], in.hash[i]) }},
		}},
		{"BIP-340 sign, checked", []driver{
			{"koblitz", constant, func(i int) { must(schnorr.AppendSign(in.buf[:0], in.key[i], in.hash[i], in.aux[i][:])) }},
			{"btcec", variable, func(i int) {
				must(btcschnorr.Sign(in.dcrKey[i], in.hash[i], btcschnorr.CustomNonce(in.aux[i])))
			}},
		}},
		{"BIP-340 sign, unchecked", []driver{
			{"koblitz", constant, func(i int) {
				must(schnorr.AppendSignUnchecked(in.buf[:0], in.key[i], in.hash[i], in.aux[i][:]))
			}},
			{"btcec", variable, func(i int) {
				must(btcschnorr.Sign(in.dcrKey[i], in.hash[i], btcschnorr.FastSign(), btcschnorr.CustomNonce(in.aux[i])))
			}},
		}},
	}
}
