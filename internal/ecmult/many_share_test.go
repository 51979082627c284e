package ecmult

import (
	"context"
	"sync"
	"testing"
)

// A wipeCount counts its calls of Wipe.
type wipeCount struct{ wiped int }

func (w *wipeCount) Wipe() { w.wiped++ }

// TestShareWipes checks that Share wipes each memory once: after all blocks, if the context is done
// midway, and if f panics on the caller's goroutine, as it does after a fault in mapped memory.
func TestShareWipes(t *testing.T) {
	for _, workers := range []int{1, 3} {
		for _, end := range []string{"all blocks", "context", "panic"} {
			ctx, cancel := context.WithCancel(t.Context())
			var mu sync.Mutex
			var made []*wipeCount
			rows := 0
			func() {
				defer func() { recover() }()
				Share(ctx, 8*MaxRows, workers, func(int) *wipeCount {
					mu.Lock()
					defer mu.Unlock()
					made = append(made, new(wipeCount))
					return made[len(made)-1]
				}, func(w *wipeCount, lo, hi int) {
					mu.Lock()
					defer mu.Unlock()
					rows += hi - lo
					switch {
					case end == "context":
						cancel()
					case end == "panic" && workers == 1:
						panic(end)
					}
				})
			}()
			cancel()
			for i, w := range made {
				if w.wiped != 1 {
					t.Errorf("%d workers, %s: memory %d was wiped %d times", workers, end, i, w.wiped)
				}
			}
			if stopped := end != "all blocks" && workers == 1; len(made) == 0 || len(made) > workers ||
				stopped && rows != MaxRows || end == "all blocks" && rows != 8*MaxRows {
				t.Errorf("%d workers, %s: %d memories, %d rows", workers, end, len(made), rows)
			}
		}
	}
}
