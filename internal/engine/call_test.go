package engine

import (
	"context"
	"math/rand"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/device"
)

// A believer is a device that says of all rows that they are valid, and then takes its verdicts
// away.
type believer struct{ rows []int }

func (*believer) Accepts(k Kind, _ device.Rules, rows int) bool {
	return k == device.AllSchnorr && rows > 1
}

func (b *believer) Run(_ context.Context, c *device.Call) error {
	b.rows = append(b.rows, c.Rows)
	c.Verdicts[0], c.Verdicts = Valid, nil
	return nil
}

// TestAllInPieces: also a call with one answer for all rows goes to the device in pieces, and the
// host does those alone that the device does not accept.
func TestAllInPieces(t *testing.T) {
	c := schnorrColumns(rand.New(rand.NewSource(43)), 1)
	for i := range c.Columns {
		c.Columns[i].Stride = 0
	}
	c.Rows, c.Verdicts = 2*pieceRows+1, nil
	for _, bad := range []bool{false, true} {
		if bad {
			c.Columns[0].Data[0] ^= 1 // which the host alone sees
		}
		var b believer
		ok, err := All(context.Background(), c, Options{Device: &b})
		if err != nil || ok == bad || !slices.Equal(b.rows, []int{pieceRows, pieceRows}) {
			t.Errorf("%v, %v, pieces of %d rows", ok, err, b.rows)
		}
	}
}

// TestLostEquation: after an equation that does not hold, every row has its own verdict:
// those of the equation, and those behind it, for which none is tried.
func TestLostEquation(t *testing.T) {
	r := rand.New(rand.NewSource(42))
	const n = 700
	c := schnorrColumns(r, n)
	bad := make([]bool, n)
	for i := range bad {
		if bad[i] = r.Intn(3) == 0; bad[i] {
			c.Columns[0].Data[32*i] ^= 1
		}
	}
	onLevels(t, func(t *testing.T) {
		for _, workers := range []int{1, 2} {
			_, err := Do(context.Background(), c, Options{Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range c.Verdicts {
				want := Valid
				if bad[i] {
					want = Invalid
				}
				if v != want {
					t.Fatalf("%d workers, row %d: %d, want %d", workers, i, v, want)
				}
			}
		}
	})
}
