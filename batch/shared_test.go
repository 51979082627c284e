package batch

import (
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/schnorr"
)

// TestSharedBatch checks that a shared batch gives the right answers with one equation and row by
// row, that it counts rows as malformed even if only lifting the key's x coordinate finds that no
// point has it, and that it counts the rows of the equation.
func TestSharedBatch(t *testing.T) {
	b := newSharedBatch(512)
	for _, test := range []struct {
		n                  int
		invalid, malformed []int
		wrongLength        int // number of signatures that parsing refuses, the first of the batch
	}{
		{n: 1}, {n: 20}, {n: 100}, {n: 130},
		{1, []int{0}, nil, 0}, {64, []int{63}, nil, 0}, {150, []int{0}, nil, 0},
		{150, []int{3, 149}, nil, 0},
		{1, nil, []int{0}, 0}, {70, nil, []int{0, 7, 69}, 0}, {70, []int{1}, []int{2}, 0},
		{150, nil, nil, 20}, {150, nil, nil, 149}, {150, []int{149}, nil, 10},
	} {
		for _, together := range []bool{false, true} {
			var answers []answer
			for i := range test.n {
				// The messages have 32 to 34 bytes: challenges of 32-byte messages are hashed
				// later, in groups, and all others immediately.
				k, msg := koblitz.GenerateKey(), append(make([]byte, 30+i%3), byte(i), byte(i>>8))
				sig := reference.Must(schnorr.Sign(k, msg, &schnorr.SignOptions{Unchecked: true}))
				r, a := &request{wake: make(chan struct{}, 1)}, answer{verdict: Valid}
				if slices.Contains(test.invalid, i) {
					msg[0], a = 1, answer{Invalid, engine.WrongSignature}
				}
				r.row.SetKey((*keys.XOnly)(k.XOnlyPublicKey()).Affine())
				if slices.Contains(test.malformed, i) {
					r.row.SetKeyX((&[32]byte{31: 5})[:]) // no point has this x
					a = answer{Malformed, engine.KeyNotOnCurve}
				}
				if i < test.wrongLength {
					sig, a = sig[1:], answer{Malformed, engine.SignatureLength}
				}
				r.row.SetSchnorr(msg, sig, nil)
				b.callers, answers = append(b.callers, r), append(answers, a)
			}
			malformed, tried, holds := b.verify(engine.Schnorr, 0, together)
			for i, r := range b.callers {
				if r.answer != answers[i] {
					t.Errorf("%+v, together: %v: caller %d: %v", test, together, i, r.answer)
				}
			}
			want := 0
			if parsed := test.n - test.wrongLength; together && engine.EquationPays(parsed, 1) {
				want = parsed
			}
			good := test.invalid == nil && test.malformed == nil && want > 0
			if tried != want || holds != good || malformed != len(test.malformed)+test.wrongLength {
				t.Errorf("%+v, together: %v: %d tried, %v, %d malformed", test, together, tried, holds,
					malformed)
			}
			if b.clear(); len(b.callers) != 0 || b.rows.Len() != 0 {
				t.Error("not cleared")
			}
		}
	}
}
