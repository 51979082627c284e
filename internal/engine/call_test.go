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

// TestLostEquation: after an equation that does not hold, every row gets its own verdict, also the
// later rows, for which no equation is tried.
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

// compressedOnly is a host that refuses keys of 65 bytes, and counts its rows.
type compressedOnly struct{ rows int }

func (*compressedOnly) Accepts(_ Kind, r device.Rules, _ int) bool { return r&^device.LowS == 0 }

func (d *compressedOnly) Run(ctx context.Context, c *device.Call) error {
	d.rows += c.Rows
	_, err := Do(ctx, c, Options{Exact: true})
	return err
}

// TestCompressedForDevice: a device that refuses keys of 65 bytes gets them compressed, and no
// verdict changes, not even that on a key that is not on the curve.
func TestCompressedForDevice(t *testing.T) {
	r := rand.New(rand.NewSource(44))
	const n = 300
	b := &Batch{rows: *ecdsaRows(r, someKeys(r, 20), n)}
	widths := [4]int{32, 33, 64}
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	c := b.export(&ecdsa, 0, widths, list, 1)
	keys, verdicts := make([]byte, 65*n), make([]Verdict, n)
	narrow := *c
	narrow.Kind, narrow.Columns = Decompress, [4]device.Column{c.Columns[1]}
	narrow.Verdicts, narrow.Results = verdicts, keys
	if valid, err := Do(context.Background(), &narrow, Options{}); valid != n || err != nil {
		t.Fatal(valid, err)
	}
	for i := range n {
		switch i % 10 {
		case 1:
			keys[65*i+64] ^= 1 // another parity, and not on the curve
		case 2:
			keys[65*i] = 6 + keys[65*i+64]&1 // hybrid
		case 3:
			keys[65*i] = 2
		case 4:
			c.Columns[2].Data[64*i+63] ^= 1
		}
	}
	c.Rules, c.Columns[1] = device.Uncompressed, device.Column{Data: keys, Stride: 65}
	c.Verdicts = verdicts
	for _, rules := range []device.Rules{device.Uncompressed, device.Uncompressed | device.LowS} {
		c.Rules = rules
		want, err := Do(context.Background(), c, Options{Exact: true})
		if err != nil || want == 0 || want > n*6/10 {
			t.Fatal(want, err)
		}
		host := slices.Clone(verdicts)
		d := new(compressedOnly)
		got, err := Do(context.Background(), c, Options{Device: d, Workers: 2})
		if got != want || err != nil || d.rows != n || !slices.Equal(verdicts, host) {
			t.Errorf("%d of %d rows, %d valid, want %d: %v", d.rows, n, got, want, err)
		}
		ok, err := All(context.Background(), c, Options{Device: d})
		if ok || err != nil || d.rows != 2*n {
			t.Errorf("all: %v, %v, %d rows", ok, err, d.rows)
		}
	}
}
