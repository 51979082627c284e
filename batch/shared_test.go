package batch

import (
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/schnorr"
)

// requests returns n requests with BIP-340 signatures. The requests whose numbers are in the list
// invalid have invalid signatures.
func requests(t *testing.T, n int, invalid ...int) []*request {
	t.Helper()
	list := make([]*request, n)
	for i := range list {
		// The messages have 32 to 34 bytes: challenges of 32-byte messages are hashed later, in
		// groups, and all others immediately.
		k, msg := koblitz.GenerateKey(), append(make([]byte, 30+i%3), byte(i), byte(i>>8))
		sig, err := schnorr.Sign(k, msg, &schnorr.SignOptions{Unchecked: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range invalid {
			if b == i {
				msg[0] = 1
			}
		}
		list[i] = &request{wake: make(chan struct{}, 1)}
		engine.Parse(&list[i].row, func(row engine.Row) {
			row.SetKey((*keys.XOnly)(k.XOnlyPublicKey()).Affine(), nil)
			row.SetSchnorr(msg, sig)
		})
	}
	return list
}

// TestSharedBatch checks that a shared batch gives the same answers with one equation and row by
// row.
func TestSharedBatch(t *testing.T) {
	b := newSharedBatch(512)
	for _, test := range []struct {
		n   int
		bad []int
	}{{1, nil}, {20, nil}, {100, nil}, {150, []int{0}}, {150, []int{3, 149}}, {64, []int{63}},
		{1, []int{0}}, {130, nil}} {
		for _, together := range []bool{false, true} {
			b.callers = append(b.callers, requests(t, test.n, test.bad...)...)
			malformed, holds := b.verify(engine.Schnorr, together)
			for i, r := range b.callers {
				if want := !slices.Contains(test.bad, i); (r.answer.verdict == Valid) != want {
					t.Errorf("%d callers, together: %v: caller %d: %v", test.n, together, i, r.answer)
				}
			}
			if want := together && test.bad == nil; holds != want || malformed != 0 {
				t.Errorf("%d callers, together: %v, %d bad: %v, %d malformed", test.n, together, len(test.bad),
					holds, malformed)
			}
			b.clear()
			if len(b.callers) != 0 || b.rows.Len() != 0 {
				t.Error("not cleared")
			}
		}
	}
}

// TestSharedMalformed checks that keys that are not on the curve are counted as malformed, although
// only lifting their x coordinates finds that.
func TestSharedMalformed(t *testing.T) {
	b := newSharedBatch(512)
	for _, together := range []bool{false, true} {
		list := requests(t, 70)
		for i, r := range list {
			if i%5 == 0 {
				if engine.Parse(&r.row, func(row engine.Row) {
					row.SetKeyX((&[32]byte{31: 5})[:]) // no point has this x
					row.SetSchnorr(make([]byte, 32), make([]byte, 64))
				}) != engine.NoReason {
					t.Fatal("the key is seen to be none at once")
				}
			}
		}
		b.callers = append(b.callers, list...)
		malformed, holds := b.verify(engine.Schnorr, together)
		if malformed != 14 || holds {
			t.Errorf("together: %v: %d malformed, %v", together, malformed, holds)
		}
		for i, r := range list {
			want := answer{verdict: Valid}
			if i%5 == 0 {
				want = answer{Malformed, engine.KeyNotOnCurve}
			}
			if r.answer != want {
				t.Errorf("caller %d: %v", i, r.answer)
			}
		}
		b.clear()
	}
}
