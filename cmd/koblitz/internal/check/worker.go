package check

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
	"github.com/koblitz-go/koblitz/ecdsa"
)

const (
	// blockRows is the approximate number of rows that a worker collects before it verifies them.
	// It is large enough to save time in BIP-340 batch verification, which checks many rows by one
	// equation, and so small that rows and entries take only a few megabytes.
	blockRows = 4096
	// blockJobs is the maximum number of reader batches in a block of rows. fewJobs is the number
	// of batches that a worker may take even if few others wait in the feed for the other workers.
	blockJobs = 32
	fewJobs   = 8
	// maxEntries is the maximum number of entries of a block of rows. A batch with more rows, such
	// as a transaction with thousands of inputs, is verified in parts.
	maxEntries = 2 * blockRows

	// deviceRows replaces blockRows if there is a device. Each call to a device costs a few tenths
	// of a millisecond to launch. In addition the CPU verifies 64 of the call's rows again, which
	// takes most of a millisecond on one core. That is as long as the CPU takes to parse a few
	// hundred rows, as many as a batch from a Bitcoin block has. So a call needs thousands of rows
	// to make its overhead small. Still larger calls would gain nothing.
	deviceRows = 2 * blockRows
)

// A blockSize limits what a worker collects before it verifies: rows and entries.
type blockSize struct{ rows, entries int }

// block returns the limits for the blocks of rows that a worker collects.
func (c *Config) block() blockSize {
	if c.Device != nil && !c.OneByOne {
		return blockSize{deviceRows, 2 * deviceRows}
	}
	return blockSize{blockRows, maxEntries}
}

// A worker takes jobs, verifies the rows.Units in them, and marks the jobs done. It collects the
// rows of each scheme over several jobs and verifies them together. Units that batch verification
// cannot take (multisig, malformed encodings) are verified singly.
type worker struct {
	cfg  *Config
	size blockSize
	many many      // nil if every row is verified singly
	lied *distrust // shared by all workers of a run
	v    verifier

	bad, good sampler // for the rows that a batch rejected and for those that it accepted
	looks     int     // number of rows verified a second time

	jobs    []*job
	entries []entry
	blocks  [rows.Recover + 1]columns // by scheme
	wide    columns                   // ECDSA rows with 65-byte keys
	claims  columns                   // the commitments of BIP-340 rows
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

// An entry holds the verdict on one signature until it is reported in input order. Signatures that
// are only counted have no entry.
type entry struct {
	job       *job
	where     rows.Where
	kind      string
	signature int // number of the signature in its unit, from 1; 0 if it is the only one
	scheme    rows.Scheme
	block     *columns // block that holds the row
	row       int      // number of the row in block; -1 if the result is already known
	claim     int      // number of the row in claims; -1 if the row has no commitment
	result    result
	sender    []byte // set only for rows; as in rows.Unit
	raw       []byte // as in rows.Unit, if Config.Valid is set
	count     int    // number of signatures that the entry represents, or 0 for one
}

// work processes jobs until the feed ends.
func (w *worker) work(ctx context.Context, feed *feed) {
	for j := range feed.jobs {
		for more := true; more; {
			w.expand(ctx, j)
			j, more = w.another(feed)
		}
		w.finish(ctx)
	}
}

// another returns one more job for the current block. If many of the block's rows are BIP-340,
// another waits a little for a job, because an equation costs less per row the more rows it has.
// ECDSA rows gain nothing from larger blocks. So in other blocks it returns a job only if one is
// available at once and enough are left for the other workers.
func (w *worker) another(feed *feed) (*job, bool) {
	if len(w.jobs) == blockJobs || w.rows >= w.size.rows {
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

// expand splits the batch of a job into rows and entries. Units that follow a cancellation are not
// counted.
func (w *worker) expand(ctx context.Context, j *job) {
	w.jobs = append(w.jobs, j)
	j.batch.Expand(func(u *rows.Unit) {
		if ctx.Err() == nil {
			w.unit(ctx, j, u)
		}
	})
	j.consumed = j.batch.Consumed()
	j.batch = nil // lets its memory be freed
}

func (w *worker) unit(ctx context.Context, j *job, u *rows.Unit) {
	if len(w.entries) >= w.size.entries {
		w.verify(ctx)
	}
	if u.Decided != rows.Unchecked {
		n := int64(max(1, len(u.Signatures)))
		j.counts[u.Decided] += n
		if u.Decided == rows.Unsigned && u.Reason != "" {
			j.unsignedData += n
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
			if c := &u.Commitment; c.Key != nil {
				e.claim = w.claims.addClaim(c)
			}
			return
		}
	}
	for i, r := range w.v.verify(u) {
		j.counts[r.verdict]++
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

// raw returns a copy of the unit's Raw bytes if Config.Valid needs them, or nil.
func (w *worker) raw(u *rows.Unit) []byte {
	if w.cfg.Valid == nil {
		return nil
	}
	return bytes.Clone(u.Raw)
}

// newEntry returns an entry for a signature of u that is not a row of a block.
func newEntry(j *job, u *rows.Unit) entry {
	return entry{job: j, where: u.Where, kind: u.Kind, scheme: u.Scheme, row: -1, claim: -1}
}

// collect appends the unit u to a block of rows, and returns the block and the number of the row.
// The number is -1 if the unit cannot be a row, because it has several signatures or a signature
// that cannot be parsed.
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

// usual reports whether the first 64 bits of r and s are enough to show that r and s are between 1
// and n − 1. If lowS is set, they must also show that s is at most n/2. All but one in 2^62 random
// signatures pass and need no parsing.
func usual(sig []byte, lowS bool) bool {
	r, s := binary.BigEndian.Uint64(sig), binary.BigEndian.Uint64(sig[32:])
	most := uint64(1<<64 - 2) // the top 64 bits of n are ones; those of n/2 are 0111…
	if lowS {
		most = 1<<63 - 2
	}
	return r-1 < 1<<64-2 && s-1 < most
}

// finish verifies the collected rows and marks their jobs done.
func (w *worker) finish(ctx context.Context) {
	w.verify(ctx)
	for _, j := range w.jobs {
		j.cut = ctx.Err() != nil
		close(j.done)
	}
	clear(w.jobs)
	w.jobs = w.jobs[:0]
}

// verify verifies the collected rows and passes their results to the jobs from which they came.
func (w *worker) verify(ctx context.Context) {
	if w.rows > 0 {
		w.verifyBlocks(ctx)
		w.judge(ctx)
	}
	quiet := !w.cfg.everyRow() // valid signatures are only counted, not reported
	for i := range w.entries {
		e := &w.entries[i]
		if e.row >= 0 {
			if e.result.verdict == rows.Unchecked {
				continue // the row was not reached before a cancellation
			}
			e.job.counts[e.result.verdict]++
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

// everyRow reports whether Row must be called for rows that have not failed, too.
func (c *Config) everyRow() bool { return c.Row != nil && !c.OnlyFailed }

// asRow returns the entry as a Row. If the entry represents several signatures, asRow returns the
// first of them.
func (e *entry) asRow() Row {
	r := Row{Where: e.where, Kind: e.kind, Signature: e.signature, Verdict: e.result.verdict,
		Reason: e.result.reason}
	if e.scheme == rows.Recover && (r.Verdict == rows.Valid || r.Verdict == rows.Recovered) {
		r.Sender, r.Recovered = e.result.sender, true
	}
	return r
}

// report adds the entry to the rows that its job reports and, if Config.Row is set, to the rows
// that its job passes to that function.
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
	if failed {
		j.failures++
	}
	if failed && (cfg.MaxFailures < 0 || j.failures <= cfg.MaxFailures) ||
		!failed && row.Recovered && cfg.Senders {
		j.listed = append(j.listed, row)
	}
}

// reset empties the worker and drops its references to the readers' memory.
func (w *worker) reset() {
	clear(w.entries)
	w.entries, w.rows = w.entries[:0], 0
	for i := range w.blocks {
		w.blocks[i].reset()
	}
	w.wide.reset()
	w.claims.reset()
}
