package verify

import (
	"bytes"
	"context"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
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

// A worker takes jobs, verifies the reading.Units in them, and marks the jobs done. It collects the
// rows of each scheme over several jobs and verifies them together. Units that columns cannot hold
// (multisig, malformed encodings) are verified at once.
type worker struct {
	cfg  *Config
	size blockSize
	lied *distrust // shared by all workers of a run
	v    verifier

	bad, good sampler // for the rows that a batch rejected and for those that it accepted
	looks     int     // number of rows verified a second time

	jobs    []*job
	entries []entry
	blocks  []*columns // one for each scheme, rule for s and length of keys
	claims  columns    // the commitments of BIP-340 rows
	rows    int        // number of rows in blocks
	bip340  int        // number of BIP-340 rows among them

	verifyColumns func(context.Context, *columns) // verifies a block with package batch
}

func newWorker(cfg *Config, lied *distrust) *worker {
	w := &worker{cfg: cfg, size: cfg.block(), lied: lied, verifyColumns: cfg.verifyColumns}
	w.bad.every, w.good.every = badEvery, goodEvery
	if w.verifyColumns == nil {
		b := &batcher{options: batch.Options{Workers: 1, Device: cfg.Device}}
		if cfg.OneByOne {
			b.options.Exact, b.options.Device = true, nil
		}
		w.verifyColumns = b.verify
	}
	return w
}

// An entry holds the verdict on one signature until it is reported in input order. Signatures that
// are only counted have no entry.
type entry struct {
	job       *job
	where     reading.Where
	kind      string
	signature int // number of the signature in its unit, from 1; 0 if it is the only one
	scheme    reading.Scheme
	block     *columns // block that holds the row
	row       int      // number of the row in block; -1 if the result is already known
	claim     int      // number of the row in claims; -1 if the row has no commitment
	result    result
	sender    []byte // set only for rows; as in reading.Unit
	raw       []byte // as in reading.Unit, if Config.Valid is set
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
	if !w.cfg.OneByOne && 8*w.bip340 > w.rows {
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
	j.batch.Expand(func(u *reading.Unit) {
		if ctx.Err() == nil {
			w.unit(ctx, j, u)
		}
	})
	j.consumed = j.batch.Consumed()
	j.batch = nil // lets its memory be freed
}

func (w *worker) unit(ctx context.Context, j *job, u *reading.Unit) {
	if len(w.entries) >= w.size.entries {
		w.verify(ctx)
	}
	if u.Decided != reading.Unchecked {
		n := int64(max(1, len(u.Signatures)))
		j.counts[u.Decided] += n
		if u.Decided == reading.Unsigned && u.Reason != "" {
			j.unsignedData += n
		}
		e := newEntry(j, u)
		e.result, e.count = result{verdict: u.Decided, reason: u.Reason}, int(n)
		if row := e.asRow(); u.Decided != reading.PassedOver && (row.Failed() || w.cfg.everyRow()) {
			w.entries = append(w.entries, e)
		}
		return
	}
	if block, row := w.collect(u); row >= 0 {
		w.rows++
		if u.Scheme == reading.Schnorr {
			w.bip340++
		}
		w.entries = append(w.entries, newEntry(j, u))
		e := &w.entries[len(w.entries)-1]
		e.block, e.row, e.sender, e.raw = block, row, bytes.Clone(u.Sender), w.raw(u)
		if c := &u.Commitment; c.Key != nil {
			e.claim = w.claims.addClaim(c)
		}
		return
	}
	for i, r := range w.v.unit(u) {
		j.counts[r.verdict]++
		if r.verdict != reading.Valid || u.Scheme == reading.Recover || w.cfg.everyRow() ||
			w.cfg.Valid != nil {
			e := newEntry(j, u)
			if r.verdict == reading.Valid {
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
func (w *worker) raw(u *reading.Unit) []byte {
	if w.cfg.Valid == nil {
		return nil
	}
	return bytes.Clone(u.Raw)
}

// newEntry returns an entry for a signature of u that is not a row of a block.
func newEntry(j *job, u *reading.Unit) entry {
	return entry{job: j, where: u.Where, kind: u.Kind, scheme: u.Scheme, row: -1, claim: -1}
}

// collect appends the unit u to a block of rows, and returns the block and the number of the row.
// The number is -1 if the unit cannot be a row, because it has several signatures or one that
// cannot be decoded.
func (w *worker) collect(u *reading.Unit) (c *columns, row int) {
	if len(u.Signatures) != 1 || u.Scheme != reading.Recover && len(u.Keys) != 1 {
		return nil, -1
	}
	s := &u.Signatures[0]
	var key []byte
	if u.Scheme != reading.Recover {
		key = u.Keys[0]
	}
	sig := s.Sig
	switch n := len(key); u.Scheme {
	case reading.Schnorr:
		if n != 32 || len(sig) != 64 {
			return nil, -1
		}
	case reading.ECDSA:
		if n != 33 && n != 65 {
			return nil, -1
		}
		if !u.Compact || len(sig) != 64 {
			parsed, err := parseECDSA(u, sig)
			if err != nil || parsed == nil {
				return nil, -1
			}
			sig = parsed.Bytes()
		}
	case reading.Recover:
		if len(sig) != 65 {
			return nil, -1
		}
	default:
		return nil, -1
	}
	c = w.block(u.Scheme, u.LowS, len(key))
	return c, c.add(s.Digest[:], key, sig)
}

// block returns the block for rows of a scheme, under the rule for s, with keys of the given size.
func (w *worker) block(scheme reading.Scheme, lowS bool, keySize int) *columns {
	for _, c := range w.blocks {
		if c.scheme == scheme && c.lowS == lowS && c.keySize == keySize {
			return c
		}
	}
	c := &columns{scheme: scheme, lowS: lowS, keySize: keySize}
	w.blocks = append(w.blocks, c)
	return c
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
		w.judge(ctx)
	}
	quiet := !w.cfg.everyRow() // valid signatures are only counted, not reported
	for i := range w.entries {
		e := &w.entries[i]
		if e.row >= 0 {
			if e.result.verdict == reading.Unchecked {
				continue // the row was not reached before a cancellation
			}
			e.job.counts[e.result.verdict]++
		}
		if e.result.verdict == reading.Valid {
			if w.cfg.Valid != nil {
				e.job.valid = append(e.job.valid, e.raw)
			}
			if quiet && e.scheme != reading.Recover {
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
	if e.scheme == reading.Recover && (r.Verdict == reading.Valid || r.Verdict == reading.Recovered) {
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
	w.entries, w.rows, w.bip340 = w.entries[:0], 0, 0
	for _, c := range w.blocks {
		c.reset()
	}
	w.claims.reset()
}
