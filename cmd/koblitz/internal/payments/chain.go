// Package payments computes the public tweaks of a chain's blocks, and finds the silent payments
// (BIP-352) of a wallet with them.
package payments

import (
	"context"
	"sync"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/prevouts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

// A Chain is a chain of blocks. Several goroutines may use it. bitcoin.BestChain and node.BestChain
// are Chains.
type Chain interface {
	Name() string // for messages
	Network() consensus.Network
	Tip() int32 // height of the last block, or -1
	Hash(height int32) (chainhash.Hash, error)

	// Raw calls f with each transaction of a block, except its coinbase, without the outputs that
	// it spends. Full passes these outputs too. Both return an error if the block is invalid as a
	// whole. Raw does not check the witnesses.
	Raw(height int32, f prevouts.Visit) (wireform.Header, error)
	Full(height int32, f prevouts.Visit) (wireform.Header, error)

	// Damage returns an error if blocks may be missing.
	Damage() error
	Close() error
}

// inOrder calls work with each height from first to last, on the given number of goroutines, and
// take with the results, in order, on the caller's goroutine. It returns the first error of either
// function, or that of ctx. At most three results for each worker are in memory.
func inOrder[T any](ctx context.Context, workers int, first, last int32,
	work func(height int32) (T, error), take func(T) error) error {
	type result struct {
		value T
		err   error
	}
	ctx, cancel := context.WithCancel(ctx)
	queue, busy := make(chan chan result, 2*workers), make(chan bool, workers)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() {
		defer close(queue)
		for h := first; h <= last; h++ {
			done := make(chan result, 1)
			select {
			case queue <- done:
			case <-ctx.Done():
				return
			}
			busy <- true
			wg.Go(func() {
				v, err := work(h)
				done <- result{v, err}
				<-busy
			})
		}
	})
	for done := range queue {
		select {
		case r := <-done:
			if r.err != nil {
				return r.err
			}
			if err := take(r.value); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}
