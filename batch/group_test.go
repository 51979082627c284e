package batch

import (
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/schnorr"
)

// members returns requests with BIP-340 signatures, of which the given ones are
// bad.
func members(t *testing.T, n int, bad ...int) []*request {
	t.Helper()
	list := make([]*request, n)
	for i := range list {
		k, msg := koblitz.GenerateKey(), append(make([]byte, 30), byte(i), byte(i>>8))
		sig, err := schnorr.Sign(k, msg, nil, schnorr.Unchecked())
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range bad {
			if b == i {
				msg[0] = 1
			}
		}
		list[i] = new(request)
		list[i].row.SetKey((*keys.XOnly)(k.XOnlyPublicKey()).Affine(), nil)
		if list[i].hashed = i%3 == 0; list[i].hashed {
			list[i].row.SetSchnorr(msg, (*[64]byte)(sig))
			continue
		}
		list[i].row.PutX(&list[i].unhashed.P)
		list[i].setSchnorr(msg, sig)
	}
	return list
}

// A group is verified together or one by one, with the same answers. Together it
// costs less if all are good.
func TestGroup(t *testing.T) {
	g := newGroup(engine.Schnorr)
	for _, test := range []struct {
		n   int
		bad []int
	}{{1, nil}, {20, nil}, {100, nil}, {150, []int{0}}, {150, []int{3, 149}}, {64, []int{63}}, {1, []int{0}}, {130, nil}} {
		for _, together := range []bool{false, true} {
			g.members = append(g.members, members(t, test.n, test.bad...)...)
			cost := g.verify(engine.Schnorr, together)
			for i, m := range g.members {
				want := true
				for _, b := range test.bad {
					want = want && b != i
				}
				if m.valid != want {
					t.Errorf("%d members, together: %v: member %d: %v", test.n, together, i, m.valid)
				}
			}
			want := engine.SpentExactly(test.n)
			switch {
			case together && test.bad == nil:
				want = engine.SpentOnEquation(test.n)
			case together:
				want += engine.SpentOnEquation(test.n)
			}
			if cost != want {
				t.Errorf("%d members, together: %v, %d bad: cost %d, want %d", test.n, together, len(test.bad), cost, want)
			}
			g.clear()
			if len(g.members) != 0 || g.rows.Len() != 0 {
				t.Error("not cleared")
			}
		}
	}
}
