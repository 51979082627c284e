package engine

import (
	"context"
	"errors"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/engine/enginetest"
)

// believer returns a device that calls all rows of AllSchnorr valid, and then removes the slice of
// verdicts from the call. It accepts only calls with several rows.
func believer() *enginetest.Fake {
	return &enginetest.Fake{
		Accept: func(k Kind, _ device.Rules, rows int) bool { return k == device.AllSchnorr && rows > 1 },
		Do: func(_ context.Context, c *device.Call) error {
			c.Verdicts[0], c.Verdicts = Valid, nil
			return nil
		},
	}
}

// rowsGiven returns the numbers of rows in the calls that a device got, and their sum.
func rowsGiven(d *enginetest.Fake) (rows []int, sum int) {
	for _, c := range d.Calls() {
		rows = append(rows, c.Rows)
		sum += c.Rows
	}
	return rows, sum
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
		b := believer()
		ok, err := All(context.Background(), c, Options{Device: b})
		rows, _ := rowsGiven(b)
		if err != nil || ok == bad || !slices.Equal(rows, []int{partRows, partRows}) {
			t.Errorf("%v, %v, pieces of %d rows", ok, err, rows)
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
	b := believer()
	ok, err := All(context.Background(), c, Options{Device: b})
	_, rows := rowsGiven(b)
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

// compressedOnly returns a device that computes on the CPU and refuses keys of 65 bytes.
func compressedOnly() *enginetest.Fake {
	d := onCPU(0)
	d.Accept = func(_ Kind, r device.Rules, _ int) bool { return r&^device.LowS == 0 }
	return d
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
		d := compressedOnly()
		got, err := Do(context.Background(), c, Options{Device: d, Workers: 2})
		_, rows := rowsGiven(d)
		if got != want || err != nil || rows != n || !slices.Equal(verdicts, host) {
			t.Errorf("%d of %d rows, %d valid, want %d: %v", rows, n, got, want, err)
		}
		ok, err := All(context.Background(), c, Options{Device: d})
		if _, rows := rowsGiven(d); ok || err != nil || rows != 2*n {
			t.Errorf("all: %v, %v, %d rows", ok, err, rows)
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

// TestAllCompressedForDevice checks that one verdict for all rows covers the keys of 65 bytes: the
// compressed form of a malformed key must be malformed, even if the first 33 bytes and the parity
// of y are those of a well-formed key.
func TestAllCompressedForDevice(t *testing.T) {
	const n = 20
	c, _ := wideCall(t, rand.New(rand.NewSource(46)), n)
	keys := c.Columns[1].Data
	d := compressedOnly()
	valid := func() (n int) { // the number of calls for which the device's one verdict was Valid
		for _, c := range d.Calls() {
			if c.Kind == device.AllECDSA && c.Verdicts[0] == Valid {
				n++
			}
		}
		return n
	}
	if ok, err := All(context.Background(), c, Options{Device: d}); !ok || err != nil || valid() != 1 {
		t.Errorf("good rows: %v, %v, the device calls them valid: %d", ok, err, valid())
	}
	for _, change := range []struct {
		at  int
		bit byte
	}{{0, 2}, {0, 1}, {33, 1}, {64, 1}, {64, 2}} {
		keys[65*7+change.at] ^= change.bit
		ok, err := All(context.Background(), c, Options{Device: d})
		if ok || err != nil || valid() != 1 {
			t.Errorf("byte %d changed: %v, %v, the device calls rows valid: %d", change.at, ok, err, valid())
		}
		keys[65*7+change.at] ^= change.bit
	}
}

// fickle returns a device that computes on the CPU and accepts the call with number i if bit i of
// answers is set, as a device with little memory may. It gives no single verdict for all rows.
func fickle(answers uint) *enginetest.Fake {
	asked := uint(0)
	return &enginetest.Fake{
		Accept: func(Kind, device.Rules, int) bool {
			asked++
			return answers>>((asked-1)%4)&1 != 0
		},
		Do: enginetest.OnCPU(Do, All, Options{Exact: true},
			func(_ context.Context, c *device.Call) error {
				if len(c.Verdicts) == 1 {
					return errors.New("no memory")
				}
				return nil
			}),
	}
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
			valid, err := Do(context.Background(), c, Options{Device: fickle(answers)})
			if valid != n-1 || c.Verdicts[0] == Valid || err != nil {
				t.Errorf("%v, %04b: %d rows are valid, want %d: %v", c.Kind, answers, valid, n-1, err)
			}
			ok, err := All(context.Background(), c, Options{Device: fickle(answers)})
			if ok || err != nil {
				t.Errorf("%v, %04b: all rows valid: %v, %v", c.Kind, answers, ok, err)
			}
		}
	}
	for answers := range uint(16) {
		b := &Batch{rows: *rows}
		o := Options{Device: fickle(answers)}
		if ok, err := b.VerifyAll(context.Background(), ECDSA, o); !ok || err != nil {
			t.Errorf("%04b: a batch is valid: %v, %v", answers, ok, err)
		}
	}
}

// TestPartOf checks that a part of a call has the verdicts and results of its own rows.
func TestPartOf(t *testing.T) {
	size := ResultSize(Recover)
	c := device.Call{
		Kind: Recover, Rows: 4, Verdicts: make([]Verdict, 4), Results: make([]byte, 4*size),
	}
	p, _ := partOf(&c, Options{}, 1, 3)
	if p.Rows != 2 || len(p.Verdicts) != 2 || &p.Verdicts[0] != &c.Verdicts[1] ||
		len(p.Results) != 2*size || &p.Results[0] != &c.Results[size] {
		t.Errorf("%d rows with %d verdicts and %d bytes", p.Rows, len(p.Verdicts), len(p.Results))
	}
}
