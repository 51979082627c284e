package engine

import (
	"context"
	"math/rand/v2"
	"testing"
)

// Nothing is done with rows of no kind, however good they are: a value that nobody
// set must not choose how signatures are judged.
func TestNoKind(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, none := range []Kind{0, Decompress + 1, 255} {
		for _, kind := range kinds {
			rows := samples(r, kind, 9)
			for name, set := range engines {
				j := NewJob(none, len(rows))
				set(j)
				j.Reset(len(rows))
				for i := range rows {
					j.Append(&rows[i].row, i)
				}
				j.Run()
				for i, v := range j.Verdicts() {
					if v != Unchecked && v != rows[i].row.Verdict() {
						t.Errorf("kind %d, %s: row %d of kind %d has verdict %d", none, name, i, kind, v)
					}
				}
				for range j.Points {
					t.Errorf("kind %d, %s: there are points", none, name)
				}
			}
			calls := &recorder{}
			if err := Run(context.Background(), none, len(rows), 2, nil, calls); err == nil || calls.used {
				t.Errorf("kind %d: Run returns %v, and loaded or stored rows: %v", none, err, calls.used)
			}
		}
	}
	var e Equation
	for _, kind := range []Kind{0, Recover, Decompress, Decompress + 1} {
		for n := range 3 {
			if ok, err := e.Holds(context.Background(), kind, make([]Row, n), 1); ok || err == nil {
				t.Errorf("an equation for %d rows of kind %d: %v, %v", n, kind, ok, err)
			}
		}
	}
}

// A recorder are rows that know whether a call used them.
type recorder struct{ used bool }

func (r *recorder) Load(*Job, int, int)       { r.used = true }
func (r *recorder) Store(*Job, int, int) bool { r.used = true; return true }

// copyOf returns a copy of a value that go vet says must not be copied.
func copyOf[T any](v *T) *T {
	c := *v
	return &c
}

// A copy of a Memory never hands out a job that the original has handed out.
func TestMemoryCopy(t *testing.T) {
	var m Memory
	a, b := m.job(ECDSA, 10), m.job(ECDSA, 10)
	m.keep(a)
	m.keep(b)
	c := copyOf(&m)
	seen := make(map[*Job]bool)
	for range 2 {
		for _, m := range []*Memory{&m, c} {
			if j := m.job(ECDSA, 10); seen[j] {
				t.Error("a job is in two hands")
			} else {
				seen[j] = true
			}
		}
	}
	if !seen[a] || !seen[b] || len(seen) != 4 {
		t.Errorf("%d jobs, and those that were kept: %v, %v", len(seen), seen[a], seen[b])
	}
}
