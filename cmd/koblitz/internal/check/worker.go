package check

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
	"github.com/koblitz-go/koblitz/ecdsa"
)

const (
	// blockRows is about how many rows a worker collects before it verifies them: enough
	// for equations that pay, few enough that rows and entries take a few megabytes.
	blockRows = 4096
	// blockJobs is the most batches of a reader that a block is made of, fewJobs how many a
	// worker takes even if they are not a small part of those that wait.
	blockJobs = 32
	fewJobs   = 8
	// maxEntries is the most entries of a block: a batch with more rows, such as a
	// transaction of thousands of inputs, is verified in parts.
	maxEntries = 2 * blockRows

	// deviceRows and deviceJobs are these numbers with a device. A call on one takes a launch,
	// some tenths of a millisecond, and the CPU verifies 64 rows of it again, most of a
	// millisecond on one core: as long as a batch of some hundred rows takes to expand, which
	// is what Bitcoin's blocks have. With thousands of rows that is a small part, and more
	// would win nothing.
	deviceRows = 2 * blockRows
	deviceJobs = blockJobs
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
	wide    columns                   // rows of ECDSA with keys of 65 bytes
	rows    int                       // number of rows in blocks and wide
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
	block     *columns // the block with the row
	row       int      // number of the row in block, or -1: result is known
	result    result
	sender    []byte // of a row: as in rows.Unit
	raw       []byte // as in rows.Unit, if Config.Valid is set
	count     int    // of signatures that the reader decided together, or 0
}

// work takes jobs until there are no more.
func (w *worker) work(ctx context.Context, feed *feed) {
	for j := range feed.jobs {
		for more := true; more; {
			w.expand(ctx, j)
			j, more = w.another(feed)
		}
		w.finish(ctx)
	}
}

// another takes one more job for the same block. It waits a little for one if many of the rows are
// of BIP-340: those of an equation are the cheaper the more there are. Rows of ECDSA are not, so of
// such jobs it takes one if there is one at once, and if enough are left for the other workers.
func (w *worker) another(feed *feed) (*job, bool) {
	if len(w.jobs) == w.size.jobs || w.rows >= w.size.rows {
		return nil, false
	}
	if w.many != nil && 8*w.blocks[rows.Schnorr].n > w.rows {
		return feed.wait()
	}
	left := w.cfg.Workers
	if len(w.jobs) >= fewJobs {
		left *= len(w.jobs)
	}
	if len(feed.jobs) < left {
		return nil, false
	}
	return feed.atOnce()
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
	if u.Undefined.Any() {
		j.unknown = append(j.unknown, u.Undefined.Clone())
		if w.cfg.Strict {
			refuse(u)
		}
	}
	if u.Decided == rows.NoRow {
		return
	}
	if u.Decided != rows.Unchecked {
		n := int64(max(1, len(u.Signatures)))
		j.totals.count(u.Decided, n)
		if u.Decided == rows.Unsigned && u.Reason != "" {
			j.totals.UnsignedData += n
		}
		e := newEntry(j, u)
		e.result, e.count = result{verdict: u.Decided, reason: u.Reason}, int(n)
		if row := e.asRow(); u.Decided != rows.PassedOver && (row.Failed() || w.cfg.everyRow()) {
			w.entries = append(w.entries, e)
		}
		return
	}
	if w.many != nil && !w.lied.Load() {
		if block, row := w.collect(u); row >= 0 {
			w.rows++
			w.entries = append(w.entries, newEntry(j, u))
			e := &w.entries[len(w.entries)-1]
			e.block, e.row, e.sender, e.raw = block, row, bytes.Clone(u.Sender), w.raw(u)
			return
		}
	}
	for i, r := range w.v.verify(u) {
		j.totals.count(r.verdict, 1)
		if r.verdict != rows.Valid || u.Scheme == rows.Recover || w.cfg.everyRow() ||
			w.cfg.Valid != nil {
			e := newEntry(j, u)
			if r.verdict == rows.Valid {
				e.raw = w.raw(u)
			}
			if e.result = r; len(u.Signatures) > 1 {
				e.signature = i + 1
			}
			w.entries = append(w.entries, e)
		}
	}
}

// refuse makes a unit malformed because of fields that its format does not define.
func refuse(u *rows.Unit) {
	if u.Decided == rows.Invalid || u.Decided == rows.Malformed {
		return // as it is, it is reported
	}
	u.Decided, u.Reason = rows.Malformed, "a field that the format does not define (--strict): "+
		u.Undefined.String()
}

// raw copies the Raw of a unit if it is asked for.
func (w *worker) raw(u *rows.Unit) []byte {
	if w.cfg.Valid == nil {
		return nil
	}
	return bytes.Clone(u.Raw)
}

// newEntry is an entry for a signature of u that is no row of a block.
func newEntry(j *job, u *rows.Unit) entry {
	return entry{job: j, where: u.Where, kind: u.Kind, scheme: u.Scheme, row: -1}
}

// collect appends the unit to the rows of a block, and returns the block and the number of the row.
// That is -1 if the unit cannot be a row: if it has several signatures, or if its signature cannot
// be parsed.
func (w *worker) collect(u *rows.Unit) (c *columns, row int) {
	if len(u.Signatures) != 1 || u.Scheme != rows.Recover && len(u.Keys) != 1 {
		return nil, -1
	}
	c = &w.blocks[u.Scheme]
	s := &u.Signatures[0]
	switch u.Scheme {
	case rows.Schnorr:
		if len(u.Keys[0]) != 32 || len(s.Sig) != 64 {
			return nil, -1
		}
		return c, c.add(s.Digest[:], u.Keys[0], s.Sig)
	case rows.ECDSA:
		switch len(u.Keys[0]) {
		case 33:
		case 65:
			c = &w.wide
		default:
			return nil, -1
		}
		if u.Compact && len(s.Sig) == 64 && usual(s.Sig, u.LowS) {
			return c, c.add(s.Digest[:], u.Keys[0], s.Sig)
		}
		sig, err := parseECDSA(u, s.Sig)
		if err != nil || sig.IsZero() || u.LowS && !sig.IsLowS() {
			return nil, -1
		}
		row := c.add(s.Digest[:], u.Keys[0], nil)
		c.sigs = sig.AppendBytes(c.sigs)
		return c, row
	case rows.Recover:
		if len(s.Sig) != 65 {
			return nil, -1
		}
		if !usual(s.Sig, u.LowS) {
			if sig, err := ecdsa.ParseSignature(s.Sig[:64]); err != nil || u.LowS && !sig.IsLowS() {
				return nil, -1
			}
		}
		return c, c.add(s.Digest[:], nil, s.Sig)
	}
	return nil, -1
}

// usual reports whether the first 64 bits of r and of s say that both are between 1 and n − 1, and
// s low if it has to be: all but one of 2^62 signatures are so, and need not be parsed.
func usual(sig []byte, low bool) bool {
	r, s := binary.BigEndian.Uint64(sig), binary.BigEndian.Uint64(sig[32:])
	most := uint64(1<<64 - 2) // n begins with 64 bits that are set, and n/2 with one less
	if low {
		most = 1<<63 - 2
	}
	return r-1 < 1<<64-2 && s-1 < most
}

// finish verifies what was collected and closes the batches that it came from.
func (w *worker) finish(ctx context.Context) {
	w.settle(ctx)
	for _, j := range w.jobs {
		j.cut = ctx.Err() != nil
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
	quiet := !w.cfg.everyRow() // nothing is said of a valid signature
	for i := range w.entries {
		e := &w.entries[i]
		if e.row >= 0 {
			if e.result.verdict == rows.Unchecked {
				continue // not reached before the cancellation
			}
			e.job.totals.count(e.result.verdict, 1)
		}
		if e.result.verdict == rows.Valid {
			if w.cfg.Valid != nil {
				e.job.valid = append(e.job.valid, e.raw)
			}
			if quiet && e.scheme != rows.Recover {
				continue
			}
		}
		e.report(w.cfg)
	}
	w.reset()
}

// everyRow reports whether rows that have not failed are asked for too.
func (c *Config) everyRow() bool { return c.Row != nil && !c.OnlyFailed }

// asRow is the entry as a Row, the first of those that it stands for.
func (e *entry) asRow() Row {
	r := Row{Where: e.where, Kind: e.kind, Signature: e.signature, Verdict: e.result.verdict,
		Reason: e.result.reason}
	if e.scheme == rows.Recover && (r.Verdict == rows.Valid || r.Verdict == rows.Recovered) {
		r.Sender, r.Recovered = e.result.sender, true
	}
	return r
}

// report adds to the findings of the entry's job, and to its rows if they are asked for.
func (e *entry) report(cfg *Config) {
	j, row := e.job, e.asRow()
	failed := row.Failed()
	if cfg.Row != nil && (failed || !cfg.OnlyFailed) {
		for i := range max(1, e.count) {
			if e.count > 1 {
				row.Signature = i + 1
			}
			j.rows = append(j.rows, row)
		}
		row.Signature = e.signature
	}
	if !failed {
		if row.Recovered && cfg.Senders {
			j.findings = append(j.findings, finding{sender: &Sender{row.Where, row.Kind, row.Sender,
				row.Verdict == rows.Valid}})
		}
		return
	}
	if j.failures++; cfg.MaxFailures < 0 || j.failures <= cfg.MaxFailures {
		j.findings = append(j.findings, finding{failure: &Failure{row.Where, row.Kind, row.Signature,
			row.Verdict, row.Reason}})
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
	w.wide.reset()
}
