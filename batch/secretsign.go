package batch

import (
	"context"
	"crypto/rand"
	"crypto/subtle"

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

// Sign signs each message, sets the row's verdict, and returns the number of Valid rows. dst must
// have 64 bytes for each row. If the row is Valid, Sign writes to those bytes the signature that
// [schnorr.Sign] returns for the same auxiliary randomness. If the secret is 0 or not below n, or
// if the nonce is zero, which happens about once in 2^256 times, the row is Malformed, and Sign
// writes zeros.
//
// Sign verifies the signatures before it returns, unless o.Unchecked is set. If a signature does
// not verify, or if a stored secret, nonce or message differs from its copy, which shows a fault of
// the machine, the row is Invalid and gets zeros, and Sign returns an error that names the first
// such row.
//
// The time depends on the number of rows, and not on secrets that are in [1, n), on nonces or on
// auxiliary randomness. The memory that held secrets is wiped before Sign returns.
func (r SchnorrSignRows) Sign(
	ctx context.Context, dst []byte, verdicts []Verdict, o *SecretOptions,
) (valid int, err error) {
	return r.signing(dst, verdicts, o).run(ctx, o)
}

func (r *SchnorrSignRows) signing(dst []byte, verdicts []Verdict, o *SecretOptions) *signing {
	s := &signing{
		size: 64, dst: dst, verdicts: verdicts, unchecked: o != nil && o.Unchecked,
		steps: []signStep{(*signing).read, (*signing).derive, (*signing).schnorrNonces,
			(*signing).multiply, (*signing).schnorrFinish},
		check: (*signedBlock).checkSchnorr,
	}
	fields := []field{r.Secrets.field("Secrets", 32), r.Messages.field("Messages", 32)}
	if r.Aux.open != nil {
		fields = append(fields, r.Aux.field("Aux", 32))
		s.aux = fields[2].values
	}
	s.set(fields...)
	return s
}

// ECDSASignRows are private keys, and hashes to sign with them by ECDSA. To sign many hashes with
// one key, use [Same] for Secrets, as in [SchnorrSignRows].
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
	return r.signing(dst, verdicts, o).run(ctx, o)
}

func (r *ECDSASignRows) signing(dst []byte, verdicts []Verdict, o *SecretOptions) *signing {
	s := &signing{
		size: 65, dst: dst, verdicts: verdicts, unchecked: o != nil && o.Unchecked,
		steps: []signStep{(*signing).read, (*signing).derive, (*signing).ecdsaNonces,
			(*signing).multiply, (*signing).invert, (*signing).ecdsaFinish},
		check: (*signedBlock).checkECDSA,
	}
	s.set(r.Secrets.field("Secrets", 32), r.Hashes.field("Hashes", 32))
	return s
}

// A signing is a call that signs.
type signing struct {
	size                   int // of a signature in dst
	dst                    []byte
	verdicts               []Verdict
	secrets, messages, aux values // aux is missing if the call signs by ECDSA or draws it
	unchecked              bool
	err                    error // why the call cannot be carried out, or nil

	steps []signStep                     // sign the rows of a block, under package secret
	check func(b *signedBlock, rows int) // verifies the signatures of a block
}

// A signStep is a step of signing the rows from lo to hi.
type signStep func(s *signing, w *signWorker, lo, hi int)

// set sets the columns of the call, secrets and messages first, and checks all arguments.
func (s *signing) set(fields ...field) {
	s.secrets, s.messages = fields[0].values, fields[1].values
	s.err = fit(len(s.verdicts), s.dst, s.size, fields...)
}

// run carries out the call.
func (s *signing) run(ctx context.Context, o *SecretOptions) (valid int, err error) {
	if s.err != nil {
		return 0, s.err
	}
	return runSecrets(ctx, s.verdicts, o, newSignWorker, func(w *signWorker, lo, hi int) {
		secret.DoDeep(func() {
			for _, step := range s.steps {
				step(s, w, lo, hi)
			}
		})
		s.publish(w, lo, hi)
	})
}

// read copies the values of the rows. No other step reads the memory of the caller: if a nonce and
// a challenge had different messages, the signature would give the key away.
//
// Auxiliary randomness comes first: if the program has replaced rand.Reader, that reader can need
// more stack than package secret grew. The runtime then frees the old stack, with secrets on it.
func (s *signing) read(w *signWorker, lo, hi int) {
	switch {
	case s.aux.form != 0:
		s.aux.copyTo(w.aux, lo, hi)
	case s.size == 64:
		rand.Read(w.aux)
	}
	w.load(&s.secrets, lo, hi)
	s.messages.copyTo(w.messages, lo, hi)
	copy(w.toSign, w.messages)
}

// derive computes the public keys of the rows, or one key if all secrets are the same. An ECDSA
// signature without a check needs none.
func (s *signing) derive(w *signWorker, lo, hi int) {
	if s.unchecked && s.size == 65 {
		return
	}
	n := hi - lo
	if s.secrets.form == same {
		n = 1
	}
	w.keys = w.p[:n]
	w.many.ScalarBaseMult(w.keys, w.k[:n])
	for i := range w.keys {
		w.keys[i].Declassify()
	}
}

// schnorrNonces sets the nonces of the rows, and negates each secret and its copy if the y
// coordinate of the public key is odd ("Default Signing" of BIP-340). If a nonce is zero, which
// happens about once in 2^256 times, the row becomes Malformed.
func (*signing) schnorrNonces(w *signWorker, lo, hi int) {
	w.inLanes(hi-lo, w.loadSchnorr, w.lanes.BIP340, w.takeSchnorrNonce)
}

// loadSchnorr sets the inputs of lane j to those of row i of the block.
func (w *signWorker) loadSchnorr(j, i int) {
	d, key, row := &w.k[i], w.key(i), w.lanes.Rows[hash.RowSize*j:]
	d.CondNeg(d, key.Y.IsOdd())
	w.secrets[i].CondNeg(&w.secrets[i], key.Y.IsOdd())
	//ct:secret d.IsOdd().Bool()
	message := w.takeMessage(i)
	d.PutBytes((*[32]byte)(row))
	key.X.PutBytes((*[32]byte)(row[32:]))
	copy(row[64:], message[:])
	copy(w.lanes.Aux[j][:], w.aux[32*i:])
}

// takeSchnorrNonce sets the nonce of row i of the block to the result of lane j.
func (w *signWorker) takeSchnorrNonce(j, i int) {
	k := &w.nonces[i]
	k.SetBytes(&w.lanes.Nonces[j])
	var one scalar.Scalar
	one.One()
	zero := k.IsZero()
	k.Select(zero, &one, k)
	w.good[i] &= zero.Not()
	w.copies[i].SetBytes(&w.lanes.Copies[j])
	w.copies[i].Select(zero, &one, &w.copies[i])
	w.setSound(i, w.lanes.Rows[hash.RowSize*j:][64:96], w.message(i)[:])
}

// setSound sets w.sound[i] to whether two messages are equal: the one from which the nonce of row i
// was derived, and the one that is signed. A lasting fault may have changed a message since
// takeMessage. With the nonce of another message, the signature is valid, but gives the key away
// beside the signature of that message.
func (w *signWorker) setSound(i int, message, signed []byte) {
	w.sound[i] = ct.Choice(subtle.ConstantTimeCompare(message, signed))
}

// inLanes computes hashes of a block with the given number of rows, up to sixteen at a time, with
// one row in each lane of w.lanes. It calls load for each of the rows, then hash with their number,
// and then take for each of them.
func (w *signWorker) inLanes(
	rows int, load func(lane, row int), hash func(n int), take func(lane, row int),
) {
	w.inSixteens(rows, func(first, n int) {
		for j := range n {
			load(j, first+j)
		}
		hash(n)
		for j := range n {
			take(j, first+j)
		}
	})
}

// inSixteens calls f for up to sixteen rows at a time: n rows from the row first on. They are rows
// of a block that has the given number of rows.
func (w *signWorker) inSixteens(rows int, f func(first, n int)) {
	for first := 0; first < rows; first += hash.Sixteen {
		f(first, min(hash.Sixteen, rows-first))
		secret.ClearRegisters()
	}
}

// ecdsaNonces sets the nonces of the rows to the first candidate of RFC 6979, or to 1 if that is
// not in [1, n), which happens about once in 2^127 times.
func (*signing) ecdsaNonces(w *signWorker, lo, hi int) {
	w.inLanes(hi-lo, w.loadECDSA, w.lanes.RFC6979, w.takeECDSANonce)
}

// loadECDSA sets the inputs of lane j to those of row i of the block.
func (w *signWorker) loadECDSA(j, i int) {
	message := w.takeMessage(i)
	w.lanes.Hashes[j] = reduced(&message)
	w.k[i].PutBytes(&w.lanes.Keys[j])
}

// reduced returns the number in b modulo n.
func reduced(b *[32]byte) (r [32]byte) {
	var z scalar.Scalar
	z.SetBytes(b)
	z.PutBytes(&r)
	return r
}

// takeECDSANonce sets the nonce of row i of the block to the result of lane j.
func (w *signWorker) takeECDSANonce(j, i int) {
	k := &w.nonces[i]
	w.usable[i] = k.SetNonzeroBytes(&w.lanes.Nonces[j])
	//ct:secret k.IsOdd().Bool()
	var one scalar.Scalar
	one.One()
	k.Select(w.usable[i], k, &one)
	w.copies[i].SetBytes(&w.lanes.Copies[j])
	w.copies[i].Select(w.usable[i], &w.copies[i], &one)
	signed := reduced(w.message(i))
	w.setSound(i, w.lanes.Hashes[j][:], signed[:])
}

// multiply computes the nonce points of the rows. Then it compares each nonce with its copy. If a
// fault has changed a nonce, the signature still verifies, but anyone who also has the right
// signature can compute the key.
func (s *signing) multiply(w *signWorker, lo, hi int) {
	n := hi - lo
	w.many.ScalarBaseMult(w.r[:n], w.nonces[:n])
	for i := range n {
		w.sound[i] &= w.nonces[i].Equal(&w.copies[i])
	}
	secret.ClearRegisters()
}

// invert inverts the nonces.
func (s *signing) invert(w *signWorker, lo, hi int) {
	scalar.BatchInvert(w.nonces[:hi-lo], w.copies)
}

// schnorrFinish makes the signatures of the rows from the nonce points w.r.
func (*signing) schnorrFinish(w *signWorker, lo, hi int) {
	w.inLanes(hi-lo, w.loadChallenge, w.challenges, w.schnorrSignature)
}

// loadChallenge sets the input of the challenge in lane j to that of row i of the block.
func (w *signWorker) loadChallenge(j, i int) {
	k, R, row := &w.nonces[i], &w.r[i], w.lanes.Rows[hash.RowSize*j:]
	//ct:secret k.IsOdd().Bool()
	R.X.Declassify() // the first half of the signature
	k.CondNeg(k, R.Y.IsOdd())
	R.X.PutBytes((*[32]byte)(row))
	w.key(i).X.PutBytes((*[32]byte)(row[32:]))
	copy(row[64:], w.message(i)[:])
}

// challenges sets w.lanes.Nonces to the challenges in n lanes.
func (w *signWorker) challenges(n int) { hash.Challenges(&w.lanes.Nonces, &w.lanes.Rows, n) }

// schnorrSignature makes the signature of row i of the block, with the challenge in lane j.
func (w *signWorker) schnorrSignature(j, i int) {
	sig := w.sigs[64*i:][:64]
	var s scalar.Scalar
	s.SetBytes(&w.lanes.Nonces[j])
	s.Mul(&s, &w.k[i])
	s.Add(&s, &w.nonces[i])
	s.Declassify() // the second half of the signature
	copy(sig, w.lanes.Rows[hash.RowSize*j:][:32])
	s.PutBytes((*[32]byte)(sig[32:]))
	w.judge(i, sig)
}

// ecdsaFinish makes the signatures of the rows from the nonce points w.r and the inverted nonces.
//
// If the first candidate is not in [1, n), or if r or s is zero, the row is signed again alone, and
// the time shows that. This reveals nothing that helps to find the key. Candidates are
// indistinguishable from independent random strings without the key, so the refusal of one says
// nothing about the next, which signs. dsa.Sign reveals the same.
func (*signing) ecdsaFinish(w *signWorker, lo, hi int) {
	w.inSixteens(hi-lo, func(first, n int) {
		for i := first; i < first+n; i++ {
			w.ecdsaSignature(i)
		}
	})
}

// ecdsaSignature makes the signature of row i of the block.
func (w *signWorker) ecdsaSignature(i int) {
	var r, s, z scalar.Scalar
	z.SetBytes(w.message(i))
	id, ok := dsa.Finish(&r, &s, &w.k[i], &z, &w.nonces[i], &w.r[i])
	//ct:secret w.k[i].IsOdd().Bool()
	if usable := w.usable[i].Reveal(); !usable || !ok { //ct:unrun about once in 2^127 times
		var message [32]byte
		z.PutBytes(&message)
		id = dsa.Sign(&r, &s, nil, &w.k[i], &z, &message, nil)
	}
	sig := w.sigs[65*i:][:65]
	r.PutBytes((*[32]byte)(sig))
	s.PutBytes((*[32]byte)(sig[32:]))
	sig[64] = id
	w.judge(i, sig)
}

// publish verifies the signatures of a block, and then writes signatures and verdicts to the
// caller's memory.
func (s *signing) publish(w *signWorker, lo, hi int) {
	if !s.unchecked {
		s.check(&w.signedBlock, hi-lo)
	}
	for i := lo; i < hi; i++ {
		sig := s.dst[s.size*i:][:s.size]
		if w.verdicts[i-lo] == Valid {
			copy(sig, w.sigs[s.size*(i-lo):])
		} else {
			clear(sig)
		}
		s.verdicts[i] = w.verdicts[i-lo]
	}
}

// A signWorker is the memory of one worker of a call that signs.
type signWorker struct {
	secretWorker
	signedBlock
	toSign []byte          // copies of the messages, for nonces
	hashed []byte          // the bytes that the nonces took from toSign, for challenges
	aux    []byte          // 32 bytes of auxiliary randomness for each row
	nonces []scalar.Scalar // nonces, and for ECDSA then their inverses
	copies []scalar.Scalar // copies of the nonces; then scratch memory
	usable []ct.Choice     // whether the nonce of ECDSA is in [1, n)
	sound  []ct.Choice     // whether the nonce is as it was derived, from the message of the row
	lanes  hash.NonceLanes // and the challenges of the same rows
}

func newSignWorker(rows int) *signWorker {
	scalars, choices := make([]scalar.Scalar, 2*rows), make([]ct.Choice, 2*rows)
	bytes := make([]byte, (4*32+65)*rows)
	return &signWorker{
		secretWorker: *newSecretWorker(rows),
		signedBlock: signedBlock{
			messages: bytes[:32*rows],
			sigs:     bytes[4*32*rows:],
			verdicts: make([]Verdict, rows),
		},
		toSign: bytes[32*rows : 2*32*rows],
		hashed: bytes[2*32*rows : 3*32*rows],
		aux:    bytes[3*32*rows : 4*32*rows],
		nonces: scalars[:rows],
		copies: scalars[rows:],
		usable: choices[:rows],
		sound:  choices[rows:],
	}
}

// Wipe is not inlined, because the compiler would then remove the stores as dead.
//
//go:noinline
func (w *signWorker) Wipe() {
	w.secretWorker.Wipe()
	clear(w.aux)
	clear(w.nonces)
	clear(w.copies)
	clear(w.sigs)
	w.lanes.Wipe()
	w.rows.Wipe()
}

// takeMessage returns the message of row i of the block, for the nonce, and stores the same bytes
// for the challenge. A lasting fault in toSign then changes both, and the check of the signature,
// which takes another copy of the message, notices it. With two reads of toSign, a fault that
// passes between them would give a Valid signature with the nonce of another message.
func (w *signWorker) takeMessage(i int) [32]byte {
	m := [32]byte(w.toSign[32*i:])
	*w.message(i) = m
	return m
}

// message returns the copy of the message of row i that takeMessage has stored for the challenge.
func (w *signWorker) message(i int) *[32]byte { return (*[32]byte)(w.hashed[32*i:]) }

// judge sets the verdict of row i of the block, for which the signature sig was made, and clears
// the signature unless the row is Valid. The row is Invalid if a fault has changed the secret or
// the nonce, because the signature may verify nevertheless.
func (w *signWorker) judge(i int, sig []byte) {
	v := &w.verdicts[i]
	*v = w.verdict(i)
	same := w.secrets[i].Equal(&w.k[i]) & w.sound[i]
	if *v == Valid && !same.Reveal() { //ct:unrun no case makes a fault
		*v = Invalid
	}
	if *v != Valid {
		clear(sig)
	}
}
