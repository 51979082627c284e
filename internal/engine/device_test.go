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

// newCall returns a call of kind Schnorr or ECDSA with n valid rows. ECDSA rows have recovery ids.
func newCall(r *rand.Rand, kind Kind, rules device.Rules, n int) *device.Call {
	keys, list := someKeys(r, n), make([]int, n)
	for i := range list {
		list[i] = i
	}
	b, widths := new(Batch), [4]int{32, 33, 64, 1}
	if kind == Schnorr {
		widths = [4]int{32, 32, 64}
		b.rows = *schnorrRows(r, n, keys, xOnly, oddY, evenY)
		if rules&device.Hashed != 0 {
			b.rows.hash(0, n)
		}
	} else {
		b.rows = *ecdsaRows(r, n, keys)
	}
	c := b.export(schemeOf(kind), rules, widths, list, 1)
	c.Verdicts = make([]Verdict, n)
	if rules&device.Uncompressed != 0 {
		var wide []byte
		for _, key := range keys {
			wide = append(wide, uncompressed(key)[:]...)
		}
		c.Columns[1] = device.Column{Data: wide, Stride: device.KeySize}
	}
	return c
}

// decompressCall returns a call that decompresses the keys of c.
func decompressCall(c *device.Call) *device.Call {
	return &device.Call{
		Kind: Decompress, Rows: c.Rows, Columns: [4]device.Column{c.Columns[1]},
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
		"changes a result": honest(func(_ ctx, c *device.Call) error {
			if len(c.Results) > 0 {
				c.Results[len(c.Results)/2] ^= 1
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

// TestDevices checks that no device changes a verdict, a reason or a result, for calls with good
// and bad rows and for batches of the same rows, also in parts: calls are carried out with the CPU
// alone and with each device. After the calls, a device writes to its slices of verdicts again.
func TestDevices(t *testing.T) {
	r := rand.New(rand.NewSource(44))
	const n, wide = 24, device.Uncompressed
	ctx := context.Background()
	good, many := newCall(r, ECDSA, wide, n), newCall(r, Schnorr, 0, 4*n)
	many.Columns[0].Data[90*32] ^= 1 // after more valid rows than are verified again
	noIDs, badNoIDs := newCall(r, ECDSA, 0, n), spoil(newCall(r, ECDSA, wide|device.LowS, n))
	noIDs.Columns[3], badNoIDs.Columns[3] = device.Column{}, device.Column{}
	calls := []*device.Call{
		newCall(r, Schnorr, 0, n), spoil(newCall(r, Schnorr, 0, n)),
		newCall(r, Schnorr, device.Hashed, n), spoil(newCall(r, Schnorr, device.Hashed, n)),
		newCall(r, ECDSA, 0, n), spoil(newCall(r, ECDSA, device.LowS, n)), noIDs, badNoIDs,
		good, many, spoil(decompressCall(newCall(r, ECDSA, 0, n))),
	}
	for _, change := range []struct {
		at  int
		bit byte
	}{{0, 2}, {0, 1}, {33, 1}, {64, 1}, {64, 2}} { // a compressed key may hide the change
		c := *good
		c.Columns[1].Data = slices.Clone(c.Columns[1].Data)
		c.Columns[1].Data[65*7+change.at] ^= change.bit
		calls = append(calls, &c)
	}
	for i, c := range calls {
		s, n := schemeOf(c.Kind), c.Rows
		verdicts, results := make([]Verdict, n), make([]byte, len(c.Results))
		c.Verdicts, c.Results = make([]Verdict, n), make([]byte, len(c.Results))
		reasons, got := make([]Reason, n), make([]Reason, n)
		valid, err := Do(ctx, c, Options{Exact: true, Reasons: reasons})
		if err != nil {
			t.Fatal(err)
		}
		copy(verdicts, c.Verdicts)
		copy(results, c.Results)
		for name, d := range fakes() {
			o := Options{Workers: 2, Device: d, Reasons: got}
			check := func(what string, done bool, err error) {
				t.Helper()
				if done = done && err == nil; done && (!slices.Equal(c.Verdicts, verdicts) ||
					!slices.Equal(got, reasons) || !bytes.Equal(c.Results, results)) {
					t.Errorf("call %d, %s, %s: %v %v, want %v %v", i, name, what, c.Verdicts, got, verdicts,
						reasons)
				} else if !done && (slices.Max(c.Verdicts) != Unchecked || slices.Max(got) != NoReason) {
					t.Errorf("call %d, %s, %s: %v %v, but not done: %v", i, name, what, c.Verdicts, got, err)
				}
			}
			all := func(what string, ok bool, err error) {
				t.Helper()
				if ok != (valid == n) || err != nil {
					t.Errorf("call %d, %s, %s: %v, %v", i, name, what, ok, err)
				}
			}
			before := *c
			clear(c.Results)
			count, err := Do(ctx, c, o)
			check("Do", true, err)
			if count != valid || c.Rules != before.Rules ||
				c.Columns[1].Stride != before.Columns[1].Stride {
				t.Errorf("call %d, %s: %d rows valid, want %d", i, name, count, valid)
			}
			if s.equation == nil {
				continue
			}
			ok, err := All(ctx, c, o)
			all("All", ok, err)
			var b Batch
			parse := func() { b.parseBy(newColumns(c, Options{}), 0, n, 2) }
			parse()
			check("Verify", true, b.Verify(ctx, c.Kind, c.Verdicts, o))
			for range 2 { // at first with y coordinates and challenges that the CPU has found
				ok, err = b.VerifyAll(ctx, c.Kind, o)
				all("VerifyAll", ok, err)
				clear(c.Verdicts)
				clear(got)
				done, err := b.eachOnDevice(ctx, c.Kind, c.Verdicts, o, 5)
				check("eachOnDevice", done, err)
				ok, err = b.allOnDevice(ctx, c.Kind, o, 5)
				if err != nil || ok && valid < n {
					t.Errorf("call %d, %s, allOnDevice: %v, %v", i, name, ok, err)
				}
				parse()
			}
			copy(c.Verdicts, verdicts)
			for _, call := range d.Calls() {
				for i := range call.Verdicts {
					call.Verdicts[i] = 77
				}
			}
			if !slices.Equal(c.Verdicts, verdicts) {
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
	ctx := context.Background()
	schnorr, ids := newCall(r, Schnorr, 0, n), newCall(r, ECDSA, 0, n)
	wide, noIDs := newCall(r, ECDSA, device.Uncompressed, n), *ids
	hashed := *newCall(rand.New(rand.NewSource(45)), Schnorr, device.Hashed, n) // the rows of schnorr
	noIDs.Columns[3] = device.Column{}
	all := func(c *device.Call, o Options) (bool, error) { return All(ctx, c, o) }
	do := func(c *device.Call, o Options) (bool, error) {
		count, err := Do(ctx, c, o)
		return count == n, err
	}
	// batch returns a function that parses the rows of a call, changes them, and calls VerifyAll,
	// or Verify if each is set, or either in parts of at most limit rows.
	type function = func(*device.Call, Options) (bool, error)
	batch := func(each bool, limit int, change func(b *Batch)) function {
		return func(c *device.Call, o Options) (bool, error) {
			var b Batch
			b.parseBy(newColumns(c, Options{}), 0, n, 1)
			if change != nil {
				change(&b)
			}
			switch {
			case each && limit > 0:
				return b.eachOnDevice(ctx, c.Kind, c.Verdicts, o, limit)
			case each:
				return true, b.Verify(ctx, c.Kind, c.Verdicts, o)
			case limit > 0:
				return b.allOnDevice(ctx, c.Kind, o, limit)
			}
			return b.VerifyAll(ctx, c.Kind, o)
		}
	}
	hash := func(b *Batch) { b.rows.hash(7, 8) }
	empty := func(b *Batch) { b.Reset() }
	addMalformed := func(b *Batch) { next(&b.rows).SetKey(nil, nil) }
	for i, test := range []struct {
		call *device.Call
		run  function
		o    Options
		ok   bool
		want []asked

		accepts func(Kind, device.Rules, int) bool
	}{
		{schnorr, all, Options{}, true, []asked{{device.AllSchnorr, 0, n}}, nil},
		{schnorr, all, Options{Exact: true}, true, nil, nil},
		{ids, all, Options{}, true, []asked{{device.AllECDSA, 0, n}}, nil},
		{&noIDs, all, Options{}, true, []asked{{ECDSA, 0, n}}, nil},
		{wide, all, Options{}, true, []asked{{device.AllECDSA, 0, n}}, compressedOnly},
		{wide, do, Options{}, true, []asked{{ECDSA, 0, n}}, compressedOnly},
		{wide, do, Options{}, true, []asked{{ECDSA, device.Uncompressed, n}}, nil},
		{schnorr, batch(false, 0, nil), Options{}, true, []asked{{device.AllSchnorr, 0, n}}, nil},
		{schnorr, batch(false, 0, nil), Options{Exact: true}, true, nil, nil},
		{ids, batch(false, 0, nil), Options{}, true, []asked{{device.AllECDSA, 0, n}}, nil},
		{&noIDs, batch(false, 0, nil), Options{}, true, []asked{{ECDSA, 0, n}}, nil},
		{schnorr, batch(false, 0, empty), Options{}, true, nil, nil},
		{schnorr, batch(false, 0, addMalformed), Options{}, false, nil, nil},
		{ids, batch(false, 0, func(b *Batch) { b.rows.flags[3] |= high }), Options{}, false, nil, nil},
		{schnorr, batch(true, 0, empty), Options{}, true, nil, nil},
		{schnorr, batch(true, 0, nil), Options{}, true, []asked{{Schnorr, 0, n}}, nil},
		{schnorr, batch(true, 0, hash), Options{}, true, []asked{{Schnorr, device.Hashed, n}}, nil},
		{ids, batch(true, 0, nil), Options{}, true, []asked{{ECDSA, 0, n}}, nil},
		{ids, batch(true, 9, nil), Options{}, true,
			[]asked{{ECDSA, 0, 9}, {ECDSA, 0, 9}, {ECDSA, 0, 2}}, nil},
		{ids, batch(false, 11, nil), Options{}, true,
			[]asked{{device.AllECDSA, 0, 11}, {device.AllECDSA, 0, 9}}, nil},
		{ids, batch(true, 9, nil), Options{}, true, []asked{{ECDSA, 0, 9}, {ECDSA, 0, 9}},
			func(_ Kind, _ device.Rules, rows int) bool { return rows != 2 }},
		{&hashed, do, Options{}, true, []asked{{Schnorr, device.Hashed, n}}, nil},
	} {
		d := honest(nil)
		d.Accept = test.accepts
		test.o.Device = d
		ok, err := test.run(test.call, test.o)
		var got []asked
		for _, c := range d.Calls() {
			got = append(got, asked{c.Kind, c.Rules, c.Rows})
		}
		if ok != test.ok || err != nil || !slices.Equal(got, test.want) {
			t.Errorf("test %d: %v, %v, calls %v, want %v", i, ok, err, got, test.want)
		}
	}
	// The columns that a device gets for parsed rows are those that they were parsed from. The CPU
	// hashes the messages if it has hashed one before.
	for _, test := range []struct {
		call, want *device.Call
		change     func(b *Batch)
	}{{schnorr, schnorr, nil}, {schnorr, &hashed, hash}, {ids, ids, nil}, {&noIDs, &noIDs, nil}} {
		for _, each := range []bool{false, true} {
			d := honest(nil)
			_, _ = batch(each, 0, test.change)(test.call, Options{Device: d})
			for k, col := range d.Calls()[0].Columns {
				if !bytes.Equal(col.Data, test.want.Columns[k].Data) {
					t.Errorf("%v: column %d is %x, want %x", test.call.Kind, k, col.Data,
						test.want.Columns[k].Data)
				}
			}
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

// TestLostEquation checks that after an equation that does not hold, every row still gets its own
// verdict, including later rows, for which no equation is tried.
func TestLostEquation(t *testing.T) {
	r := rand.New(rand.NewSource(42))
	const n = 700
	c := newCall(r, Schnorr, 0, n)
	want := make([]Verdict, n)
	for i := range want {
		if want[i] = Valid; r.Intn(3) == 0 {
			want[i] = Invalid
			c.Columns[0].Data[32*i] ^= 1
		}
	}
	onLevels(t, func(t *testing.T) {
		for _, workers := range []int{1, 2} {
			_, err := Do(context.Background(), c, Options{Workers: workers})
			if err != nil || !slices.Equal(c.Verdicts, want) {
				t.Fatalf("%d workers: %v, %v, want %v", workers, err, c.Verdicts, want)
			}
		}
	})
}

// A cutOff is a source that panics in the middle of a block, as if its memory had been unmapped.
type cutOff struct{ *columns }

func (s *cutOff) block(j *Job, lo, hi int) *Rows {
	s.columns.block(j, lo, hi)
	panic("a mapped file was cut off")
}

// TestPanicInBlock checks that a panic in the middle of a block, which leaves a job with challenges
// to hash, does not change the results of later calls.
func TestPanicInBlock(t *testing.T) {
	good := newCall(rand.New(rand.NewSource(31)), Schnorr, 0, 3)
	for range 20 {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			_ = Run(context.Background(), Schnorr, 3, 1, &cutOff{newColumns(good, Options{})})
		}()
		for i := range 3 {
			c := *good
			c.Rows, c.Verdicts = i, make([]Verdict, i)
			if valid, err := Do(context.Background(), &c, Options{Workers: 1}); valid != i || err != nil {
				t.Fatalf("%d of %d rows are valid, %v", valid, i, err)
			}
		}
	}
}
