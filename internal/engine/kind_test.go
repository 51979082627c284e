package engine

import (
	"context"
	"math/rand/v2"
	"testing"
)

// TestNoKind checks that rows of the zero kind stay Unchecked, even if they are valid: a kind that
// was never set must not choose how signatures are judged.
func TestNoKind(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, none := range []Kind{0, Decompress + 1, 255} {
		for _, kind := range kinds {
			rows := samples(r, kind, 9)
			for name, set := range engines {
				j := NewJob(none, len(rows))
				set(j)
				j.Run(rowsOf(&j.room, rows))
				for i, v := range j.Verdicts() {
					if v != Unchecked && v != rows[i].row.rows.reasons[0].Verdict() {
						t.Errorf("kind %d, %s: row %d of kind %d has verdict %d", none, name, i, kind, v)
					}
				}
				for range j.Points {
					t.Errorf("kind %d, %s: there are points", none, name)
				}
			}
			c := newCounted(len(rows))
			if err := Run(context.Background(), none, len(rows), 2, c); err == nil || c.most.Load() > 0 {
				t.Errorf("kind %d: Run returns %v, and loaded rows: %v", none, err, c.most.Load() > 0)
			}
		}
	}
	var e Equation
	for _, kind := range []Kind{0, Recover, Decompress, Decompress + 1} {
		for n := range 3 {
			rows := newRows(n)
			if ok, err := holdsBy(context.Background(), &e, kind, &rows, 1); ok || err == nil {
				t.Errorf("an equation for %d rows of kind %d: %v, %v", n, kind, ok, err)
			}
		}
	}
}
