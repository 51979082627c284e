package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/engine/enginetest"
)

// onCPU returns a device that carries out calls on the CPU, except that the call with the number
// fails returns an error, unless that is 0.
func onCPU(fails int) *enginetest.Fake {
	calls := 0
	return &enginetest.Fake{Do: enginetest.OnCPU(Do, All, Options{Workers: 1, Exact: true},
		func(context.Context, *device.Call) error {
			if calls++; calls == fails {
				return errors.New("the device is gone")
			}
			return nil
		})}
}

// rowsAsked returns the number of rows in the last call that a device got.
func rowsAsked(d *enginetest.Fake) int {
	calls := d.Calls()
	if len(calls) == 0 {
		return 0
	}
	return calls[len(calls)-1].Rows
}

// TestExport checks that columns made of parsed rows have the same verdicts as the rows, both
// before the CPU has lifted keys or hashed messages and afterwards. The device gets the messages if
// none was hashed, and recovery ids if all rows have them.
func TestExport(t *testing.T) {
	r := rand.New(rand.NewPCG(60, 60))
	const n = 40
	for _, kind := range []Kind{Schnorr, ECDSA} {
		rows := samples(r, kind, n)
		for _, hashed := range []bool{false, true} {
			b := &Batch{rows: *rowsOf(new(Rows), rows)}
			ids := kind == ECDSA && hashed
			switch {
			case ids:
				for i := range n {
					Row{&b.rows, i}.SetRecoveryID(byte(i % 4))
				}
			case kind == Schnorr && hashed:
				for i := range n {
					if b.rows.isUndecided(i) {
						b.rows.hash(i, i+1)
						break
					}
				}
			}
			for round := range 2 {
				d, verdicts := onCPU(0), make([]Verdict, n)
				o := Options{Workers: 2, Device: d}
				done, err := b.eachOnDevice(context.Background(), kind, verdicts, o, n)
				if !done || err != nil {
					t.Errorf("kind %d: done: %v, %v", kind, done, err)
				}
				for i, v := range verdicts {
					if v != rows[i].want() {
						t.Errorf("kind %d: row %d: verdict %d, want %d", kind, i, v, rows[i].want())
					}
				}
				last := d.Calls()[0]
				if round == 0 && (last.Rules&device.Hashed != 0) != (kind == Schnorr && hashed) {
					t.Errorf("kind %d: hashed: %v", kind, (last.Rules&device.Hashed != 0))
				}
				column := last.Columns[3].Data
				if (column != nil) != ids {
					t.Errorf("kind %d: recovery ids: %v", kind, column)
				}
				if round == 0 && ids {
					for k, i := range b.undecided()[:20] {
						if column[k] != byte(i%4) {
							t.Errorf("row %d: recovery id %d", i, column[k])
						}
					}
				}
			}
		}
	}
}

// TestExportInParts checks that the verdicts and reasons of each part reach the right rows, and
// that the CPU has to verify all rows if the device fails in one part.
func TestExportInParts(t *testing.T) {
	r := rand.New(rand.NewPCG(62, 62))
	rows := samples(r, Schnorr, 25)
	for _, fails := range []int{0, 1, 2, 3} {
		b, d := &Batch{rows: *rowsOf(new(Rows), rows)}, onCPU(fails)
		verdicts, reasons := make([]Verdict, len(rows)), make([]Reason, len(rows))
		done, err := b.eachOnDevice(context.Background(), Schnorr, verdicts,
			Options{Device: d, Reasons: reasons}, 5)
		if done != (fails == 0) || err != nil {
			t.Errorf("the device fails in call %d: done: %v, %v", fails, done, err)
		}
		for i, v := range verdicts {
			want := rows[i].want()
			if fails > 0 {
				want = Unchecked
			}
			if v != want {
				t.Errorf("the device fails in call %d: row %d: verdict %d, want %d", fails, i, v, want)
			}
			if v == Valid {
				v = Unchecked // without a reason
			}
			if reasons[i].Verdict() != v {
				t.Errorf("the device fails in call %d: row %d: reason %d", fails, i, reasons[i])
			}
		}
	}
}

// TestExportRefused checks that the CPU verifies a part that the device refuses.
func TestExportRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(64, 64))
	var good []sample
	for _, s := range samples(r, Schnorr, 40) {
		if s.want() == Valid && len(good) < 12 {
			good = append(good, s)
		}
	}
	b, d := &Batch{rows: *rowsOf(new(Rows), good)}, onCPU(0)
	d.Accept = func(_ Kind, _ device.Rules, rows int) bool { return rows%6 == 0 }
	verdicts := make([]Verdict, len(good))
	done, err := b.eachOnDevice(context.Background(), Schnorr, verdicts, Options{Device: d}, 5)
	if !done || err != nil || len(d.Calls()) != 0 {
		t.Errorf("%d calls, done: %v, %v", len(d.Calls()), done, err)
	}
	for i, v := range verdicts {
		if v != Valid {
			t.Errorf("row %d is %v", i, v)
		}
	}
	ok, err := b.allOnDevice(context.Background(), Schnorr, Options{Device: d}, 5)
	if ok || err != nil || len(d.Calls()) != 0 {
		t.Errorf("%d calls for one answer: %v, %v", len(d.Calls()), ok, err)
	}
}

// TestAllOnDevice checks that the device is asked for one verdict on all rows if none has a verdict
// from parsing. If the device says Valid, that is the answer; if it says Invalid or fails, the CPU
// verifies the rows.
func TestAllOnDevice(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 61))
	for _, kind := range []Kind{Schnorr, ECDSA} {
		var good []sample
		for _, s := range samples(r, kind, 30) {
			if s.want() == Valid {
				good = append(good, s)
			}
		}
		for _, bad := range []bool{false, true} {
			for _, exact := range []bool{false, true} {
				b, d := &Batch{rows: *rowsOf(new(Rows), good)}, onCPU(0)
				if bad {
					b.rows.a[7].Add(&b.rows.a[7], &b.rows.a[7])
				}
				o := Options{Workers: 2, Exact: exact, Device: d}
				if ok, err := b.VerifyAll(context.Background(), kind, o); ok == bad || err != nil {
					t.Errorf("kind %d, a bad row: %v: %v, %v", kind, bad, ok, err)
				}
				want := 0
				if !exact {
					want = len(good)
				}
				if rowsAsked(d) != want {
					t.Errorf("kind %d, exact: %v: the device had %d rows of %d", kind, exact, rowsAsked(d),
						len(good))
				}
			}
		}
		// Verify the rows in parts, and then with a row whose s is flagged as high although the
		// row has no verdict.
		b, d := &Batch{rows: *rowsOf(new(Rows), good)}, onCPU(0)
		ok, err := b.allOnDevice(context.Background(), kind, Options{Device: d}, 9)
		if !ok || err != nil || len(d.Calls()) != (len(good)+8)/9 {
			t.Errorf("kind %d, in %d parts: %v, %v", kind, len(d.Calls()), ok, err)
		}
		if kind == ECDSA {
			b.rows.flags[3] |= high
			if ok, err := b.VerifyAll(context.Background(), kind, Options{Device: d}); ok || err != nil {
				t.Errorf("with a high s: %v, %v", ok, err)
			}
		}
		b, d = &Batch{rows: *rowsOf(new(Rows), good)}, onCPU(0)
		next(&b.rows).SetKey(nil, nil)
		ok, err = b.VerifyAll(context.Background(), kind, Options{Device: d})
		if ok || err != nil || rowsAsked(d) != 0 {
			t.Errorf("kind %d, a malformed row: %v, %v", kind, ok, err)
		}
		b.Reset()
		ok, err = b.VerifyAll(context.Background(), kind, Options{Device: d})
		if !ok || err != nil || rowsAsked(d) != 0 {
			t.Errorf("kind %d, no rows: %v, %v", kind, ok, err)
		}
	}
}
