package check

import (
	"bytes"
	"context"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
	"github.com/koblitz-go/koblitz/ecdsa"
)

const (
	// blockRows is about how many rows a worker collects before it verifies them: enough
	// for equations that pay, few enough that rows and entries take a few megabytes.
	blockRows = 4096
	// blockJobs is the most batches of a reader that a block is made of.
	blockJobs = 8
	// maxEntries is the most entries of a block: a batch with more rows, such as a
	// transaction of thousands of inputs, is verified in parts.
	maxEntries = 2 * blockRows

	// deviceRows and deviceJobs are these numbers with a device. A call on one takes a launch, some
	// tenths of a millisecond, and the CPU verifies 64 rows of it again, most of a millisecond on
	// one core: as long as a batch of some hundred rows takes to expand, which is what Bitcoin's
	// blocks have. With thousands of rows that is a small part, and more would win nothing.
	deviceRows = 2 * blockRows
	deviceJobs = 4 * blockJobs
)

// A blockSize is how much a worker collects before it verifies it.
type blockSize struct{ rows, jobs, entries int }

// block returns the size of a worker's blocks.
func (c *Config) block() blockSize {
	if c.Device != nil && !c.OneByOne {
		return blockSize{deviceRows, deviceJobs, 2 * deviceRows}
	}
	return blockSize{blockRows, blockJobs, maxEntries}
}

// A worker takes batches, verifies what is in them, and closes them. The rows of
// one kind are collected over several batches and verified together. Rows that
// have no place there (multisig, encodings that are wrong already) go the single
// road.
type worker struct {
	cfg  *Config
	size blockSize
	many many      // nil: every row goes the single road
	lied *distrust // shared by all workers of a run
	v    verifier

	bad, good sampler // of the rows that a batch says not to be valid, and to be
	looks     int     // rows that were verified a second time

	jobs    []*job
	entries []entry
	blocks  [rows.Recover + 1]columns // by scheme
	rows    int                       // in blocks
}

func newWorker(cfg *Config, lied *distrust) *worker {
	w := &worker{cfg: cfg, size: cfg.block(), many: cfg.many, lied: lied}
	w.bad.every, w.good.every = badEvery, goodEvery
	if w.many == nil && !cfg.OneByOne {
		w.many = &batches{device: cfg.Device}
	}
	return w
}

// An entry is the verdict on one signature that is to be reported, in the order of the input.
// Signatures that are only counted have none.
type entry struct {
	job       *job
	where     rows.Where
	kind      string
	signature int // from 1, or 0 if it is the only one
	scheme    rows.Scheme
	row       int // of blocks[scheme], or -1: result is known
	result    result
	sender    []byte // of a row: as in rows.Unit
}

// work takes jobs until there are no more.
func (w *worker) work(ctx context.Context, jobs <-chan *job) {
	for j := range jobs {
		for more := true; more; {
			w.expand(ctx, j)
			j, more = w.another(jobs)
		}
		w.finish(ctx)
	}
}

// another takes one more job for the same block if there is one at once, and if
// enough are left for the other workers. It never waits: the report waits for
// the jobs that are already in the block, and the reader for the report.
func (w *worker) another(jobs <-chan *job) (j *job, ok bool) {
	if len(w.jobs) == w.size.jobs || w.rows >= w.size.rows || len(jobs) < w.cfg.Workers {
		return nil, false
	}
	select {
	case j, ok = <-jobs:
	default: // another worker took it
	}
	return j, ok
}

// expand takes a batch apart. What comes after a cancellation stays uncounted.
func (w *worker) expand(ctx context.Context, j *job) {
	w.jobs = append(w.jobs, j)
	j.batch.Expand(func(u *rows.Unit) {
		if ctx.Err() == nil {
			w.unit(ctx, j, u)
		}
	})
	j.consumed = j.batch.Consumed()
	j.batch = nil // its bytes are not needed any more
}

func (w *worker) unit(ctx context.Context, j *job, u *rows.Unit) {
	if len(w.entries) >= w.size.entries {
		w.settle(ctx)
	}
	e := entry{job: j, where: u.Where, kind: u.Kind, scheme: u.Scheme, row: -1}
	if u.Decided != rows.Unchecked {
		n := int64(max(1, len(u.Signatures)))
		j.totals.count(u.Decided, n)
		switch u.Decided {
		case rows.Unsigned:
			if u.Reason == "" {
				return // there is nothing to look at
			}
			j.totals.UnsignedData += n
			fallthrough
		case rows.Invalid, rows.Malformed, rows.NotCheckable:
			e.result = result{verdict: u.Decided, reason: u.Reason}
			w.entries = append(w.entries, e)
		}
		return
	}
	if w.many != nil && !w.lied.Load() {
		if e.row = w.collect(u); e.row >= 0 {
			w.rows++
			e.sender = bytes.Clone(u.Sender)
			w.entries = append(w.entries, e)
			return
		}
	}
	for i, r := range w.v.verify(u) {
		j.totals.count(r.verdict, 1)
		if len(u.Signatures) > 1 {
			e.signature = i + 1
		}
		if r.verdict != rows.Valid || u.Scheme == rows.Recover {
			e.result = r
			w.entries = append(w.entries, e)
		}
	}
}

// collect appends the unit to the rows of its scheme and returns the number of its row, or -1
// if the unit cannot be a row: if it has several signatures, or its encoding is wrong already.
func (w *worker) collect(u *rows.Unit) int {
	if len(u.Signatures) != 1 || u.Scheme != rows.Recover && len(u.Keys) != 1 {
		return -1
	}
	c, s := &w.blocks[u.Scheme], &u.Signatures[0]
	switch u.Scheme {
	case rows.Schnorr:
		if len(u.Keys[0]) != 32 || len(s.Sig) != 64 {
			return -1
		}
		return c.add(s.Digest[:], u.Keys[0], s.Sig)
	case rows.ECDSA:
		sig, err := parseECDSA(u, s.Sig)
		if err != nil || sig.IsZero() || u.LowS && !sig.IsLowS() {
			return -1
		}
		switch key := u.Keys[0]; len(key) {
		case 33:
			row := c.add(s.Digest[:], key, nil)
			c.sigs = sig.AppendBytes(c.sigs)
			return row
		case 65:
			// The parser compares y with the curve; after that its parity says as much.
			k, err := koblitz.NewPublicKey(key)
			if err != nil {
				return -1
			}
			short := k.Compressed()
			row := c.add(s.Digest[:], short[:], nil)
			c.sigs = sig.AppendBytes(c.sigs)
			return row
		}
	case rows.Recover:
		if len(s.Sig) != 65 {
			return -1
		}
		if sig, err := ecdsa.ParseSignature(s.Sig[:64]); err != nil || u.LowS && !sig.IsLowS() {
			return -1
		}
		return c.add(s.Digest[:], nil, s.Sig)
	}
	return -1
}

// finish verifies what was collected and closes the batches that it came from.
func (w *worker) finish(ctx context.Context) {
	w.settle(ctx)
	for _, j := range w.jobs {
		close(j.done)
	}
	clear(w.jobs)
	w.jobs = w.jobs[:0]
}

// settle verifies the rows that were collected, and adds the entries to the findings of their
// jobs.
func (w *worker) settle(ctx context.Context) {
	if w.rows > 0 {
		w.verifyBlocks(ctx)
		w.judge(ctx)
	}
	for i := range w.entries {
		e := &w.entries[i]
		if e.row >= 0 {
			if e.result.verdict == rows.Unchecked {
				continue // not reached before the cancellation
			}
			e.job.totals.count(e.result.verdict, 1)
		}
		e.report(w.cfg)
	}
	w.reset()
}

// report adds to the findings of the entry's job.
func (e *entry) report(cfg *Config) {
	j, r := e.job, &e.result
	switch r.verdict {
	case rows.Valid, rows.Recovered:
		if e.scheme == rows.Recover && cfg.Senders {
			j.findings = append(j.findings, finding{sender: &Sender{e.where, e.kind, r.sender,
				r.verdict == rows.Valid}})
		}
		return
	}
	if j.failures++; cfg.MaxFailures < 0 || j.failures <= cfg.MaxFailures {
		j.findings = append(j.findings, finding{failure: &Failure{e.where, e.kind, e.signature, r.verdict,
			r.reason}})
	}
}

// reset empties the worker for the next entries, and drops its references to the readers'
// memory.
func (w *worker) reset() {
	clear(w.entries)
	w.entries, w.rows = w.entries[:0], 0
	for i := range w.blocks {
		w.blocks[i].reset()
	}
}
