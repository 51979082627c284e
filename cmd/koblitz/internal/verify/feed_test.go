package verify

import (
	"io"
	"slices"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// TestFeed checks that a waiting worker gets the next job. It must stop waiting early if the
// reading goroutine is blocked or no more jobs will come. In all other cases the wait ends by its
// timeout.
func TestFeed(t *testing.T) {
	f := newFeed(1, 1)
	f.patience = time.Hour
	j := new(job)
	go func() { f.jobs <- j }()
	if got, ok := f.wait(); got != j || !ok {
		t.Error(got, ok)
	}
	f.hold()
	f.hold()
	if got, ok := f.wait(); got != nil || ok {
		t.Error(got, ok)
	}
	go f.hold()
	if got, ok := f.wait(); got != nil || ok {
		t.Error(got, ok)
	}
	f.hold()
	f.jobs <- j
	if got, ok := f.wait(); got != j || !ok {
		t.Error("a job that was there was left", got, ok)
	}
	<-f.held
	f.patience = 1
	if got, ok := f.wait(); got != nil || ok {
		t.Error(got, ok)
	}
	close(f.jobs)
	f.patience = time.Hour
	if got, ok := f.wait(); got != nil || ok {
		t.Error(got, ok)
	}
}

// A largeBatch is a batch whose method Size returns a large number.
type largeBatch struct{ unitBatch }

func (largeBatch) Size() int64 { return 20 << 20 }

// TestHeld checks workers that wait without a timeout for more BIP-340 rows. They must stop waiting
// when the memory budget is used up and when the queue is full.
func TestHeld(t *testing.T) {
	every, _ := everyUnit(t)
	at := slices.IndexFunc(every, func(u reading.Unit) bool { return u.Scheme == reading.Schnorr })
	one := unitBatch(every[at : at+1])
	for _, b := range []reading.Batch{one, largeBatch{one}} {
		for _, workers := range []int{1, 3} {
			const n = 500
			given := 0
			r := readerFunc(func() (reading.Batch, error) {
				if given == n {
					return nil, io.EOF
				}
				given++
				return b, nil
			})
			totals := Run(t.Context(), Config{Workers: workers, patience: time.Hour}, only(r), &fullLog{})
			if totals.Valid != n {
				t.Errorf("%d workers: %+v", workers, totals)
			}
		}
	}
}
