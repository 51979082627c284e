package bitcoin

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
)

var (
	errSignature = errors.New("the signature is not one of the key")
	errMultisig  = errors.New("a signature fits none of the keys that are left for it")
	errKey       = errors.New("the public key is not valid")

	errCommitment = errors.New("the output's key does not commit to the script")
)

// maxRows is the number of rows that a worker collects before it verifies them. An equation for
// many BIP-340 signatures takes less time per signature the more it has. The rows of a worker take
// less than a megabyte.
const maxRows = 2048

// A verifier is one worker of a call. It collects signatures as rows of batches.
type verifier struct {
	txs      []Transaction
	cache    *txscript.SigCache
	judge    Judge
	failures []failure

	schnorr, ecdsa, wide rows // wide holds ECDSA signatures with keys of 65 bytes
	parsed               []byte
	commitments          commitments
}

// rows returns the number of rows.
func (v *verifier) rows() int {
	return len(v.schnorr.of) + len(v.ecdsa.of) + len(v.wide.of) + len(v.commitments.of)
}

// commitments are columns of Commitments.
type commitments struct {
	keys, tweaks, outputs, parities []byte
	of                              []row
	verdicts                        []batch.Verdict
}

// add adds a row.
func (c *commitments) add(m *Commitment, of row) {
	c.keys, c.tweaks = append(c.keys, m.Key...), append(c.tweaks, m.Tweak[:]...)
	c.outputs, c.parities = append(c.outputs, m.Output...), append(c.parities, 0)
	if m.Odd {
		c.parities[len(c.parities)-1] = 1
	}
	c.of = append(c.of, of)
}

// verifyCommitments verifies the commitments, and removes them.
func (v *verifier) verifyCommitments(ctx context.Context) {
	c := &v.commitments
	if len(c.of) == 0 {
		return
	}
	c.verdicts = slices.Grow(c.verdicts[:0], len(c.of))[:len(c.of)]
	_, err := batch.TweakCheckRows{Keys: batch.Packed(c.keys, 32), Tweaks: batch.Packed(c.tweaks, 32),
		Outputs: batch.Packed(c.outputs, 32), Parities: batch.Packed(c.parities, 1)}.
		Verify(ctx, c.verdicts, &batch.Options{Workers: 1})
	mustFit(ctx, err)
	for i, verdict := range c.verdicts {
		if verdict != batch.Valid {
			v.fail(&c.of[i], errCommitment)
		}
	}
	clear(c.of)
	c.keys, c.tweaks, c.outputs = c.keys[:0], c.tweaks[:0], c.outputs[:0]
	c.parities, c.of = c.parities[:0], c.of[:0]
}

// mustFit panics if err is another error than that of ctx. Such an error says that the columns have
// wrong widths.
func mustFit(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		panic(err) // unreachable
	}
}

// rows are columns of signatures with keys of one length.
type rows struct {
	digests, keys, sigs []byte
	of                  []row
	verdicts            []batch.Verdict
}

// A row is a signature of an input. of is the input's multisig, or nil if the row decides about the
// input alone.
type row struct {
	tx, input   int
	kind        string
	cached, key []byte // as a SigCache has them
	of          *multisig
}

// add adds a row with the signature s, its encoding sig and the encoded key. of says which input it
// belongs to.
func (r *rows) add(s *Signature, sig, key []byte, of row) {
	of.cached, of.key = s.cached, key
	r.digests, r.sigs = append(r.digests, s.Digest[:]...), append(r.sigs, sig...)
	r.keys, r.of = append(r.keys, key...), append(r.of, of)
}

// A multisig is an input with several keys. As CHECKMULTISIG does, it goes from the last signature
// and the last key to the first: it has at most one row at a time, for the last of the i signatures
// that have no key yet, and the last of the j keys that are left.
type multisig struct {
	row
	signatures []Signature
	parsed     []byte // the signatures, 64 bytes each
	keys       [][]byte
	i, j       int
}

// input judges an input and adds its signatures to the rows. It verifies the rows if there are
// many.
func (v *verifier) input(ctx context.Context, tx, input int) {
	r := v.judge.Input(&v.txs[tx], input)
	switch r.Verdict {
	case EngineChecked, Unsigned:
		return
	case Invalid, NotCheckable:
		v.fail(&row{tx: tx, input: input, kind: r.Kind}, errors.New(r.Reason))
		return
	}
	of := row{tx: tx, input: input, kind: r.Kind}
	if r.Scheme == Schnorr {
		if c := &r.Commitment; c.Key != nil {
			v.commitments.add(c, of)
		}
		s, key := &r.Signatures[0], r.Keys[0]
		if !v.known(s, key) {
			v.schnorr.add(s, s.Sig, key, of)
		}
	} else {
		v.ecdsaInput(r, of)
	}
	if v.rows() >= maxRows {
		v.verify(ctx)
	}
}

// ecdsaInput adds the row of an input with ECDSA signatures, or the first row of a multisig.
func (v *verifier) ecdsaInput(r *Result, of row) {
	v.parsed = v.parsed[:0]
	for i := range r.Signatures {
		sig, err := parseSignature(r, i)
		if err != nil {
			v.fail(&of, err)
			return
		}
		v.parsed = sig.AppendBytes(v.parsed)
	}
	if len(r.Keys) > 1 {
		v.step(&multisig{of, slices.Clone(r.Signatures), bytes.Clone(v.parsed), slices.Clone(r.Keys),
			len(r.Signatures), len(r.Keys)})
		return
	}
	s, key := &r.Signatures[0], r.Keys[0]
	if columns := v.columns(key); columns == nil {
		v.fail(&of, errKey)
	} else if !v.known(s, key) {
		columns.add(s, v.parsed, key, of)
	}
}

// columns returns the rows of ECDSA signatures under keys that are as long as key, or nil if no
// ECDSA key has this length.
func (v *verifier) columns(key []byte) *rows {
	switch len(key) {
	case 33:
		return &v.ecdsa
	case 65:
		return &v.wide
	}
	return nil
}

// step adds the next row of m. If m needs none, because the cache has the signatures that are left,
// or because too few keys are left, step decides about m.
func (v *verifier) step(m *multisig) {
	for m.i > 0 {
		if m.j < m.i {
			v.fail(&m.row, errMultisig)
			return
		}
		s, key := &m.signatures[m.i-1], m.keys[m.j-1]
		columns := v.columns(key)
		switch {
		case columns == nil: // no signature fits the key
			m.j--
		case v.known(s, key):
			m.i, m.j = m.i-1, m.j-1
		default:
			of := m.row
			of.of = m
			columns.add(s, m.parsed[64*(m.i-1):][:64], key, of)
			return
		}
	}
}

// known reports whether the cache has the signature.
func (v *verifier) known(s *Signature, key []byte) bool {
	return v.cache != nil && s.cached != nil &&
		v.cache.Exists(chainhash.Hash(s.Digest), s.cached, key)
}

// parseSignature parses the ECDSA signature i of r. It returns an error if r or s is zero: no key
// makes such a signature valid. A signature that is not strict DER is not put into the cache: from
// the same bytes, btcd's engine may read other numbers than the chain does.
func parseSignature(r *Result, i int) (*ecdsa.Signature, error) {
	s := &r.Signatures[i]
	sig, err := ecdsa.ParseDER(s.Sig)
	if err != nil && r.LaxDER {
		s.cached = nil
		sig, err = ecdsa.ParseDERLax(s.Sig)
	}
	if err == nil && sig.IsZero() {
		err = errSignature
	}
	return sig, err
}

// verify verifies all rows. Each multisig without an answer then adds its next row, and verify
// verifies these rows too, until no row is left.
func (v *verifier) verify(ctx context.Context) {
	for v.rows() > 0 {
		v.verifyCommitments(ctx)
		var pending []*multisig
		for _, x := range []struct {
			rows *rows
			key  int
		}{{&v.schnorr, 32}, {&v.ecdsa, 33}, {&v.wide, 65}} {
			x.rows.verify(ctx, x.key)
			pending = v.judged(x.rows, pending)
		}
		for _, m := range pending {
			v.step(m)
		}
	}
}

// verify sets the verdicts of the rows. Keys have the given size.
func (r *rows) verify(ctx context.Context, size int) {
	if r.verdicts = slices.Grow(r.verdicts[:0], len(r.of))[:len(r.of)]; len(r.of) == 0 {
		return
	}
	digests, sigs := batch.Packed(r.digests, 32), batch.Packed(r.sigs, 64)
	keys, one := batch.EncodedKeys(batch.Packed(r.keys, size)), &batch.Options{Workers: 1}
	var err error
	if size == 32 {
		_, err = batch.SchnorrRows{Messages: digests, Keys: keys, Signatures: sigs}.
			Verify(ctx, r.verdicts, one)
	} else {
		_, err = batch.ECDSARows{Hashes: digests, Keys: keys, Signatures: sigs, S: batch.AnyS}.
			Verify(ctx, r.verdicts, one)
	}
	mustFit(ctx, err)
}

// judged uses the verdicts of r, and removes its rows. It appends the multisigs of the rows to
// pending.
func (v *verifier) judged(r *rows, pending []*multisig) []*multisig {
	for i, verdict := range r.verdicts {
		of, valid := &r.of[i], verdict == batch.Valid
		if valid && v.cache != nil && of.cached != nil {
			v.cache.Add(chainhash.Hash(r.digests[32*i:]), of.cached, of.key)
		}
		switch m := of.of; {
		case m != nil:
			m.j--
			if valid {
				m.i--
			}
			pending = append(pending, m)
		case valid:
		case !isKey(of.key):
			v.fail(of, errKey)
		default:
			v.fail(of, errSignature)
		}
	}
	clear(r.of)
	r.digests, r.keys, r.sigs, r.of = r.digests[:0], r.keys[:0], r.sigs[:0], r.of[:0]
	return pending
}

// isKey reports whether b encodes a public key, x-only if it has 32 bytes.
func isKey(b []byte) bool {
	var err error
	if len(b) == 32 {
		_, err = koblitz.ParseXOnlyPublicKey(b)
	} else {
		_, err = koblitz.ParsePublicKey(b)
	}
	return err == nil
}

func (v *verifier) fail(of *row, err error) {
	v.failures = append(v.failures, failure{of.tx, of.input, of.kind, err})
}
