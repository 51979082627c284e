package bitcoin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

	schnorr, ecdsa, commitments rows
	parsed                      []byte
}

// newVerifier returns a verifier of the inputs of txs.
func newVerifier(txs []Transaction, cache *txscript.SigCache) *verifier {
	one := &batch.Options{Workers: 1}
	return &verifier{txs: txs, cache: cache, judge: Judge{SigCache: cache},
		schnorr:     rows{batch: batch.NewSchnorr(0, one), wrong: errSignature},
		ecdsa:       rows{batch: batch.NewECDSA(0, batch.AnyS, one), wrong: errSignature},
		commitments: rows{batch: new(commitments), wrong: errCommitment}}
}

// rows returns the number of rows.
func (v *verifier) rows() int {
	return len(v.schnorr.of) + len(v.ecdsa.of) + len(v.commitments.of)
}

// rows are signatures of one scheme, or commitments.
type rows struct {
	batch interface { // a *batch.Schnorr, *batch.ECDSA or *commitments
		AddBytes(key, digest, sig []byte)
		Verify(ctx context.Context, verdicts []batch.Verdict) (valid int, err error)
		Reset()
	}
	wrong    error // the failure of an input whose row is not valid
	of       []row
	verdicts []batch.Verdict
}

// commitments are columns of Commitments.
type commitments struct {
	keys, tweaks, outputs []byte // an output is followed by the parity of its y coordinate
}

// AddBytes adds a Commitment.
func (c *commitments) AddBytes(key, tweak, output []byte) {
	c.keys, c.tweaks = append(c.keys, key...), append(c.tweaks, tweak...)
	c.outputs = append(c.outputs, output...)
}

// Verify sets the verdicts of the Commitments. There must be at least one.
func (c *commitments) Verify(ctx context.Context, verdicts []batch.Verdict) (int, error) {
	return batch.TweakCheckRows{Keys: batch.Packed(c.keys, 32), Tweaks: batch.Packed(c.tweaks, 32),
		Outputs: batch.Strided(c.outputs, 32, 33), Parities: batch.Strided(c.outputs[32:], 1, 33)}.
		Verify(ctx, verdicts, &batch.Options{Workers: 1})
}

// Reset removes all Commitments.
func (c *commitments) Reset() {
	c.keys, c.tweaks, c.outputs = c.keys[:0], c.tweaks[:0], c.outputs[:0]
}

// A row is a signature or a commitment of an input. of is the input's multisig, or nil if the row
// decides about the input alone.
type row struct {
	tx, input   int
	kind        string
	digest      chainhash.Hash // digest, cached and key are as a SigCache has them
	cached, key []byte
	of          *multisig
}

// add adds a row with the signature s, its 64 bytes sig and the encoded key. of says which input it
// belongs to.
func (r *rows) add(s *Signature, sig, key []byte, of row) {
	r.batch.AddBytes(key, s.Digest[:], sig)
	of.digest, of.cached, of.key = s.Digest, s.cached, key
	r.of = append(r.of, of)
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
		err := errors.New(r.Reason)
		if r.Verdict == NotCheckable {
			err = fmt.Errorf("%w: %s", ErrNotCheckable, r.Reason)
		}
		v.fail(&row{tx: tx, input: input, kind: r.Kind}, err)
		return
	}
	of := row{tx: tx, input: input, kind: r.Kind}
	if r.Scheme == Schnorr {
		if c := &r.Commitment; c.Key != nil {
			parity := byte(0)
			if c.Odd {
				parity = 1
			}
			output := append(slices.Clone(c.Output), parity)
			v.commitments.add(&Signature{Digest: c.Tweak}, output, c.Key, of)
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
	if !v.known(s, key) {
		v.ecdsa.add(s, v.parsed, key, of)
	}
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
		if !v.known(s, key) {
			of := m.row
			of.of = m
			v.ecdsa.add(s, m.parsed[64*(m.i-1):][:64], key, of)
			return
		}
		m.i, m.j = m.i-1, m.j-1
	}
}

// known reports whether the cache has the signature.
func (v *verifier) known(s *Signature, key []byte) bool {
	return v.cache != nil && s.cached != nil &&
		v.cache.Exists(s.Digest, s.cached, key)
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
		var pending []*multisig
		for _, r := range []*rows{&v.commitments, &v.schnorr, &v.ecdsa} {
			pending = v.verifyRows(ctx, r, pending)
		}
		for _, m := range pending {
			v.step(m)
		}
	}
}

// verifyRows verifies the rows of r, and removes them. It appends the multisigs of the rows to
// pending.
func (v *verifier) verifyRows(ctx context.Context, r *rows, pending []*multisig) []*multisig {
	if len(r.of) == 0 {
		return pending
	}
	r.verdicts = slices.Grow(r.verdicts[:0], len(r.of))[:len(r.of)]
	if _, err := r.batch.Verify(ctx, r.verdicts); err != nil && ctx.Err() == nil {
		panic(err) // unreachable: there are as many verdicts as rows
	}
	for i, verdict := range r.verdicts {
		of, valid := &r.of[i], verdict == batch.Valid
		if valid && v.cache != nil && of.cached != nil {
			// Copies: a signature that is changed in place later must not be in the cache.
			v.cache.Add(of.digest, bytes.Clone(of.cached), bytes.Clone(of.key))
		}
		switch m := of.of; {
		case m != nil:
			m.j--
			if valid {
				m.i--
			}
			pending = append(pending, m)
		case valid:
		case r.wrong == errSignature && !isKey(of.key, r == &v.schnorr):
			v.fail(of, errKey)
		default:
			v.fail(of, r.wrong)
		}
	}
	clear(r.of)
	r.of = r.of[:0]
	r.batch.Reset()
	return pending
}

// isKey reports whether b encodes a public key.
func isKey(b []byte, xOnly bool) bool {
	var err error
	if xOnly {
		_, err = koblitz.ParseXOnlyPublicKey(b)
	} else {
		_, err = koblitz.ParsePublicKey(b)
	}
	return err == nil
}

func (v *verifier) fail(of *row, err error) {
	v.failures = append(v.failures, failure{of.tx, of.input, of.kind, err})
}
