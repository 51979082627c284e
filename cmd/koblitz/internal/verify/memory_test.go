package verify

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// TestMemory checks that the batches in flight stay within the budget, that a batch larger than
// minMemory counts as minMemory, and that the order is kept. A batch must count twice if the bytes
// of valid rows are kept.
func TestMemory(t *testing.T) {
	sizes := []int64{1, 1 << 20, 5 << 20, 30 << 20, minMemory, 10 * minMemory}
	for i, workers := range []int{1, 4, 8, 1, 4, 8} {
		cfg, copies := Config{Workers: workers}, int64(1)
		if i >= 3 {
			cfg.Valid, copies = func([]byte) {}, 2
		}
		size := func(batch int) int64 { return sizes[batch*batch%6] }
		counted := func(batch int) int64 { return min(copies*size(batch), minMemory) }
		const n = 300
		read, reported, most := 0, 0, int64(0)
		var underWay atomic.Int64
		r := readerFunc(func() (reading.Batch, error) {
			if read > 0 { // the previous batch now counts as in flight
				most = max(most, underWay.Add(counted(read-1)))
			}
			if read == n {
				return nil, io.EOF
			}
			read++
			return &fakeBatch{first: read, n: 1, decided: reading.Invalid, size: size(read - 1)}, nil
		})
		l := &log{progress: func() {
			underWay.Add(-counted(reported))
			reported++
		}}
		totals := Run(t.Context(), cfg, only(r), l)
		if totals.Invalid != n || underWay.Load() != 0 {
			t.Errorf("%d workers: %+v, %d bytes left", workers, totals, underWay.Load())
		}
		for i, line := range l.lines {
			if want := fmt.Sprintf("%d invalid", i+2); line != want {
				t.Fatalf("%d workers: line %d is %q", workers, i, line)
			}
		}
		if most > Memory(workers) || most < minMemory {
			t.Errorf("%d workers: %d MiB under way, want at most %d", workers, most>>20,
				Memory(workers)>>20)
		}
	}
	if Memory(1) != minMemory || Memory(4) != 48<<20 || Memory(16) != 192<<20 {
		t.Error(Memory(1), Memory(4), Memory(16))
	}
}

// TestManyRows checks a batch with many more rows than a worker verifies at once (a block). It must
// be verified in parts and in order, and every row must be counted.
func TestManyRows(t *testing.T) {
	units, inBlocks := everyUnit()
	var many unitBatch
	for len(many) < (2*blockRows)+(2*blockRows)/8 {
		many = append(many, units...)
	}
	var want, got fullLog
	one := Run(t.Context(), Config{Workers: 1, Keep: keepAll, OneByOne: true}, only(oneBatch(many)),
		&want)
	w := newWorker(&Config{Workers: 1, Keep: keepAll}, new(atomic.Bool))
	j := &job{batch: many, done: make(chan struct{})}
	most := 0
	many.Expand(func(u *reading.Unit) {
		w.unit(context.Background(), j, u)
		most = max(most, len(w.entries))
	})
	w.finish(t.Context())
	if j.counts != one || most > (2*blockRows)+16 || inBlocks == 0 {
		t.Errorf("%+v, want %+v; %d entries at once", j.counts, one, most)
	}
	Run(t.Context(), Config{Workers: 1, Keep: keepAll}, only(oneBatch(many)), &got)
	if !slices.Equal(got.lines, want.lines) {
		t.Errorf("%d lines, want %d", len(got.lines), len(want.lines))
	}
}

// oneBatch returns a reader that returns all of the given reading.Units in one batch.
func oneBatch(units unitBatch) reading.Reader {
	return readerFunc(func() (reading.Batch, error) {
		if units == nil {
			return nil, io.EOF
		}
		b := units
		units = nil
		return b, nil
	})
}
