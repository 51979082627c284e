package payments

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
)

func TestFirstBlock(t *testing.T) {
	for n, want := range map[consensus.Network]int32{consensus.Mainnet: 709632,
		consensus.Testnet3: 2011968, consensus.Testnet4: 0, consensus.Signet: 0, consensus.Regtest: 0} {
		if got := firstBlock(n); got != want {
			t.Errorf("%v: block %d, want %d", n, got, want)
		}
	}
}

// TestInOrder checks that results come in order, that an error ends the work, and that few results
// are in memory.
func TestInOrder(t *testing.T) { synctest.Test(t, testInOrder) }

func testInOrder(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		for _, last := range []int32{-1, 0, 1, 100} {
			next := int32(0)
			var begun atomic.Int32
			err := inOrder(t.Context(), workers, 0, last, func(h int32) (int32, error) {
				begun.Add(1)
				if h%5 == 0 {
					time.Sleep(time.Millisecond)
				}
				return h, nil
			}, func(h int32) error {
				if h != next {
					return fmt.Errorf("%d, want %d", h, next)
				}
				if n := begun.Load() - next; n > int32(3*workers+2) {
					return fmt.Errorf("%d results are in memory", n)
				}
				next++
				return nil
			})
			if err != nil || next != last+1 {
				t.Errorf("%d workers: %d of %d, %v", workers, next, last+1, err)
			}
		}
		bad := errors.New("bad")
		for _, inWork := range []bool{false, true} {
			next := int32(0)
			err := inOrder(t.Context(), workers, 0, 1<<30, func(h int32) (int32, error) {
				if inWork && h == 20 {
					return 0, bad
				}
				return h, nil
			}, func(h int32) error {
				next = h
				if !inWork && h == 19 {
					return bad
				}
				return nil
			})
			if err != bad || next != 19 {
				t.Errorf("%d workers: %v after %d", workers, err, next)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		err := inOrder(ctx, workers, 0, 1<<30, func(h int32) (int32, error) { return h, nil },
			func(h int32) error {
				if h == 10 {
					cancel()
				}
				return nil
			})
		if err != context.Canceled {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
}
