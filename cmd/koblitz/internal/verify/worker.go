package verify

import (
	"bytes"
	"context"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

const (
	// blockRows is the approximate number of rows that a worker collects before it verifies them.
	// It is large enough to save time in BIP-340 batch verification, which checks many rows by one
	// equation, and so small that rows and entries take only a few megabytes.
	blockRows = 4096
	// blockJobs is the maximum number of reader batches whose rows a worker verifies together.
	// fewJobs is the number of batches that a worker may take even if few others wait for the other
	// workers.
	blockJobs = 32
	fewJobs   = 8

	// deviceRows replaces blockRows if there is a device. Each call to a device costs a few tenths
	// of a millisecond to launch. In addition the CPU verifies 64 of the call's rows again, which
	// takes most of a millisecond on one core. That is as long as the CPU takes to parse a few
	// hundred rows, as many as a batch from a Bitcoin block has. So a call needs thousands of rows
	// to make its overhead small. Still larger calls would gain nothing.
	deviceRows = 2 * blockRows
)

// A worker takes jobs, verifies the reading.Units in them, and marks the jobs done. It collects the
// rows of each scheme over several jobs and verifies them together. Units that a block cannot hold
// (multisig, malformed encodings) are verified at once.
type worker struct {
	cfg  *Config
	most int // approximate number of rows that are verified together
	// batchFault is set once a worker has found a wrong verdict of a batch. After that no worker uses
	// batch verification. All workers of a run share it.
	batchFault *atomic.Bool

	bad, good sampler // for the rows that a batch rejected and for those that it accepted
	looks     int     // number of rows verified a second time

	jobs    []*job
	entries []entry
	blocks  []*block // one for each scheme, rule for s and length of keys
	claims  block    // the commitments of BIP-340 rows
	rows    int      // number of rows in blocks

	verifyBlock func(context.Context, *block) // verifies a block with package batch
}

func newWorker(cfg *Config, batchFault *atomic.Bool) *worker {
	w := &worker{cfg: cfg, most: blockRows, batchFault: batchFault, verifyBlock: cfg.verifyBlock}
	w.bad.every, w.good.every = badEvery, goodEvery
	options := batch.Options{Workers: 1, Exact: cfg.OneByOne}
	if cfg.Device != nil && !cfg.OneByOne {
		options.Device, w.most = cfg.Device, deviceRows
	}
	if w.verifyBlock == nil {
		w.verifyBlock = func(ctx context.Context, b *block) { b.verify(ctx, options) }
	}
	return w
}

// An entry holds the verdict on one signature until it is reported in input order.
type entry struct {
	job       *job
	where     reading.Where
	kind      string
	signature int // number of the signature in its unit, from 1; 0 if it is the only one
	scheme    reading.Scheme
	block     *block // block that holds the row
	row       int    // number of the row in block; -1 if the result is already known
	claim     int    // number of the row in claims; -1 if the row has no commitment
	result    result
	sender    []byte // set only for rows; as in reading.Unit
	raw       []byte // as in reading.Unit, if Config.Valid is set
	count     int    // number of signatures that the entry represents
}

// work processes jobs until the channel is closed.
func (w *worker) work(ctx context.Context, jobs <-chan *job) {
	for j := range jobs {
		for j != nil {
			w.expand(ctx, j)
			j = w.another(jobs)
		}
		w.finish(ctx)
	}
}

// another returns one more job whose rows are verified with those collected, or nil. It returns a
// job only if one is available at once and enough are left for the other workers.
func (w *worker) another(jobs <-chan *job) *job {
	left := w.cfg.Workers
	if len(w.jobs) >= fewJobs {
		left *= len(w.jobs)
	}
	if len(w.jobs) == blockJobs || w.rows >= w.most || len(jobs) < left {
		return nil
	}
	select {
	case j := <-jobs:
		return j
	default:
		return nil
	}
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
	if w.cfg.Batch == nil {
		j.batch = nil // lets its memory be freed
	}
}

// unit adds entries for the signatures of u. A batch with very many rows, such as a transaction
// with thousands of inputs, is verified in parts.
func (w *worker) unit(ctx context.Context, j *job, u *reading.Unit) {
	if len(w.entries) >= 2*w.most {
		w.verify(ctx)
	}
	e := entry{job: j, where: u.Where, kind: u.Kind, scheme: u.Scheme, row: -1, claim: -1, count: 1}
	if w.cfg.Valid != nil {
		e.raw = bytes.Clone(u.Raw)
	}
	if u.Decided != reading.Unchecked {
		e.result = result{verdict: u.Decided, reason: u.Reason}
		e.count = max(1, len(u.Signatures))
		w.entries = append(w.entries, e)
		return
	}
	if e.block, e.row = w.collect(u); e.row >= 0 {
		w.rows++
		e.sender = bytes.Clone(u.Sender)
		if c := &u.Commitment; c.Key != nil {
			e.claim = w.claims.addClaim(c)
		}
		w.entries = append(w.entries, e)
		return
	}
	for i, r := range verifyUnit(u) {
		if e.result = r; len(u.Signatures) > 1 {
			e.signature = i + 1
		}
		w.entries = append(w.entries, e)
	}
}

// collect appends the unit u to a block, and returns the block and the number of the row. The
// number is -1 if the unit cannot be a row, because it has several signatures or one that cannot be
// decoded.
func (w *worker) collect(u *reading.Unit) (b *block, row int) {
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
	b = w.blockOf(u.Scheme, u.LowS, len(key))
	return b, b.add(s.Digest[:], key, sig)
}

// blockOf returns the block for rows of a scheme, under the rule for s, with keys of the given
// size.
func (w *worker) blockOf(scheme reading.Scheme, lowS bool, keySize int) *block {
	for _, b := range w.blocks {
		if b.scheme == scheme && b.lowS == lowS && b.keySize == keySize {
			return b
		}
	}
	b := &block{scheme: scheme, lowS: lowS, keySize: keySize}
	w.blocks = append(w.blocks, b)
	return b
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

// verify verifies the collected rows and passes their results to the jobs from which they came. It
// drops the references to the readers' memory.
func (w *worker) verify(ctx context.Context) {
	if w.rows > 0 {
		w.judge(ctx)
	}
	for i := range w.entries {
		e := &w.entries[i]
		if e.result.verdict != reading.Unchecked { // else a cancellation came first
			e.report(w.cfg)
		}
	}
	clear(w.entries)
	w.entries, w.rows = w.entries[:0], 0
	for _, b := range w.blocks {
		b.reset()
	}
	w.claims.reset()
}

// report counts the entry, and adds it to the rows of its job that are reported.
func (e *entry) report(cfg *Config) {
	j, verdict := e.job, e.result.verdict
	r := Row{Where: e.where, Kind: e.kind, Signature: e.signature, Verdict: verdict,
		Reason: e.result.reason, Count: e.count}
	if e.scheme == reading.Recover && (verdict == reading.Valid || verdict == reading.Recovered) {
		r.Sender, r.Recovered = e.result.sender, true
	}
	n := int64(e.count)
	j.counts.add(verdict, n)
	switch {
	case verdict == reading.PassedOver:
		return
	case verdict == reading.Unsigned && r.Failed():
		j.counts.UnsignedData += n
	case verdict == reading.Valid && cfg.Valid != nil:
		j.valid = append(j.valid, e.raw)
	}
	if r.Failed() || cfg.Keep != nil && cfg.Keep(&r) {
		j.rows = append(j.rows, r)
	}
}
