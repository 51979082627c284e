package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/engine/enginetest"
)

// decompressCall returns a call that decompresses the keys of c.
func decompressCall(c *device.Call) *device.Call {
	return &device.Call{
		Kind: device.Decompress, Rows: c.Rows, Columns: [4]device.Column{c.Columns[1]},
		Verdicts: make([]Verdict, c.Rows), Results: make([]byte, device.KeySize*c.Rows),
	}
}

// spoil makes most rows of c invalid or malformed, and returns c.
func spoil(c *device.Call) *device.Call {
	for k, col := range c.Columns[:3] {
		if col.Data == nil {
			continue
		}
		for i := range c.Rows {
			switch field := col.Data[i*col.Stride:][:col.Stride]; i % 8 {
			case k:
				field[col.Stride-1] ^= 1
			case 3 + k:
				field[0] ^= 4
			case 6:
				copy(field, bytes.Repeat([]byte{0xff}, min(32, 32*k)))
			}
		}
	}
	return c
}

// oneValue returns a copy of c with the given number of rows, which all are its first row.
func oneValue(c *device.Call, rows int) *device.Call {
	d := *c
	for i := range d.Columns {
		d.Columns[i].Stride = 0
	}
	d.Rows, d.Verdicts = rows, nil
	return &d
}

// isAll reports whether calls of kind k have one verdict for all rows.
func isAll(k Kind) bool { return k == device.AllSchnorr || k == device.AllECDSA }

// honest returns a device that carries out calls on the CPU and then calls after, if that is not
// nil.
func honest(after func(context.Context, *device.Call) error) *enginetest.Fake {
	o := Options{Workers: 1, Exact: true}
	return &enginetest.Fake{Do: enginetest.OnCPU(Do, All, o, after)}
}

// compressedOnly reports whether a device accepts calls under the rules r that refuses keys of 65
// bytes and hashed messages.
func compressedOnly(_ Kind, r device.Rules, _ int) bool { return r&^device.LowS == 0 }

// fakes returns devices with each fault, and some without. A caller trusts a device that calls all
// rows valid with one verdict, so none of them does this wrongly.
func fakes() map[string]*enginetest.Fake {
	gone := errors.New("the device is gone")
	type ctx = context.Context
	all := map[string]*enginetest.Fake{
		"honest":               honest(nil),
		"refuses all":          {Accept: func(Kind, device.Rules, int) bool { return false }},
		"compressed keys":      honest(nil),
		"some sizes":           honest(nil),
		"fails":                {Do: func(ctx, *device.Call) error { return gone }},
		"fails with an answer": honest(func(ctx, *device.Call) error { return gone }),
		"replaces verdicts":    {Do: func(_ ctx, c *device.Call) error { c.Verdicts = nil; return nil }},
		"changes results": honest(func(_ ctx, c *device.Call) error {
			for i := range c.Results {
				c.Results[i] ^= 1
			}
			return nil
		}),
		"no single verdict": honest(func(_ ctx, c *device.Call) error {
			if isAll(c.Kind) {
				return gone
			}
			return nil
		}),
		"a wrong single verdict": honest(func(_ ctx, c *device.Call) error {
			if isAll(c.Kind) {
				c.Verdicts[0] = Invalid
			}
			return nil
		}),
	}
	all["compressed keys"].Accept = compressedOnly
	all["some sizes"].Accept = func(_ Kind, _ device.Rules, n int) bool { return n%6 == 0 }
	for v := range Verdict(6) {
		all[fmt.Sprint("all are ", v)] = honest(func(_ ctx, c *device.Call) error {
			for i := range c.Verdicts {
				if !isAll(c.Kind) {
					c.Verdicts[i] = v
				}
			}
			return nil
		})
	}
	for k := range 5 { // a device with little memory accepts the call only at some times
		asked, count := 0, 0
		little := honest(nil)
		little.Accept = func(Kind, device.Rules, int) bool {
			asked++
			return asked > k
		}
		all[fmt.Sprint("accepts from time ", k)] = little
		all[fmt.Sprint("fails in call ", k)] = honest(func(ctx, *device.Call) error {
			if count++; count == k {
				return gone
			}
			return nil
		})
	}
	return all
}

// An asker is a call, or records, that can be verified again and again.
type asker struct {
	rows     int
	verdicts []Verdict
	results  []byte
	each     func(o Options) (valid int, err error) // sets verdicts and results
	all      func(o Options) (bool, error)          // nil if the kind has results
}

func askCall(c *device.Call) asker {
	c.Verdicts = make([]Verdict, c.Rows)
	a := asker{c.Rows, c.Verdicts, c.Results, func(o Options) (int, error) {
		clear(c.Results)
		return Do(context.Background(), c, o)
	}, nil}
	if ResultSize(c.Kind) == 0 {
		a.all = func(o Options) (bool, error) { return All(context.Background(), c, o) }
	}
	return a
}

func askRecords(b *Records, kind Kind, rules device.Rules) asker {
	ctx, verdicts := context.Background(), make([]Verdict, b.Len())
	return asker{b.Len(), verdicts, nil, func(o Options) (int, error) {
		return b.Verify(ctx, kind, rules, verdicts, o)
	}, func(o Options) (bool, error) {
		return b.VerifyAll(ctx, kind, rules, o)
	}}
}

// TestDevices checks that no device changes a verdict, a reason or a result, for calls and records
// with good and bad rows: they are carried out with the CPU alone and with each device. An honest
// device must find the same verdicts in the columns that it gets. After the calls, a device writes
// to its slices of verdicts again.
func TestDevices(t *testing.T) {
	r := rand.New(rand.NewSource(44))
	const n, wide = 24, device.Uncompressed
	good, many := newCall(r, ECDSA, wide, n), newCall(r, Schnorr, 0, 4*n)
	many.Columns[0].Data[90*32] ^= 1 // after more valid rows than are verified again
	noIDs, badNoIDs := newCall(r, ECDSA, 0, n), spoil(newCall(r, ECDSA, wide|device.LowS, n))
	noIDs.Columns[3], badNoIDs.Columns[3] = device.Column{}, device.Column{}
	calls := []*device.Call{
		newCall(r, Schnorr, 0, n), spoil(newCall(r, Schnorr, 0, n)),
		newCall(r, Schnorr, device.Hashed, n), spoil(newCall(r, Schnorr, device.Hashed, n)),
		newCall(r, ECDSA, 0, n), spoil(newCall(r, ECDSA, device.LowS, n)), noIDs, badNoIDs,
		good, many, spoil(decompressCall(newCall(r, ECDSA, 0, n))),
		decompressCall(newCall(r, ECDSA, 0, 4*n)), // more rows than are verified again
	}
	for _, change := range []struct {
		at  int
		bit byte
	}{ // a compressed key may hide the change
		{0, 2}, {0, 1}, {0, 0x04 ^ 0x02}, {0, 0x04 ^ 0x03}, {0, 0x04 ^ knownKey},
		{33, 1}, {64, 1}, {64, 2},
	} {
		c := *good
		c.Columns[1].Data = slices.Clone(c.Columns[1].Data)
		c.Columns[1].Data[65*7+change.at] ^= change.bit
		calls = append(calls, &c)
	}
	askers := []asker{
		askRecords(schnorrRecords(r, n, someKeys(r, n), xOnly, oddY, evenY), Schnorr, 0),
		askRecords(ecdsaRecords(r, n, someKeys(r, n)), ECDSA, 0),
	}
	for _, c := range calls {
		askers = append(askers, askCall(c))
	}
	for _, kind := range []Kind{Schnorr, ECDSA} {
		for _, ids := range []bool{false, true} {
			b, _ := mixedRecords(r, kind, ids)
			askers = append(askers, askRecords(b, kind, device.LowS))
		}
	}
	for i, a := range askers {
		reasons, got := make([]Reason, a.rows), make([]Reason, a.rows)
		valid, err := a.each(Options{Exact: true, Reasons: reasons})
		if err != nil {
			t.Fatal(err)
		}
		verdicts, results := slices.Clone(a.verdicts), slices.Clone(a.results)
		for name, d := range fakes() {
			o := Options{Workers: 2, Device: d, Reasons: got}
			count, err := a.each(o)
			if count != valid || err != nil || !slices.Equal(a.verdicts, verdicts) ||
				!slices.Equal(got, reasons) || !bytes.Equal(a.results, results) {
				t.Errorf("call %d, %s: %v %v, %v, want %v %v", i, name, a.verdicts, got, err, verdicts, reasons)
			}
			if name == "honest" && !slices.Equal(d.Calls()[0].Verdicts, verdicts) {
				t.Errorf("call %d: the device finds %v, want %v", i, d.Calls()[0].Verdicts, verdicts)
			}
			if a.all != nil {
				if ok, err := a.all(o); ok != (valid == a.rows) || err != nil {
					t.Errorf("call %d, %s: all: %v, %v", i, name, ok, err)
				}
			}
			for _, call := range d.Calls() {
				for i := range call.Verdicts {
					call.Verdicts[i] = 77
				}
			}
			if !slices.Equal(a.verdicts, verdicts) {
				t.Errorf("call %d, %s: a verdict was changed after the call", i, name)
			}
		}
	}
}

// TestDeviceCalls checks which calls a device gets.
func TestDeviceCalls(t *testing.T) {
	type asked struct {
		kind  Kind
		rules device.Rules
		rows  int
	}
	r := rand.New(rand.NewSource(45))
	const n = 20
	schnorr, ids := newCall(r, Schnorr, 0, n), newCall(r, ECDSA, 0, n)
	wide, hashed := newCall(r, ECDSA, device.Uncompressed, n), newCall(r, Schnorr, device.Hashed, n)
	noIDs, prepared := *ids, *wide
	prepared.Kind, prepared.Rules = device.PreparedECDSA, 0
	prepared.Columns[1] = device.Column{Stride: 4}
	for i := range n {
		prepared.Keys = append(prepared.Keys, wide.Columns[1].Data[65*i+1:][:device.PointSize]...)
		prepared.Columns[1].Data = append(prepared.Columns[1].Data, byte(i), 0, 0, 0)
	}
	noIDs.Columns[3] = device.Column{}
	// records returns valid records, with the first some of them changed.
	records := func(kind Kind, some int, change func(*Record)) asker {
		b := ecdsaRecords(r, n, someKeys(r, n))
		if kind == Schnorr {
			b = schnorrRecords(r, n, someKeys(r, n), xOnly, oddY, evenY)
		}
		for i := range some {
			change((*Record)(b.bytes[i*recordSize:]))
		}
		return askRecords(b, kind, 0)
	}
	hash := func(b *Record) {
		b.challenge(b.hash())
		b[recordState] |= isChallenge
	}
	forgetID := func(b *Record) { b[recordState] &^= hasID }
	for i, test := range []struct {
		asker
		each bool
		o    Options
		ok   bool
		want []asked

		accepts func(Kind, device.Rules, int) bool
	}{
		{askCall(schnorr), false, Options{}, true, []asked{{device.AllSchnorr, 0, n}}, nil},
		{askCall(schnorr), false, Options{Exact: true}, true, nil, nil},
		{askCall(ids), false, Options{}, true, []asked{{device.AllECDSA, 0, n}}, nil},
		{askCall(&noIDs), false, Options{}, true, []asked{{ECDSA, 0, n}}, nil},
		{askCall(&prepared), false, Options{}, true, []asked{{device.PreparedECDSA, 0, n}}, nil},
		{askCall(wide), false, Options{}, true, []asked{{device.AllECDSA, 0, n}}, compressedOnly},
		{askCall(wide), true, Options{}, true, []asked{{ECDSA, 0, n}}, compressedOnly},
		{askCall(wide), true, Options{}, true, []asked{{ECDSA, device.Uncompressed, n}}, nil},
		{askCall(hashed), true, Options{}, true, []asked{{Schnorr, device.Hashed, n}}, nil},
		{askCall(hashed), true, Options{}, true, nil, compressedOnly},
		{records(Schnorr, 0, nil), false, Options{}, true, []asked{{device.AllSchnorr, 0, n}}, nil},
		{records(Schnorr, 0, nil), false, Options{Exact: true}, true, nil, nil},
		{records(Schnorr, 0, nil), true, Options{}, true, []asked{{Schnorr, 0, n}}, nil},
		{records(Schnorr, 1, hash), true, Options{}, true, []asked{{Schnorr, device.Hashed, n}}, nil},
		{records(Schnorr, n, hash), true, Options{}, true, nil, compressedOnly},
		{records(ECDSA, 0, nil), false, Options{}, true, []asked{{device.AllECDSA, 0, n}}, nil},
		{records(ECDSA, 0, nil), true, Options{}, true, []asked{{ECDSA, 0, n}}, nil},
		{records(ECDSA, 1, forgetID), false, Options{}, true, []asked{{ECDSA, 0, n}}, nil},
		{records(ECDSA, n, forgetID), false, Options{}, true, []asked{{ECDSA, 0, n}}, nil},
		{records(ECDSA, n, forgetID), false, Options{Exact: true}, true, nil, nil},
		{askRecords(new(Records), ECDSA, 0), true, Options{}, true, nil, nil},
	} {
		d := honest(nil)
		d.Accept = test.accepts
		test.o.Device = d
		var ok bool
		var err error
		if test.each {
			var valid int
			valid, err = test.asker.each(test.o)
			ok = valid == test.rows
		} else {
			ok, err = test.all(test.o)
		}
		var got []asked
		for _, c := range d.Calls() {
			got = append(got, asked{c.Kind, c.Rules, c.Rows})
		}
		if ok != test.ok || err != nil || !slices.Equal(got, test.want) {
			t.Errorf("test %d: %v, %v, calls %v, want %v", i, ok, err, got, test.want)
		}
	}
}

// TestRecordColumns checks that a device gets recovery ids only of ECDSA records that all have one.
func TestRecordColumns(t *testing.T) {
	r := rand.New(rand.NewSource(44))
	const n = 9
	some := ecdsaRecords(r, n, someKeys(r, n))
	some.bytes[5*recordSize+recordState] &^= hasID
	for _, test := range []struct {
		kind    Kind
		records *Records
		ids     bool
	}{
		{Schnorr, schnorrRecords(r, n, someKeys(r, n), xOnly), false},
		{ECDSA, ecdsaRecords(r, n, someKeys(r, n)), true},
		{ECDSA, some, false},
	} {
		d := honest(func(_ context.Context, c *device.Call) error {
			if ids := c.Columns[3].Data != nil; ids != test.ids {
				t.Errorf("%v: recovery ids: %v", test.kind, ids)
			}
			return nil
		})
		valid, err := test.records.Verify(context.Background(), test.kind, 0, make([]Verdict, n),
			Options{Device: d})
		if valid != n || err != nil || len(d.Calls()) != 1 {
			t.Errorf("%v: %d valid rows, %v, %d calls", test.kind, valid, err, len(d.Calls()))
		}
	}
}

// TestParts checks that a call with one answer for all rows is split into parts for the device, and
// that the CPU verifies only the parts that the device does not accept. A call may have as many
// rows as the greatest 32-bit int, if its columns repeat one value for all rows.
func TestParts(t *testing.T) {
	c := newCall(rand.New(rand.NewSource(43)), Schnorr, 0, 1)
	for _, bad := range []bool{false, true} {
		c.Columns[0].Data[0] ^= map[bool]byte{true: 1}[bad] // makes a row invalid that only the CPU reads
		for _, n := range []int{2*partRows + 1, math.MaxInt32} {
			d := &enginetest.Fake{
				Accept: func(_ Kind, _ device.Rules, rows int) bool { return rows > 1 },
				Do: func(_ context.Context, c *device.Call) error {
					c.Verdicts[0] = Valid
					return nil
				},
			}
			ok, err := All(context.Background(), oneValue(c, n), Options{Device: d})
			rows, want := 0, n
			if n%partRows == 1 {
				want-- // the last part has one row
			}
			for _, call := range d.Calls() {
				if call.Rows > partRows || call.Kind != device.AllSchnorr {
					t.Errorf("a part of kind %v with %d rows", call.Kind, call.Rows)
				}
				rows += call.Rows
			}
			if ok != (want == n || !bad) || err != nil || rows != want {
				t.Errorf("%d rows, the first is bad: %v: %v, %v, %d rows in parts", n, bad, ok, err, rows)
			}
		}
	}
}

// TestAudited checks that audited returns all rows that are not Valid, and one in 1024 of the Valid
// rows, at least 64, without repeats and in order.
func TestAudited(t *testing.T) {
	r := rand.New(rand.NewSource(30))
	for _, n := range []int{0, 1, 63, 64, 65, 66, 100, 1000, 65536, 65537, 200000} {
		for _, bad := range []int{0, 1, n / 3, n} {
			verdicts := slices.Repeat([]Verdict{Valid}, n)
			for range min(bad, n) {
				verdicts[r.Intn(n)] = Verdict(r.Intn(256))
			}
			valid := 0
			for _, v := range verdicts {
				if v == Valid {
					valid++
				}
			}
			again := audited(verdicts)
			for k := range again {
				if k > 0 && again[k] <= again[k-1] {
					t.Fatalf("%d rows: row %d after row %d", n, again[k], again[k-1])
				}
			}
			want := min(valid, max(auditLeast, (valid+auditEvery-1)/auditEvery)) + n - valid
			if len(again) != want {
				t.Errorf("%d rows, %d of them valid: %d are done again, want %d", n, valid, len(again), want)
			}
		}
	}
}

// A counter is a context that counts the blocks of rows before which it is asked for its error.
type counter struct {
	context.Context
	blocks int
}

func (c *counter) Err() error {
	c.blocks++
	return nil
}

// TestLiar checks that the host stops verifying the rows that a device calls bad when it finds that
// the device lies, so that such a device makes a call only a little longer.
func TestLiar(t *testing.T) {
	c := newCall(rand.New(rand.NewSource(32)), Schnorr, 0, 2000)
	liar := &enginetest.Fake{Do: func(_ context.Context, call *device.Call) error {
		for i := range call.Verdicts {
			call.Verdicts[i] = Invalid
		}
		return nil
	}}
	var blocks [2]int
	for i, d := range []device.Engine{nil, liar} {
		ctx := &counter{Context: t.Context()}
		c.Verdicts = make([]Verdict, c.Rows)
		if valid, err := Do(ctx, c, Options{Workers: 1, Exact: true, Device: d}); valid != c.Rows ||
			err != nil {
			t.Errorf("%d rows are valid, %v", valid, err)
		}
		blocks[i] = ctx.blocks
	}
	if blocks[0] < 10 || blocks[1] > blocks[0]*5/4 {
		t.Errorf("%d blocks of rows, and %d without the device", blocks[1], blocks[0])
	}
}

// TestLateLiar checks that the host uses no verdict of a device that lies only about rows which the
// host verifies late. The device calls ten bad rows Valid, and the last row, which is valid,
// Invalid. The host's sample hardly ever has all ten.
func TestLateLiar(t *testing.T) {
	const n, many = 400, 99
	c := newCall(rand.New(rand.NewSource(33)), Schnorr, 0, n)
	isBad := func(i int) bool { return i < many || 250 <= i && i < 260 }
	for i := range n {
		if isBad(i) {
			c.Columns[2].Data[c.Columns[2].Stride*i+40] ^= 1
		}
	}
	liar := &enginetest.Fake{Do: func(_ context.Context, call *device.Call) error {
		for i := range call.Verdicts {
			call.Verdicts[i] = Valid
			if i < many || i == n-1 {
				call.Verdicts[i] = Invalid
			}
		}
		return nil
	}}
	valid, err := Do(t.Context(), c, Options{Workers: 1, Device: liar})
	if valid != n-many-10 || err != nil {
		t.Errorf("%d rows are valid, %v", valid, err)
	}
	for i, v := range c.Verdicts {
		if (v == Valid) == isBad(i) {
			t.Errorf("row %d is %v", i, v)
		}
	}
}

// TestPanic checks that a panic while rows are parsed does not change the results of later calls.
// It leaves a job or a chunk with challenges to hash.
func TestPanic(t *testing.T) {
	const many = 300 // rows that share an equation where this saves time
	good := newCall(rand.New(rand.NewSource(31)), Schnorr, 0, many)
	for round := range 20 {
		n := []int{3, many}[round%2]
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			c := *good
			c.Rows, c.Verdicts = n, make([]Verdict, n)
			c.Columns[2].Data = c.Columns[2].Data[:64*(n-1)] // a mapped file that was cut off
			_, _ = Do(context.Background(), &c, Options{Workers: 1})
		}()
		for _, rows := range []int{0, 1, 2, n - 1} {
			c := *good
			c.Rows, c.Verdicts = rows, make([]Verdict, rows)
			valid, err := Do(context.Background(), &c, Options{Workers: 1})
			if valid != rows || err != nil {
				t.Fatalf("%d of %d rows are valid, %v", valid, rows, err)
			}
			if ok, err := All(context.Background(), &c, Options{Workers: 1}); !ok || err != nil {
				t.Fatalf("%d rows: %v, %v", rows, ok, err)
			}
		}
	}
}
