package engine

import (
	"testing"

	"github.com/koblitz-go/koblitz/internal/vartime"
)

// TestKeepBatch: the pool keeps no table alive that a batch had, neither of a row nor of a copy of
// a row, before or after the end of its slices.
func TestKeepBatch(t *testing.T) {
	const rows, left = 20, 3
	kept := new(Batch)
	for _, r := range []*Rows{&kept.rows, &kept.fit} {
		r.resize(rows)
		r.needTables()
		for i := range r.tables {
			r.tables[i] = new(vartime.SplitTable)
		}
		r.resize(left)
	}
	keepBatch(kept)
	// The pool may give another batch than this one, so it is this one that is looked at.
	for _, r := range []*Rows{&kept.rows, &kept.fit} {
		if cap(r.tables) < rows {
			t.Fatalf("room for %d tables", cap(r.tables))
		}
		for i, table := range r.tables[:cap(r.tables)] {
			if table != nil {
				t.Errorf("table %d is kept alive", i)
			}
		}
	}
}
