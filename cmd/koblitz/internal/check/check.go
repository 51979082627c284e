// Package check verifies the units that readers produce, on several goroutines, and reports
// their verdicts in the order of the input.
//
// One goroutine reads. Each batch of units goes to a free worker and, at the same time, to the
// end of a queue from which the results are reported. A worker takes several batches if they
// are there, and gives their rows to package batch. Some rows it verifies a second time.
//
// Memory does not grow with the input: the queue is short, and the sizes of the batches under
// way add up to at most a budget, for which the reading goroutine waits.
package check

import (
	"context"
	"io"
	"iter"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
	"github.com/koblitz-go/koblitz/device"
)

// Totals counts signatures by verdict, and inputs and records that hold no signature.
type Totals struct {
	Valid, Invalid, Malformed, EngineChecked, NotCheckable int64
	Recovered                                              int64
	PassedOver                                             int64
	Unsigned                                               int64 // inputs that anybody could spend
	UnsignedData                                           int64 // those of them that carry data

	// Undefined are the fields that their formats do not define, or nil. What it points to does not
	// change: copies of Totals stay as they are.
	Undefined *rows.Fields
}

// maxUndefined is the most names in Totals.Undefined.
const maxUndefined = 100

// Rows is the number of signatures looked at, and of inputs without one.
func (t *Totals) Rows() int64 {
	return t.Valid + t.Invalid + t.Malformed + t.EngineChecked + t.NotCheckable + t.Recovered +
		t.Unsigned
}

func (t *Totals) count(v rows.Verdict, n int64) {
	switch v {
	case rows.Valid:
		t.Valid += n
	case rows.Invalid:
		t.Invalid += n
	case rows.Malformed:
		t.Malformed += n
	case rows.EngineChecked:
		t.EngineChecked += n
	case rows.NotCheckable:
		t.NotCheckable += n
	case rows.Recovered:
		t.Recovered += n
	case rows.PassedOver:
		t.PassedOver += n
	case rows.Unsigned:
		t.Unsigned += n
	}
}

func (t *Totals) add(u *Totals) {
	t.Valid += u.Valid
	t.Invalid += u.Invalid
	t.Malformed += u.Malformed
	t.EngineChecked += u.EngineChecked
	t.NotCheckable += u.NotCheckable
	t.Recovered += u.Recovered
	t.PassedOver += u.PassedOver
	t.Unsigned += u.Unsigned
	t.UnsignedData += u.UnsignedData
}

// undefined adds the fields of units.
func (t *Totals) undefined(units []rows.Fields) {
	if len(units) == 0 {
		return
	}
	var all rows.Fields
	if t.Undefined != nil {
		all = t.Undefined.Clone()
	}
	for i := range units {
		all.Merge(&units[i], maxUndefined)
	}
	t.Undefined = &all
}

// A Failure is a signature that is not valid, or that nothing here can judge, or an input that
// carries data although the rules let anybody spend it.
type Failure struct {
	Where     rows.Where
	Kind      string // as in rows.Unit
	Signature int    // which of several in a multisig, from 1; 0 if there is one
	Verdict   rows.Verdict
	Reason    string
}

// A Sender is who signed an Ethereum transaction.
type Sender struct {
	Where   rows.Where
	Kind    string   // as in rows.Unit
	Address [20]byte // recovered from the signature
	Known   bool     // the file names the same address
}

// A Row is what became of one signature, or of an input without one.
type Row struct {
	Where     rows.Where
	Kind      string // as in rows.Unit
	Signature int    // which of several, from 1; 0 if there is one
	Verdict   rows.Verdict
	Reason    string
	Sender    [20]byte // the address that was recovered, if one was: see Recovered
	Recovered bool
}

// Failed reports whether it is what a report lists as a failure.
func (r *Row) Failed() bool {
	switch r.Verdict {
	case rows.Valid, rows.Recovered, rows.EngineChecked:
		return false
	case rows.Unsigned:
		return r.Reason != ""
	}
	return true
}

// A Reporter is called on the goroutine of Run, in the order of the input.
type Reporter interface {
	Failure(*Failure)
	Sender(*Sender)
	// Unreadable says that one input could not be read to its end.
	Unreadable(error)
	// Fault says that one signature had two verdicts: this machine or this program
	// computes wrongly.
	Fault(error)
	// Progress follows every batch. consumed is what the batch said.
	Progress(t *Totals, consumed int64)
}

// Config says how to run.
type Config struct {
	Workers     int   // at least 1
	MaxFailures int64 // how many of a run are reported; negative: all. Counting never stops.
	Senders     bool  // report senders
	OneByOne    bool  // verify every signature alone, with the same results
	Strict      bool  // a unit with fields that its format does not define is malformed

	// Row is called for every row that is counted, in the order of the input, on the goroutine
	// of Run; with OnlyFailed for those that have failed. MaxFailures does not bound them. Where
	// it is nil nothing is kept of rows but what Totals and failures need.
	Row        func(*Row)
	OnlyFailed bool

	// Valid is called for every row that is valid, in the order of the input, on the goroutine of
	// Run, with the row's Raw (rows.Unit). Where it is nil no Raw is kept.
	Valid func(raw []byte)

	// Device is given the calls of package batch that pay there; nil is none. It has no part
	// in what is verified alone.
	Device *device.Device

	// Before is what earlier runs have counted, to which this one adds, and Blocks are the blocks
	// that they have read of the input in which this one begins.
	Before Totals
	Blocks rows.Blocks
	// Reached, if it is set, is called on the goroutine of Run, in the order of the input, where
	// everything up to a mark has been reported, and never beyond a batch that a cancellation kept
	// from being verified.
	Reached func(*Totals, Mark)

	many     many          // instead of package batch; for tests
	patience time.Duration // instead of the package's, if it is not 0
}

// A Mark is how far a run has come.
type Mark struct {
	Input  int         // number of the input, from 0
	Place  *rows.Place // in the input; nil: reading cannot begin again here
	Blocks rows.Blocks // of the input, up to the mark
	End    bool        // the input has ended, well or with an error
}

// memoryPerWorker is how many bytes the batches under way may take for each
// worker, by their own word (rows.Batch.Size). A batch takes about 2 MB at most
// unless it has a very large transaction in it: there are enough of them for
// every worker, and for the report to wait for the slowest.
const memoryPerWorker = 12 << 20

// minMemory has room for the largest batch beside others.
const minMemory = 48 << 20

// Memory is a bound on the bytes that the batches under way take together.
func Memory(workers int) int64 { return max(minMemory, int64(workers)*memoryPerWorker) }

// A job is a batch between the reader and the report, or an error that the reader met.
type job struct {
	batch rows.Batch
	err   error
	mark  Mark // behind the batch, with its own blocks; of an End that stands for itself
	done  chan struct{}
	size  int64 // of the budget
	cut   bool  // not all of it was verified, because of a cancellation

	consumed int64
	totals   Totals
	unknown  []rows.Fields // the Undefined of its units that have any
	findings []finding
	rows     []Row    // for Config.Row
	valid    [][]byte // for Config.Valid
	failures int64    // so far, listed or not
	fault    error    // of the computation, found while this job was verified
}

// A finding is one line of the report: exactly one of the two is set.
type finding struct {
	failure *Failure
	sender  *Sender
}

// Run checks all inputs one after the other. An input that cannot be read is
// reported, and the next one follows. When ctx is cancelled Run returns soon,
// having reported everything that was checked, in order.
func Run(ctx context.Context, cfg Config, inputs iter.Seq2[rows.Reader, error],
	report Reporter) Totals {
	queue := make(chan *job, 2*cfg.block().jobs*cfg.Workers)
	work := newFeed(cap(queue), cfg.Workers)
	if cfg.patience > 0 {
		work.patience = cfg.patience
	}
	budget := semaphore.NewWeighted(Memory(cfg.Workers))
	copies := int64(1)
	if cfg.Valid != nil {
		copies = 2 // what a batch holds is copied while its rows are waiting for their verdicts
	}
	go read(ctx, inputs, copies, budget, work, queue)

	var wg sync.WaitGroup
	var lied distrust
	for range cfg.Workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			newWorker(&cfg, &lied).work(ctx, work)
		}()
	}

	total, blocks, whole := cfg.Before, cfg.Blocks, true
	reached := func(j *job) {
		whole = whole && !j.cut
		if cfg.Reached == nil || !whole {
			return
		}
		mark := j.mark
		blocks.Merge(mark.Blocks)
		mark.Blocks = blocks
		cfg.Reached(&total, mark)
		if mark.End {
			blocks = rows.Blocks{}
		}
	}
	left := cfg.MaxFailures
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
		total.add(&j.totals)
		total.undefined(j.unknown)
		for _, f := range j.findings {
			switch {
			case f.sender != nil:
				report.Sender(f.sender)
			case left != 0:
				left--
				report.Failure(f.failure)
			}
		}
		for i := range j.rows {
			cfg.Row(&j.rows[i])
		}
		for _, raw := range j.valid {
			cfg.Valid(raw)
		}
		if j.fault != nil {
			report.Fault(j.fault)
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
			continue
		default:
		}
		// The queue is empty. After a cancellation the reading goroutine may hang in a read
		// for ever, so Run does not wait for it.
		select {
		case j, more := <-queue:
			if !more {
				wg.Wait()
				return total
			}
			collect(j)
		case <-ctx.Done():
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

// read turns inputs into jobs. It ends at the end of the inputs or soon after
// ctx is cancelled. A batch takes copies times its size of the budget.
func read(ctx context.Context, inputs iter.Seq2[rows.Reader, error], copies int64,
	budget *semaphore.Weighted, work *feed, queue chan<- *job) {
	defer close(queue)
	defer close(work.jobs)
	send := func(j *job) bool {
		if j.batch != nil {
			// A batch that is larger than the budget goes alone.
			j.size = min(copies*j.batch.Size(), minMemory)
			if !budget.TryAcquire(j.size) {
				work.hold()
				if budget.Acquire(ctx, j.size) != nil {
					return false
				}
			}
		}
		if len(queue) == cap(queue) {
			work.hold()
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
		case work.jobs <- j:
			return true
		case <-ctx.Done():
			j.cut = true
			close(j.done) // queued, and no worker will take it
			return false
		}
	}
	input := 0
	for r, err := range inputs {
		ok := false
		if err != nil {
			ok = send(&job{err: err})
		} else {
			ok = readOne(ctx, r, input, send)
			r.Close()
		}
		if !ok || !send(&job{mark: Mark{Input: input, End: true}}) {
			return
		}
		input++
	}
}

func readOne(ctx context.Context, r rows.Reader, input int, send func(*job) bool) bool {
	for ctx.Err() == nil {
		b, err := r.Next()
		if err == io.EOF {
			return true
		}
		if err != nil {
			return send(&job{err: err})
		}
		j := &job{batch: b, done: make(chan struct{}), mark: Mark{Input: input, Place: rows.PlaceOf(b),
			Blocks: rows.BlocksOf(b)}}
		if !send(j) {
			return false
		}
	}
	return false
}
