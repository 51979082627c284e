package bitcoin

import (
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// judge is a small checker over a library that these readers do not use, so
// that they can be tested by themselves. It returns the verdict on a unit and
// how many of its signatures have a high s.
func judge(u *rows.Unit) (v rows.Verdict, high int) {
	if u.Decided != rows.Unchecked {
		return u.Decided, 0
	}
	if u.Scheme == rows.Schnorr {
		key, err := schnorr.ParsePubKey(u.Keys[0])
		if err != nil {
			return rows.Malformed, 0
		}
		sig, err := schnorr.ParseSignature(u.Signatures[0].Sig)
		if err != nil {
			return rows.Malformed, 0
		}
		if !sig.Verify(u.Signatures[0].Digest[:], key) {
			return rows.Invalid, 0
		}
		return rows.Valid, 0
	}
	k := 0
	for _, s := range u.Signatures {
		parse := ecdsa.ParseDERSignature
		if u.LaxDER {
			parse = ecdsa.ParseSignature
		}
		sig, err := parse(s.Sig)
		if err != nil {
			return rows.Malformed, 0
		}
		if sc := sig.S(); sc.IsOverHalfOrder() {
			high++
		}
		for ; ; k++ {
			if k == len(u.Keys) {
				return rows.Invalid, high
			}
			if u.Keys[k][0]&^1 == 6 {
				continue // hybrid: our parser refuses it
			}
			key, err := btcec.ParsePubKey(u.Keys[k])
			if err == nil && sig.Verify(s.Digest[:], key) {
				k++
				break
			}
		}
	}
	return rows.Valid, high
}

// A tally is what came of a reader's units.
type tally struct {
	units    int
	verdicts [6]int // signatures, by verdict
	high     int
	kinds    map[string]int
	bad      []rows.Unit // neither valid nor engine-checked
	err      error       // nil after io.EOF
}

// run reads r to its end.
func run(r rows.Reader) (t tally) {
	t.kinds = make(map[string]int)
	for {
		b, err := r.Next()
		if err != nil {
			if err != io.EOF {
				t.err = err
			}
			return t
		}
		b.Expand(func(u *rows.Unit) {
			v, high := judge(u)
			t.units++
			t.verdicts[v] += max(1, len(u.Signatures))
			t.high += high
			t.kinds[u.Kind]++
			if v != rows.Valid && v != rows.EngineChecked {
				u := *u
				u.Signatures, u.Keys = slices.Clone(u.Signatures), slices.Clone(u.Keys)
				t.bad = append(t.bad, u)
			}
		})
	}
}

// errorAt fails unless err is a *rows.Error at that place.
func errorAt(t *testing.T, err error, file string, offset int64) {
	t.Helper()
	var e *rows.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v, want a *rows.Error", err)
	}
	if e.File != file || e.Offset != offset {
		t.Errorf("error %q at %s, %d; want %s, %d", e, e.File, e.Offset, file, offset)
	}
}
