// Package verify verifies the signatures that readers produce as reading.Units, on several
// goroutines, and reports their verdicts in the order of the input.
//
// One goroutine reads. It sends each batch of units both to a free worker and to the end of a
// queue, from which the results are reported in order. A worker takes several batches if they are
// available, and verifies their rows with package batch. It verifies some rows a second time.
//
// Memory does not grow with the input. The queue is short. The sizes of the batches in flight add
// up to at most a budget, and the reading goroutine waits when the budget is used up.
package verify

import (
	"context"
	"io"
	"iter"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/device"
)

// Counts counts signatures by verdict. It also counts inputs and records without a signature.
type Counts struct {
	Rows          int64 `json:"rows"` // all below but PassedOver; UnsignedData is part of Unsigned
	Valid         int64 `json:"valid"`
	Invalid       int64 `json:"invalid"`
	Malformed     int64 `json:"malformed"`
	EngineChecked int64 `json:"engine_checked"`
	NotCheckable  int64 `json:"not_checkable"`
	Recovered     int64 `json:"recovered"`
	Unsigned      int64 `json:"unsigned"`      // inputs that anyone could spend
	UnsignedData  int64 `json:"unsigned_data"` // inputs in Unsigned that carry data
	PassedOver    int64 `json:"passed_over"`
}

// fields returns the fields of c: first those of verdicts, from reading.Valid on.
func (c *Counts) fields() [reading.Unsigned + 2]*int64 {
	return [...]*int64{&c.Valid, &c.Invalid, &c.Malformed, &c.EngineChecked, &c.NotCheckable,
		&c.PassedOver, &c.Recovered, &c.Unsigned, &c.UnsignedData, &c.Rows}
}

// add counts n signatures with a verdict that is not Unchecked.
func (c *Counts) add(v reading.Verdict, n int64) {
	*c.fields()[v-reading.Valid] += n
	if v != reading.PassedOver {
		c.Rows += n
	}
}

// Plus returns c + d.
func (c Counts) Plus(d Counts) Counts {
	for i, n := range c.fields() {
		*n += *d.fields()[i]
	}
	return c
}

// Minus returns c − d.
func (c Counts) Minus(d Counts) Counts {
	for i, n := range c.fields() {
		*n -= *d.fields()[i]
	}
	return c
}

// A Row is the result for one signature, or for an input without one.
type Row struct {
	Where     reading.Where
	Kind      string // as in reading.Unit
	Signature int    // number of the signature within the input, from 1; 0 if it is the only one
	Verdict   reading.Verdict
	Reason    string
	Sender    [20]byte // the recovered address, if Recovered reports true
	Recovered bool
	Count     int // number of signatures of one input for which the reader has decided the verdict
}

// Failed returns true if the row counts as a failure: a signature that is invalid or could not be
// checked, or an input that carries data although the rules let anyone spend it.
func (r *Row) Failed() bool {
	switch r.Verdict {
	case reading.Valid, reading.Recovered, reading.EngineChecked:
		return false
	case reading.Unsigned:
		return r.Reason != ""
	}
	return true
}

// A Reporter receives results. Its methods are called on Run's goroutine, in input order.
type Reporter interface {
	// Row receives each failed row, and each row that Config.Keep selects.
	Row(*Row)
	// Unreadable reports that one input could not be read to its end.
	Unreadable(error)
	// Fault reports that one signature had two different verdicts, which means that this machine or
	// this program computes wrongly.
	Fault(error)
	// Progress is called after every batch. consumed is the number of input bytes of the batch, as
	// the reader reports it.
	Progress(t *Counts, consumed int64)
}

// Config holds the settings of a run.
type Config struct {
	Workers  int  // at least 1
	OneByOne bool // verify every signature without equations, and a second time singly

	// Keep selects rows that the Reporter gets although they have not failed. It is called on several
	// goroutines. If it is nil, only the data for the counts and failures is kept.
	Keep func(*Row) bool

	// Valid is called on Run's goroutine for every valid row, in input order, with its Raw bytes
	// (see reading.Unit). If it is nil, no Raw bytes are kept.
	Valid func(raw []byte)

	// Batch, if not nil, is called on Run's goroutine with each batch, after its rows. Batches stay
	// in memory until then. After an interruption, rows of a batch may have no verdicts.
	Batch func(reading.Batch)

	// Device, if not nil, receives the batch verifications that are large enough to pay off there.
	// Signatures that are verified singly never go to it.
	Device *device.Device

	// Before holds the counts of earlier runs; this run adds to them.
	Before Counts
	// Reached, if not nil, is called on Run's goroutine, in input order, each time everything
	// before a mark (a position in the inputs) has been reported. It is not called for marks after
	// a batch that a cancellation left unverified.
	Reached func(*Counts, Mark)

	verifyBlock func(context.Context, *block) // replaces package batch in tests
}

// A Mark is a position in the inputs such that the run has reported all rows before it.
type Mark struct {
	Place  *reading.Place // position in the input; nil if reading cannot resume here
	Blocks reading.Blocks // blocks of this input that end between the mark before and this one
	End    bool           // the input has ended, possibly with an error
}

// memoryPerWorker is the number of bytes that each worker adds to the memory budget of the batches
// in flight. A batch counts with the size that it states (reading.Batch.Size), at most about 2 MB
// unless it contains a very large transaction. So every worker has enough batches while the report
// waits for the slowest one.
const memoryPerWorker = 12 << 20

// minMemory is the smallest memory budget in bytes. It has room for the largest batch and some
// smaller ones.
const minMemory = 48 << 20

// Memory returns the memory budget, in bytes, of all batches in flight together.
func Memory(workers int) int64 { return max(minMemory, int64(workers)*memoryPerWorker) }

// A job is a batch on its way from the reader to the report. It can also be an error of the reader.
type job struct {
	batch reading.Batch
	err   error
	mark  Mark // position after batch; if batch is nil: end of an input
	done  chan struct{}
	size  int64 // share of the memory budget in bytes
	cut   bool  // a cancellation left part of the batch unverified

	consumed int64
	counts   Counts
	rows     []Row    // rows that the Reporter gets
	valid    [][]byte // Raw bytes to pass to Config.Valid
	fault    error    // computation fault found while this job was verified
}

// Run checks all inputs one after the other. If an input cannot be read, Run reports it and goes on
// with the next one. When ctx is cancelled, Run reports everything that was checked, in order, and
// returns soon.
func Run(ctx context.Context, cfg Config, inputs iter.Seq2[reading.Reader, error],
	report Reporter) Counts {
	queue := make(chan *job, 2*blockJobs*cfg.Workers)
	work := make(chan *job, cap(queue))
	budget := semaphore.NewWeighted(Memory(cfg.Workers))
	copies := int64(1)
	if cfg.Valid != nil {
		copies = 2 // a batch's Raw bytes are copied until its verdicts are known
	}
	go read(ctx, inputs, copies, budget, work, queue)

	var wg sync.WaitGroup
	var batchFault atomic.Bool
	for range cfg.Workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			newWorker(&cfg, &batchFault).work(ctx, work)
		}()
	}

	total, whole := cfg.Before, true
	reached := func(j *job) {
		whole = whole && !j.cut
		if cfg.Reached != nil && whole {
			cfg.Reached(&total, j.mark)
		}
	}
	collect := func(j *job) {
		if j.err != nil {
			report.Unreadable(j.err)
			return
		}
		if j.mark.End {
			reached(j)
			return
		}
		<-j.done
		total = total.Plus(j.counts)
		for i := range j.rows {
			report.Row(&j.rows[i])
		}
		for _, raw := range j.valid {
			cfg.Valid(raw)
		}
		if j.fault != nil {
			report.Fault(j.fault)
		}
		if cfg.Batch != nil {
			cfg.Batch(j.batch)
		}
		report.Progress(&total, j.consumed)
		budget.Release(j.size)
		reached(j)
	}
	for {
		select {
		case j, more := <-queue:
			if !more {
				wg.Wait()
				return total
			}
			collect(j)
		case <-ctx.Done():
			// The reading goroutine may hang in a read forever, so Run does not wait for it.
			select {
			case j, more := <-queue:
				if more {
					collect(j)
					continue
				}
			default:
			}
			return total
		}
	}
}

// read turns inputs into jobs. It returns at the end of the inputs, or soon after ctx is cancelled.
// Each batch takes copies times its size from the memory budget: copies is 2 if the rows' bytes are
// also kept for Config.Valid, and otherwise 1.
func read(ctx context.Context, inputs iter.Seq2[reading.Reader, error], copies int64,
	budget *semaphore.Weighted, work, queue chan<- *job) {
	defer close(queue)
	defer close(work)
	send := func(j *job) bool {
		if j.batch != nil {
			// A batch larger than minMemory counts as minMemory, so it is in flight with few
			// others.
			j.size = min(copies*j.batch.Size(), minMemory)
			if budget.Acquire(ctx, j.size) != nil {
				return false
			}
		}
		select {
		case queue <- j:
		case <-ctx.Done():
			return false
		}
		if j.batch == nil {
			return true
		}
		select {
		case work <- j:
			return true
		case <-ctx.Done():
			j.cut = true
			close(j.done) // the job is in the queue, but no worker will take it
			return false
		}
	}
	for r, err := range inputs {
		ok := false
		if err != nil {
			ok = send(&job{err: err})
		} else {
			ok = readOne(ctx, r, send)
			r.Close()
		}
		if !ok || !send(&job{mark: Mark{End: true}}) {
			return
		}
	}
}

func readOne(ctx context.Context, r reading.Reader, send func(*job) bool) bool {
	for ctx.Err() == nil {
		b, err := r.Next()
		if err == io.EOF {
			return true
		}
		if err != nil {
			return send(&job{err: err})
		}
		j := &job{batch: b, done: make(chan struct{}), mark: Mark{Place: b.Place(), Blocks: b.Blocks()}}
		if !send(j) {
			return false
		}
	}
	return false
}
