package batch_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/batch"
)

// A countdown is a context that is done after a given number of calls of Err.
type countdown struct {
	context.Context
	left atomic.Int64
}

var errDone = errors.New("done")

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return errDone
	}
	return nil
}

// TestCancel checks that after a cancellation each row has its correct verdict or Unchecked, and
// that only rows with a verdict have a result.
func TestCancel(t *testing.T) {
	const n = 1000
	r := rand.New(rand.NewPCG(18, 18))
	rows := pick(r, recoverRows(), n)
	hashes, sigs := make([][]byte, n), make([][]byte, n)
	for i, row := range rows {
		hashes[i], sigs[i] = row.hash, row.sig
	}
	cols := batch.RecoverRows{Hashes: spread(r, 0, hashes), Signatures: spread(r, 0, sigs),
		S: batch.AnyS}
	for k, blocks := range []int64{0, 1, 2, 5, 1 << 40} {
		for _, workers := range []int{1, 2, 4} {
			how := recoveries()[(k+workers)%2]
			ctx := &countdown{Context: context.Background()}
			ctx.left.Store(blocks)
			got, dst := dirty(n), bytes.Repeat([]byte{0x77}, how.size*n)
			valid, err := how.call(cols, ctx, dst, got, &batch.Options{Workers: workers})
			checked, count := 0, 0
			for i, row := range rows {
				found := dst[how.size*i:][:how.size]
				if got[i] == batch.Unchecked {
					if !bytes.Equal(found, bytes.Repeat([]byte{0x77}, how.size)) {
						t.Fatalf("row %d was written and not checked", i)
					}
					continue
				}
				checked++
				if got[i] != row.want || !bytes.Equal(found, how.found(row)) {
					t.Errorf("row %d: %v, want %v", i, got[i], row.want)
				}
				if got[i] == batch.Valid {
					count++
				}
			}
			if valid != count || (err == nil) != (checked == n) || err != nil && err != errDone {
				t.Errorf("%d of %d rows checked, %d of %d valid, %v", checked, n, valid, count, err)
			}
			if blocks == 0 && checked != 0 {
				t.Errorf("%d rows checked under a context that is done", checked)
			}
			if blocks == 1<<40 && checked != n {
				t.Errorf("%d rows checked, want all", checked)
			}
		}
	}
}

// TestCancelConcurrently checks that a call whose context ends while the call runs leaves every row
// either Unchecked or with the right verdict.
func TestCancelConcurrently(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 19))
	rows := pick(r, schnorrRows(), 5000)
	cols := batch.SchnorrRows{Messages: column(r, rows, msg),
		Keys:       batch.EncodedKeys(column(r, rows, key)),
		Signatures: column(r, rows, sig)}
	for _, after := range []time.Duration{0, time.Millisecond, 5 * time.Millisecond, time.Minute} {
		//layers:allow any number of rows may be checked
		ctx, cancel := context.WithTimeout(context.Background(), after)
		got := dirty(len(rows))
		valid, err := cols.Verify(ctx, got, nil)
		cancel()
		unchecked, count := 0, 0
		for i, v := range got {
			switch v {
			case batch.Unchecked:
				unchecked++
				continue
			case batch.Valid:
				count++
			}
			if v != rows[i].want {
				t.Errorf("row %d: %v, want %v", i, v, rows[i].want)
			}
		}
		if valid != count || (unchecked == 0) != (err == nil) || err != nil &&
			!errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %v: %d unchecked, %d of %d valid, %v", after, unchecked, valid, count, err)
		}
	}
}

// TestEndlessRows checks that a call on math.MaxInt rows, whose columns have one value for all
// rows, uses little memory with any number of workers, and returns when the context ends.
func TestEndlessRows(t *testing.T) {
	good := func(rows []row) row {
		return rows[slices.IndexFunc(rows, func(r row) bool {
			return r.want == batch.Valid && r.low == batch.Valid
		})]
	}
	e, s := good(ecdsaRows()), good(schnorrRows())
	ecdsaRows := batch.ECDSARows{Hashes: batch.Same(e.msg), Keys: batch.EncodedKeys(batch.Same(e.key)),
		Signatures: batch.Same(e.sig), S: batch.AnyS}
	schnorrRows := batch.SchnorrRows{Messages: batch.Same(s.msg),
		Keys: batch.EncodedKeys(batch.Same(s.key)), Signatures: batch.Same(s.sig)}
	// The key and tweak 0 give the key.
	tweakChecks := batch.TweakCheckRows{Keys: batch.Same(s.key), Tweaks: batch.Same(make([]byte, 32)),
		Outputs: batch.Same(s.key), Parities: batch.Same(make([]byte, 1))}
	for _, workers := range []int{0, 1, math.MaxInt} {
		for _, exact := range []bool{false, true} {
			o := &batch.Options{Workers: workers, Exact: exact}
			calls := []func(context.Context, int, *batch.Options) (bool, error){
				ecdsaRows.VerifyAll, schnorrRows.VerifyAll}
			if !exact {
				calls = append(calls, tweakChecks.VerifyAll)
			}
			for _, verifyAll := range calls {
				//layers:allow the call does not end before
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
				ok, err := verifyAll(ctx, math.MaxInt, o)
				cancel()
				if ok || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%d workers, exact %v: %v, %v", workers, exact, ok, err)
				}
			}
		}
	}
}
