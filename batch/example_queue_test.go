package batch_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/schnorr"
)

// A queue that refuses calls if too many callers are waiting: a relay drops events that it cannot
// verify in time and tells the peer to send them again later.
func ExampleQueueOptions() {
	q := batch.NewQueue(&batch.QueueOptions{MaxWaiting: 4})
	defer q.Close()
	key, msg := koblitz.GenerateKey(), []byte("message")
	sig, err := schnorr.Sign(key, msg, nil)
	if err != nil {
		panic(err)
	}

	var wg sync.WaitGroup
	var good, dropped atomic.Int64
	for range 50 {
		wg.Go(func() {
			ok, err := q.VerifySchnorr(context.Background(), key.XOnlyPublicKey(), msg, sig)
			switch {
			case errors.Is(err, batch.ErrBusy):
				dropped.Add(1)
			case err == nil && ok:
				good.Add(1)
			}
		})
	}
	wg.Wait()
	stats, _ := q.Stats()
	fmt.Println(good.Load()+dropped.Load(), uint64(dropped.Load()) == stats.Busy)
	// Output: 50 true
}
