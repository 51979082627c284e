package engine

import (
	"context"
	"math/rand"
	randv2 "math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/engine/enginetest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestAudited checks that audited returns all rows that are not Valid, and one in 1024 of the Valid
// rows, at least 64, without repeats and in order, and another sample each time.
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
			if valid > 1000 && slices.Equal(again, audited(verdicts)) {
				t.Errorf("%d rows, %d of them valid: the same sample twice", n, valid)
			}
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

// TestDeviceKeepsVerdicts checks that a device that writes verdicts after Run has returned does not
// change the verdicts of the call: by then their memory may belong to another call.
func TestDeviceKeepsVerdicts(t *testing.T) {
	k := new(enginetest.Fake)
	c := &device.Call{Kind: Decompress, Rows: 100, Verdicts: make([]Verdict, 100),
		Results: make([]byte, 6500)}
	c.Columns[0] = device.Column{Data: make([]byte, 33)}
	if valid, err := Do(context.Background(), c, Options{Device: k}); valid != 0 || err != nil {
		t.Fatal(valid, err)
	}
	calls := k.Calls()
	if len(calls) != 1 {
		t.Fatal("the device was not asked")
	}
	for i := range calls[0].Verdicts {
		calls[0].Verdicts[i] = Valid
	}
	if slices.Contains(c.Verdicts, Valid) {
		t.Error("a verdict was changed after the call")
	}
}

// TestExactAllWithDevice checks that with Exact, a device does not give one answer for all rows,
// because it may compute that answer with an equation.
func TestExactAllWithDevice(t *testing.T) {
	k := new(enginetest.Fake)
	c := &device.Call{Kind: Schnorr, Rows: 2}
	for i, width := range []int{32, 32, 64} {
		c.Columns[i] = device.Column{Data: make([]byte, width)}
	}
	if ok, err := All(context.Background(), c, Options{Device: k, Exact: true}); ok || err != nil {
		t.Error(ok, err)
	}
	if len(k.Calls()) != 0 {
		t.Error("the device was asked")
	}
}

// trust is what a device does that calls everything Valid.
func trust(_ context.Context, c *device.Call) error {
	for i := range c.Verdicts {
		c.Verdicts[i] = Valid
	}
	return nil
}

// TestAllWithoutIDs checks that ECDSA rows without recovery ids never go into an equation. A device
// gives each such row a verdict, which the CPU can audit.
func TestAllWithoutIDs(t *testing.T) {
	r := rand.New(rand.NewSource(32))
	const n = 40
	for _, bad := range []bool{false, true} {
		c := ecdsaColumns(r, n)
		if bad {
			c.Columns[0].Data[32*r.Intn(n)] ^= 1
		}
		c.Verdicts = nil
		a := &enginetest.Fake{Do: trust}
		if ok, err := All(context.Background(), c, Options{Device: a}); ok == bad || err != nil {
			t.Errorf("a bad row: %v: %v, %v", bad, ok, err)
		}
		if calls := a.Calls(); len(calls) != 1 || calls[0].Kind != ECDSA {
			t.Errorf("%d calls of the device", len(calls))
		}
	}
}

// ecdsaColumns returns a call with n valid ECDSA rows without recovery ids.
func ecdsaColumns(r *rand.Rand, n int) *device.Call {
	var data [3][]byte
	for _, key := range someKeys(r, n) {
		var hash, x [32]byte
		r.Read(hash[:])
		rr, ss, _, ok := reference.SignECDSA(key, hash[:], someKeys(r, 1)[0])
		if !ok {
			panic("no signature")
		}
		p := multipleOfG(key)
		p.X.PutBytes(&x)
		data[0] = append(data[0], hash[:]...)
		data[1] = append(append(data[1], 2|byte(p.Y.IsOdd())), x[:]...)
		data[2] = append(data[2], slices.Concat(rr.FillBytes(make([]byte, 32)),
			ss.FillBytes(make([]byte, 32)))...)
	}
	c := &device.Call{Kind: ECDSA, Rows: n, Verdicts: make([]Verdict, n)}
	for i, width := range []int{32, 33, 64} {
		c.Columns[i] = device.Column{Data: data[i], Stride: width}
	}
	return c
}

// schnorrColumns returns a call with n valid BIP-340 rows.
func schnorrColumns(r *rand.Rand, n int) *device.Call {
	var data [3][]byte
	for _, key := range someKeys(r, n) {
		pub, sig, msg := signSchnorr(r, key)
		data[0], data[1], data[2] = append(data[0], msg...), append(data[1], pub...),
			append(data[2], sig...)
	}
	c := &device.Call{Kind: Schnorr, Rows: n, Verdicts: make([]Verdict, n)}
	for i, width := range []int{32, 32, 64} {
		c.Columns[i] = device.Column{Data: data[i], Stride: width}
	}
	return c
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
	good := schnorrColumns(rand.New(rand.NewSource(31)), 3)
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

// TestAllAnswered checks that All returns either an answer or an error, never both, whenever the
// context ends. If all rows were verified before that, it returns the answer.
func TestAllAnswered(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, exact := range []bool{false, true} {
		c := &device.Call{Kind: Schnorr}
		if ok, err := All(ctx, c, Options{Exact: exact}); !ok || err != nil {
			t.Errorf("no rows, exact: %v: %v, %v", exact, ok, err)
		}
	}
}

// TestSwappedVerdicts checks that verdicts in a slice that a device put in place of the call's are
// ignored, both for columns and for parsed rows.
func TestSwappedVerdicts(t *testing.T) {
	s := &enginetest.Fake{Do: func(_ context.Context, c *device.Call) error {
		c.Verdicts = nil
		return nil
	}}
	c := &device.Call{Kind: Schnorr, Rows: 2}
	for i, width := range []int{32, 32, 64} {
		c.Columns[i] = device.Column{Data: make([]byte, width)}
	}
	if ok, err := All(context.Background(), c, Options{Device: s}); ok || err != nil {
		t.Error(ok, err)
	}
	var good []sample
	for _, row := range samples(randv2.New(randv2.NewPCG(63, 63)), Schnorr, 25) {
		if row.want() == Valid {
			good = append(good, row)
		}
	}
	b := &Batch{rows: *rowsOf(new(Rows), good)}
	if ok, err := b.VerifyAll(context.Background(), Schnorr, Options{Device: s}); !ok || err != nil {
		t.Error(ok, err)
	}
	if n := len(s.Calls()); n != 2 {
		t.Errorf("the device was asked %d times, want 2", n)
	}
}
