package engine

import (
	"testing"

	"github.com/koblitz-go/koblitz/internal/vartime"
)

// TestKeepBatch checks that a pooled batch keeps no table alive, neither of a row nor of a copy of
// a row, within or beyond the length of its slices.
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
	// Check the batch that kept points to. A batch from the pool may be another one.
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
