package peer

import (
	"context"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// The families of operations that sign many messages, without verifying the new signatures. Each
// row has a secret of its own, or all rows have one secret. BIP-340 takes each row's message as its
// auxiliary randomness.
const (
	schnorrSigns    = "schnorr-sign-batch"
	schnorrSignsOne = "schnorr-sign-batch-one"
	ecdsaSigns      = "ecdsa-sign-batch"
	ecdsaSignsOne   = "ecdsa-sign-batch-one"
)

// signUnchecked limits koblitz's batch functions that sign to one thread and omits their check.
var signUnchecked = &batch.SecretOptions{Workers: 1, Unchecked: true}

func (b *batches) schnorrSigns(n int) Driver    { return b.signsSchnorr(n, b.secrets(n)) }
func (b *batches) schnorrSignsOne(n int) Driver { return b.signsSchnorr(n, batch.Same(b.secret)) }
func (b *batches) ecdsaSigns(n int) Driver      { return b.signsECDSA(n, b.secrets(n)) }
func (b *batches) ecdsaSignsOne(n int) Driver   { return b.signsECDSA(n, batch.Same(b.secret)) }

func (b *batches) signsSchnorr(n int, secrets batch.Column) Driver {
	messages := packed(b.hash, 32, n)
	rows := batch.SchnorrSignRows{Secrets: secrets, Messages: messages, Aux: messages}
	return b.values(n, 64, func(dst []byte) (int, error) {
		return rows.Sign(context.Background(), dst, b.verdicts[:n], signUnchecked)
	})
}

// signsECDSA returns the driver for n signatures. Its results lack the recovery ids, because the
// other peers do not compute them.
func (b *batches) signsECDSA(n int, secrets batch.Column) Driver {
	rows := batch.ECDSASignRows{Secrets: secrets, Hashes: packed(b.hash, 32, n)}
	d := b.values(n, 65, func(dst []byte) (int, error) {
		return rows.Sign(context.Background(), dst, b.verdicts[:n], signUnchecked)
	})
	recoverable := d.Out
	d.Out = func(i int) (all []byte) {
		for sig := range slices.Chunk(recoverable(i), 65) {
			all = append(all, sig[:64]...)
		}
		return all
	}
	return d
}

// signSchnorr and signECDSA return the signatures of koblitz's functions for one message.
func signSchnorr(secret, message []byte) []byte {
	key := must(koblitz.ParsePrivateKey(secret))
	return must(schnorr.Sign(key, message, uncheckedWith(message)))
}

func signECDSA(secret, hash []byte) []byte {
	return must(ecdsa.Sign(must(koblitz.ParsePrivateKey(secret)), hash, unchecked)).Bytes()
}

// signRows adds to d the drivers that sign one message after another with koblitz's functions for
// one message. A single secret is parsed beforehand.
func signRows(in *Inputs, d map[string]Driver) {
	var (
		m      = &in.Many
		one    = must(koblitz.ParsePrivateKey(in.Secret[0]))
		last   = make([]byte, 0, 64)
		result = func() []byte { return slices.Clone(last) }
	)
	bySchnorr := func(key *koblitz.PrivateKey, i int) {
		last = must(schnorr.AppendSign(last[:0], key, m.Hash[i], uncheckedWith(m.Hash[i])))
	}
	byECDSA := func(key *koblitz.PrivateKey, i int) {
		last = must(ecdsa.AppendSign(last[:0], key, m.Hash[i], unchecked))
	}
	constantRows(in, d, schnorrSigns, "one by one", func(i int) {
		bySchnorr(must(koblitz.ParsePrivateKey(m.Secret[i])), i)
	}, result)
	constantRows(in, d, schnorrSignsOne, "one by one", func(i int) { bySchnorr(one, i) }, result)
	constantRows(in, d, ecdsaSigns, "one by one", func(i int) {
		byECDSA(must(koblitz.ParsePrivateKey(m.Secret[i])), i)
	}, result)
	constantRows(in, d, ecdsaSignsOne, "one by one", func(i int) { byECDSA(one, i) }, result)
}
