package bitcoin

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// judge is a minimal verifier. It returns the verdict on a reading.Unit.
func judge(u *reading.Unit) reading.Verdict {
	if u.Decided != reading.Unchecked {
		return u.Decided
	}
	if u.Scheme == reading.Schnorr {
		key, err := koblitz.ParseXOnlyPublicKey(u.Keys[0])
		if err != nil {
			return reading.Malformed
		}
		if !schnorr.Verify(key, u.Signatures[0].Digest[:], u.Signatures[0].Sig) {
			return reading.Invalid
		}
		if c := &u.Commitment; c.Key != nil {
			key, err := koblitz.ParseXOnlyPublicKey(c.Key)
			if err != nil || !key.CheckTweakAdd(c.Tweak[:], c.Output, c.Odd) {
				return reading.Invalid
			}
		}
		return reading.Valid
	}
	k := 0
	for _, s := range u.Signatures {
		parse := ecdsa.ParseDER
		if u.LaxDER {
			parse = ecdsa.ParseDERLax
		}
		sig, err := parse(s.Sig)
		if err != nil {
			return reading.Malformed
		}
		for ; ; k++ {
			if k == len(u.Keys) {
				return reading.Invalid
			}
			key, err := koblitz.ParsePublicKey(u.Keys[k])
			if err == nil && ecdsa.Verify(key, s.Digest[:], sig) {
				k++
				break
			}
		}
	}
	return reading.Valid
}

// counts holds the number of signatures with each verdict, by the verdict's value.
type counts [reading.Unsigned + 1]int

// takes reports whether v is a verdict on an input that is valid.
func takes(v reading.Verdict) bool {
	return v == reading.Valid || v == reading.EngineChecked || v == reading.Unsigned
}

// A tally summarizes the reading.Units that a reader returned.
type tally struct {
	units    int
	verdicts counts // number of signatures by verdict
	all      []reading.Unit
	bad      []reading.Unit // units that are neither valid nor engine-checked
	consumed int64          // Consumed of the last batch
	err      error          // the error that ended reading; nil for io.EOF
}

// add adds the tally of another reader to t.
func (t *tally) add(one tally) {
	t.units += one.units
	for v, n := range one.verdicts {
		t.verdicts[v] += n
	}
	t.bad = append(t.bad, one.bad...)
	t.err = errors.Join(t.err, one.err)
}

// run reads r to its end, judges its reading.Units, and returns a summary of the verdicts.
func run(r reading.Reader) (t tally) {
	for {
		b, err := r.Next()
		if err != nil {
			if err != io.EOF {
				t.err = err
			}
			return t
		}
		t.consumed = b.Consumed()
		b.Expand(func(u *reading.Unit) {
			v := judge(u)
			t.units++
			t.verdicts[v] += max(1, len(u.Signatures))
			unit := *u
			unit.Signatures, unit.Keys = slices.Clone(u.Signatures), slices.Clone(u.Keys)
			t.all = append(t.all, unit)
			if !takes(v) {
				t.bad = append(t.bad, unit)
			}
		})
	}
}

// says reports whether err contains text, or is nil if text is empty.
func says(err error, text string) bool {
	if err == nil || text == "" {
		return err == nil && text == ""
	}
	return strings.Contains(err.Error(), text)
}

// asError returns err, an error of a reader, as a reading.Error.
func asError(t *testing.T, err error) *reading.Error {
	t.Helper()
	var e *reading.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v, want a *reading.Error", err)
	}
	return e
}

// errorAt fails the test unless err has the given file and offset.
func errorAt(t *testing.T, err error, file string, offset int64) {
	t.Helper()
	e := asError(t, err)
	if e.File != file || e.Offset != offset {
		t.Errorf("error %q at %s, %d; want %s, %d", e, e.File, e.Offset, file, offset)
	}
}

// engineSays runs btcd's script engine on input i of tx and returns the engine's error.
func engineSays(tx *wire.MsgTx, spent []wireform.Output, i int, r bitcoin.Rules) error {
	prev := txscript.NewMultiPrevOutFetcher(nil)
	for k, in := range tx.TxIn {
		prev.AddPrevOut(in.PreviousOutPoint, wire.NewTxOut(spent[k].Amount, spent[k].Script))
	}
	vm, err := txscript.NewEngine(spent[i].Script, tx, i, r.Flags(), nil,
		txscript.NewTxSigHashes(tx, prev), spent[i].Amount, prev)
	if err != nil {
		return err
	}
	return vm.Execute()
}

// laxer reports whether u has a signature that is valid only as lax DER. For such a unit our
// verdict and the script engine's may differ, because the script engine accepts fewer lax encodings
// than the chain does.
func laxer(u *reading.Unit) bool {
	for _, s := range u.Signatures {
		if _, err := ecdsa.ParseDER(s.Sig); u.LaxDER && err != nil {
			return true
		}
	}
	return false
}

// agree fails the test unless our verdict on input i matches the script engine's. ok reports
// whether our verdict means that the input is valid.
func agree(t *testing.T, what string, tx *wire.MsgTx, spent []wireform.Output, i int,
	r bitcoin.Rules) (ok bool) {
	t.Helper()
	u := unitOf(tx, spent, i, r)
	v := judge(&u)
	err := engineSays(tx, spent, i, r)
	ok = takes(v)
	if ok != (err == nil) && !laxer(&u) {
		t.Errorf("%s, rules %+v: verdict %d (%s, %s), engine: %v", what, r, v, u.Kind, u.Reason, err)
	}
	if v == reading.Unchecked || v == reading.NotCheckable {
		t.Errorf("%s: verdict %d (%s)", what, v, u.Reason)
	}
	libraryAgrees(t, tx, spent, i, r, ok)
	return ok
}
