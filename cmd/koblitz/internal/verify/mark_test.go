package verify

import (
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// TestMarks checks that each mark (position that the run reports as reached) comes with the totals
// of exactly the rows before it, even if the run is cancelled. The end of an unreadable input must
// have a mark too.
func TestMarks(t *testing.T) {
	const each, batches = 3, 60
	cancelled := 0
	step := 18
	if os.Getenv("KOBLITZ_DEEP") != "" {
		step = 3
	}
	for stop := 0; stop < 2*batches; stop += step { // number of the read that cancels the run, or 0
		ctx, cancel := context.WithCancel(t.Context())
		first := &fakeReader{batches: manyBatches(batches, each, reading.Invalid), err: io.EOF}
		second := &fakeReader{batches: manyBatches(batches, each, reading.Invalid),
			err: errors.New("it breaks off")}
		inputs := iter.Seq2[reading.Reader, error](func(yield func(reading.Reader, error) bool) {
			_ = yield(first, nil) && yield(nil, errors.New("it is not there")) &&
				yield(second, nil)
		})
		reads := 0
		first.before = func(int) {
			if reads++; reads == stop {
				cancel()
			}
		}
		second.before = first.before
		before := Counts{Rows: 5, Valid: 5}
		marks, ends := 0, 0
		var l log
		Run(ctx, Config{Workers: 3, Before: before,
			Reached: func(got *Counts, m Mark) {
				want := before
				if ends > 0 {
					want.Invalid = each * batches
				}
				if !m.End {
					marks++
					want.Invalid += m.Place.Offset
				} else if ends++; ends != 2 {
					want.Invalid += each * batches
				}
				want.Rows += want.Invalid
				if *got != want || int64(len(l.lines)) < want.Invalid {
					t.Fatalf("%+v, %d lines at %+v, want %+v", *got, len(l.lines), m, want)
				}
			}}, inputs, &l)
		switch {
		case stop == 0 && (marks != 2*batches || ends != 3):
			t.Errorf("%d marks and %d ends", marks, ends)
		case ends < 3:
			cancelled++
		}
		cancel()
	}
	if cancelled == 0 {
		t.Error("no run was cancelled before its end")
	}
}
