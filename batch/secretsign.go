package batch

import (
	"context"
	"crypto/rand"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/dsa"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// This file signs many messages. Both signature schemes multiply G by all nonces of a block of rows
// at once; see [ecmult.Many].

// SchnorrSignRows are private keys, and messages to sign with them by BIP-340. To sign many
// messages with one key, use [Same] for Secrets: Sign then computes the public key once for each
// block of some hundred rows, and not for each row.
type SchnorrSignRows struct {
	Secrets  Column // 32 bytes, big-endian, in [1, n), as for koblitz.ParsePrivateKey
	Messages Column // 32 bytes

	// Aux is auxiliary randomness, 32 bytes, as Aux of schnorr.SignOptions. This column is
	// optional: without it, each row gets fresh bytes from crypto/rand.
	Aux Column

	redacted
}

// Sign signs each message, sets the row's verdict, and returns the number of Valid rows. verdicts
// must have one element for each row; Sign overwrites all of them. dst must have 64 bytes for each
// row. If the row is Valid, Sign writes to those bytes the signature that [schnorr.Sign] returns
// for the same auxiliary randomness. If the secret is 0 or not below n, or if the nonce is zero,
// which happens about once in 2^256 times, the row is Malformed, and Sign writes zeros. It writes
// nothing for rows that were not reached, and sets them to Unchecked.
//
// Sign verifies the signatures before it returns, unless o.Unchecked is set. If a signature does
// not verify, which shows a fault of the machine, the row is Invalid and gets zeros, and Sign
// returns an error that names the first such row.
//
// The time depends on the number of rows, and not on secrets that are in [1, n), on nonces or on
// auxiliary randomness. The memory that held secrets is wiped before Sign returns.
//
// Sign returns the errors of [SecretRows.PublicKeys], except the one for o.Unchecked.
func (r SchnorrSignRows) Sign(
	ctx context.Context, dst []byte, verdicts []Verdict, o *SecretOptions,
) (valid int, err error) {
	const size = 64
	secrets := field{"Secrets", [3]int{32}, r.Secrets}
	messages := field{"Messages", [3]int{32}, r.Messages}
	fields := []field{secrets, messages}
	if !r.Aux.isZero() {
		fields = append(fields, field{"Aux", [3]int{32}, r.Aux})
	}
	if err := fit(len(verdicts), dst, size, fields...); err != nil {
		return 0, err
	}
	check := func(w *signWorker, lo, hi int) {
		w.checkSchnorr(dst[lo*size:hi*size], verdicts[lo:hi], messages.part(lo, hi))
	}
	if o != nil && o.Unchecked {
		check = nil
	}
	return runSecrets(ctx, verdicts, o, newSignWorker, nil, check, func(w *signWorker, lo, hi int) {
		n := hi - lo
		w.load(&secrets.Column, lo, hi)
		w.setKeys(n, secrets.form == same)
		w.setAux(&r.Aux, lo, hi)
		for i := range n {
			w.schnorrNonce(i, messages.row(lo+i))
			secret.ClearRegisters()
		}
		w.many.ScalarBaseMult(w.r[:n], w.nonces[:n])
		for i := range n {
			sig := (*[size]byte)(dst[(lo+i)*size:])
			w.schnorrFinish(i, sig, messages.row(lo+i))
			w.verdict(i, sig[:], &verdicts[lo+i])
			secret.ClearRegisters()
		}
	})
}

// ECDSASignRows are private keys, and hashes to sign with them by ECDSA. To sign many hashes with
// one key, use [Same] for Secrets: to check the signatures, Sign then computes the public key once
// for each block of some hundred rows, and not for each row.
type ECDSASignRows struct {
	Secrets Column // 32 bytes, big-endian, in [1, n), as for koblitz.ParsePrivateKey
	Hashes  Column // 32 bytes

	redacted
}

// Sign signs each hash, sets the row's verdict, and returns the number of Valid rows. It works like
// [SchnorrSignRows.Sign], with 65 bytes for each row of dst: if the row is Valid, Sign writes to
// those bytes the signature that [ecdsa.SignRecoverable] returns, with the nonce of RFC 6979 and
// the lower s. These are r, s and the recovery id, as [RecoverRows] take them.
func (r ECDSASignRows) Sign(
	ctx context.Context, dst []byte, verdicts []Verdict, o *SecretOptions,
) (valid int, err error) {
	const size = 65
	secrets := field{"Secrets", [3]int{32}, r.Secrets}
	hashes := field{"Hashes", [3]int{32}, r.Hashes}
	if err := fit(len(verdicts), dst, size, secrets, hashes); err != nil {
		return 0, err
	}
	check := func(w *signWorker, lo, hi int) {
		w.checkECDSA(dst[lo*size:hi*size], verdicts[lo:hi], hashes.part(lo, hi))
	}
	if o != nil && o.Unchecked {
		check = nil
	}
	return runSecrets(ctx, verdicts, o, newSignWorker, nil, check, func(w *signWorker, lo, hi int) {
		n := hi - lo
		w.load(&secrets.Column, lo, hi)
		if check != nil {
			w.setKeys(n, secrets.form == same)
		}
		for i := range n {
			w.ecdsaNonce(i, hashes.row(lo+i))
			secret.ClearRegisters()
		}
		w.many.ScalarBaseMult(w.r[:n], w.nonces[:n])
		scalar.BatchInvert(w.nonces[:n], w.scratch)
		for i := range n {
			sig := (*[size]byte)(dst[(lo+i)*size:])
			w.ecdsaFinish(i, sig, hashes.row(lo+i))
			w.verdict(i, sig[:], &verdicts[lo+i])
			secret.ClearRegisters()
		}
	})
}

// A signWorker is the memory of one worker of a call that signs.
type signWorker struct {
	secretWorker
	signedBlock
	aux     []byte          // 32 bytes of auxiliary randomness for each row
	nonces  []scalar.Scalar // nonces, and for ECDSA then their inverses
	usable  []ct.Choice     // whether the nonce of ECDSA is in [1, n)
	scratch []scalar.Scalar
}

func newSignWorker(rows int) *signWorker {
	return &signWorker{
		secretWorker: *newSecretWorker(rows),
		aux:          make([]byte, 32*rows),
		nonces:       make([]scalar.Scalar, rows),
		usable:       make([]ct.Choice, rows),
		scratch:      make([]scalar.Scalar, rows),
	}
}

// Wipe is not inlined, because the compiler would then remove the stores as dead.
//
//go:noinline
func (w *signWorker) Wipe() {
	w.secretWorker.Wipe()
	clear(w.aux)
	clear(w.nonces)
	clear(w.scratch)
}

// setKeys sets w.keys to the public keys of the first n rows, or to one key if all secrets are the
// same.
func (w *signWorker) setKeys(n int, one bool) {
	if one {
		n = 1
	}
	w.keys = w.p[:n]
	w.many.ScalarBaseMult(w.keys, w.k[:n])
	for i := range w.keys {
		w.keys[i].Declassify()
	}
}

// setAux sets w.aux to the values of the rows from lo to hi, or to fresh bytes if there is no
// column.
func (w *signWorker) setAux(c *Column, lo, hi int) {
	if c.isZero() {
		rand.Read(w.aux)
		return
	}
	for i := range hi - lo {
		copy(w.aux[32*i:], c.row(lo+i))
	}
}

// schnorrNonce sets the nonce of row i of the block, and makes the secret that of the key with an
// even y coordinate ("Default Signing" of BIP-340). If the nonce is zero, which happens about once
// in 2^256 times, the row becomes Malformed.
func (w *signWorker) schnorrNonce(i int, msg []byte) {
	d, key := &w.k[i], w.key(i)
	d.CondNeg(d, key.Y.IsOdd())
	//ct:leak d.IsOdd().Bool()
	var px, t [32]byte
	key.X.PutBytes(&px)
	d.PutBytes(&t)
	hash.MaskKey(&t, (*[32]byte)(w.aux[32*i:]))
	hash.Nonce(&t, &t, &px, msg)
	k := &w.nonces[i]
	k.SetBytes(&t)
	ct.Wipe(t[:])
	var one scalar.Scalar
	one.One()
	zero := k.IsZero()
	k.Select(zero, &one, k)
	w.good[i] &= zero.Not()
}

// schnorrFinish sets sig to the signature of row i of the block, whose nonce point is w.r[i].
func (w *signWorker) schnorrFinish(i int, sig *[64]byte, msg []byte) {
	k, R := &w.nonces[i], &w.r[i]
	//ct:leak k.IsOdd().Bool()
	R.X.Declassify() // the first half of the signature
	k.CondNeg(k, R.Y.IsOdd())
	R.X.PutBytes((*[32]byte)(sig[:32]))
	var px, e [32]byte
	w.key(i).X.PutBytes(&px)
	hash.Challenge(&e, (*[32]byte)(sig[:32]), &px, msg)
	var s scalar.Scalar
	s.SetBytes(&e)
	s.Mul(&s, &w.k[i])
	s.Add(&s, k)
	s.Declassify() // the second half of the signature
	s.PutBytes((*[32]byte)(sig[32:]))
}

// ecdsaNonce sets the nonce of row i of the block to the first candidate of RFC 6979, or to 1 if
// that is not in [1, n), which happens about once in 2^127 times.
func (w *signWorker) ecdsaNonce(i int, digest []byte) {
	var z scalar.Scalar
	dsa.SetHash(&z, digest)
	var message, candidate [32]byte
	z.PutBytes(&message)
	w.k[i].PutBytes(&candidate)
	var nonces hash.Nonces
	nonces.Init(&candidate, &message, nil)
	nonces.Next(&candidate)
	k := &w.nonces[i]
	w.usable[i] = k.SetNonzeroBytes(&candidate)
	//ct:leak k.IsOdd().Bool()
	var one scalar.Scalar
	one.One()
	k.Select(w.usable[i], k, &one)
	nonces.Wipe()
	ct.Wipe(candidate[:])
}

// ecdsaFinish sets sig to the signature of row i of the block, whose nonce point is w.r[i], and
// whose inverted nonce is w.nonces[i].
//
// If the first candidate is not in [1, n), or if r or s is zero, the row is signed again alone, and
// the time shows that. This reveals nothing that helps to find the key. Candidates are
// indistinguishable from independent random strings without the key, so the refusal of one says
// nothing about the next, which signs. dsa.Sign reveals the same.
func (w *signWorker) ecdsaFinish(i int, sig *[65]byte, digest []byte) {
	var r, s, z scalar.Scalar
	dsa.SetHash(&z, digest)
	id, ok := dsa.Finish(&r, &s, &w.k[i], &z, &w.nonces[i], &w.r[i])
	//ct:leak w.k[i].IsOdd().Bool()
	if usable := w.usable[i].Reveal(); !usable || !ok { //ct:unrun about once in 2^127 times
		var message [32]byte
		z.PutBytes(&message)
		id = dsa.Sign(&r, &s, nil, &w.k[i], &z, &message, nil)
	}
	r.PutBytes((*[32]byte)(sig[:32]))
	s.PutBytes((*[32]byte)(sig[32:64]))
	sig[64] = id
}
