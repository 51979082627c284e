package engine

import (
	"context"
	"errors"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/device"
)

// A believer is a device that calls every row valid, and then removes the slice of verdicts from
// the call.
type believer struct{ rows []int }

func (*believer) Accepts(k Kind, _ device.Rules, rows int) bool {
	return k == device.AllSchnorr && rows > 1
}

func (b *believer) Run(_ context.Context, c *device.Call) error {
	b.rows = append(b.rows, c.Rows)
	c.Verdicts[0], c.Verdicts = Valid, nil
	return nil
}

// TestAllInPieces checks that a call with one answer for all rows is also split into parts for the
// device, and that the CPU verifies only the parts that the device does not accept.
func TestAllInPieces(t *testing.T) {
	c := schnorrColumns(rand.New(rand.NewSource(43)), 1)
	for i := range c.Columns {
		c.Columns[i].Stride = 0
	}
	c.Rows, c.Verdicts = 2*partRows+1, nil
	for _, bad := range []bool{false, true} {
		if bad {
			c.Columns[0].Data[0] ^= 1 // makes a row invalid that only the CPU reads
		}
		var b believer
		ok, err := All(context.Background(), c, Options{Device: &b})
		if err != nil || ok == bad || !slices.Equal(b.rows, []int{partRows, partRows}) {
			t.Errorf("%v, %v, pieces of %d rows", ok, err, b.rows)
		}
	}
}

// TestMostRows checks that a call may have as many rows as the greatest 32-bit int, if its columns
// repeat one value for all rows.
func TestMostRows(t *testing.T) {
	c := schnorrColumns(rand.New(rand.NewSource(48)), 1)
	for i := range c.Columns {
		c.Columns[i].Stride = 0
	}
	c.Rows, c.Verdicts = math.MaxInt32, nil
	var b believer
	ok, err := All(context.Background(), c, Options{Device: &b})
	rows := 0
	for _, n := range b.rows {
		rows += n
	}
	if !ok || err != nil || rows != c.Rows {
		t.Errorf("%v, %v, %d rows", ok, err, rows)
	}
}

// TestLostEquation checks that after an equation that does not hold, every row still gets its own
// verdict, including later rows, for which no equation is tried.
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

// compressedOnly is a device that computes on the CPU, refuses keys of 65 bytes, and counts its
// rows.
type compressedOnly struct{ rows int }

func (*compressedOnly) Accepts(_ Kind, r device.Rules, _ int) bool { return r&^device.LowS == 0 }

func (d *compressedOnly) Run(ctx context.Context, c *device.Call) error {
	d.rows += c.Rows
	_, err := Do(ctx, c, Options{Exact: true})
	return err
}

// TestCompressedForDevice checks that a device that refuses keys of 65 bytes gets the keys
// compressed, and that no verdict changes, not even for a key that is not on the curve.
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
			keys[65*i+64] ^= 1 // changes the parity of y; the point is no longer on the curve
		case 2:
			keys[65*i] = 6 + keys[65*i+64]&1 // the hybrid encoding
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

// wideCall returns a call on n valid ECDSA rows with recovery ids and keys of 65 bytes, and the
// same rows parsed.
func wideCall(t *testing.T, r *rand.Rand, n int) (*device.Call, *Rows) {
	rows := ecdsaRows(r, someKeys(r, 5), n)
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	c := (&Batch{rows: *rows}).export(&ecdsa, 0, [4]int{32, 33, 64, 1}, list, 1)
	keys := make([]byte, 65*n)
	decompress := device.Call{Kind: Decompress, Rows: n, Results: keys, Verdicts: make([]Verdict, n)}
	decompress.Columns[0] = c.Columns[1]
	if valid, err := Do(context.Background(), &decompress, Options{}); valid != n || err != nil {
		t.Fatal(valid, err)
	}
	c.Rules, c.Columns[1] = device.Uncompressed, device.Column{Data: keys, Stride: 65}
	c.Verdicts = decompress.Verdicts
	return c, rows
}

// trusting is a device like compressedOnly that also gives one verdict for all rows, which the
// caller trusts.
type trusting struct {
	compressedOnly
	valid int // number of calls answered Valid
}

func (d *trusting) Run(ctx context.Context, c *device.Call) error {
	if c.Kind != device.AllECDSA {
		return d.compressedOnly.Run(ctx, c)
	}
	rows := *c
	rows.Kind = ECDSA
	ok, err := All(ctx, &rows, Options{})
	if ok {
		d.valid++
		c.Verdicts[0] = Valid
	}
	return err
}

// TestAllCompressedForDevice checks that one verdict for all rows covers the keys of 65 bytes: the
// compressed form of a malformed key must be malformed, even if the first 33 bytes and the parity
// of y are those of a well-formed key.
func TestAllCompressedForDevice(t *testing.T) {
	const n = 20
	c, _ := wideCall(t, rand.New(rand.NewSource(46)), n)
	keys := c.Columns[1].Data
	d := new(trusting)
	if ok, err := All(context.Background(), c, Options{Device: d}); !ok || err != nil || d.valid != 1 {
		t.Errorf("good rows: %v, %v, the device calls them valid: %d", ok, err, d.valid)
	}
	for _, change := range []struct {
		at  int
		bit byte
	}{{0, 2}, {0, 1}, {33, 1}, {64, 1}, {64, 2}} {
		keys[65*7+change.at] ^= change.bit
		if ok, err := All(context.Background(), c, Options{Device: d}); ok || err != nil || d.valid != 1 {
			t.Errorf("byte %d changed: %v, %v, the device calls rows valid: %d", change.at, ok, err, d.valid)
		}
		keys[65*7+change.at] ^= change.bit
	}
}

// A fickle device computes on the CPU and accepts the call with number i if bit i of answers is
// set, as a device with little memory may.
type fickle struct{ answers, asked uint }

func (d *fickle) Accepts(Kind, device.Rules, int) bool {
	d.asked++
	return d.answers>>((d.asked-1)%4)&1 != 0
}

func (*fickle) Run(ctx context.Context, c *device.Call) error {
	if len(c.Verdicts) == 1 { // one verdict for all rows
		return errors.New("no memory")
	}
	_, err := Do(ctx, c, Options{Exact: true})
	return err
}

// TestFickleDevice checks that a device may accept a call after refusing it, or the reverse: the
// caller's call keeps its encoding of keys, and gets correct verdicts.
func TestFickleDevice(t *testing.T) {
	r := rand.New(rand.NewSource(45))
	const n = 20
	narrow := schnorrColumns(r, n)
	narrow.Columns[0].Data[0] ^= 1
	wide, rows := wideCall(t, r, n)
	wide.Columns[1].Data[2] ^= 1
	noIDs := *wide
	noIDs.Columns[3] = device.Column{}
	for _, c := range []*device.Call{narrow, wide, &noIDs} {
		for answers := range uint(16) {
			valid, err := Do(context.Background(), c, Options{Device: &fickle{answers: answers}})
			if valid != n-1 || c.Verdicts[0] == Valid || err != nil {
				t.Errorf("%v, %04b: %d rows are valid, want %d: %v", c.Kind, answers, valid, n-1, err)
			}
			ok, err := All(context.Background(), c, Options{Device: &fickle{answers: answers}})
			if ok || err != nil {
				t.Errorf("%v, %04b: all rows valid: %v, %v", c.Kind, answers, ok, err)
			}
		}
	}
	for answers := range uint(16) {
		b := &Batch{rows: *rows}
		o := Options{Device: &fickle{answers: answers}}
		if ok, err := b.VerifyAll(context.Background(), ECDSA, o); !ok || err != nil {
			t.Errorf("%04b: a batch is valid: %v, %v", answers, ok, err)
		}
	}
}
