package silentpay

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// A Found is an output that pays one of a Scanner's receivers.
type Found struct {
	Transaction int // index of the transaction
	Receiver    int // index of the receiver among those of NewScanner
	Match
}

// A Scanner finds the payments to its receivers in many transactions, several times as fast as
// [Receiver.Scan] does in one after the other. It does not change, and any number of goroutines may
// use it. The zero value has no receivers, and its Scan returns an error.
type Scanner struct {
	receivers []*Receiver

	noEncoding
}

// NewScanner returns a scanner for the receivers. A receiver with more labels takes longer: each of
// the first few labels adds about 2 % to the time.
//
// There is an error if there are no receivers, or if one is nil, a zero value or zeroized.
func NewScanner(receivers ...*Receiver) (*Scanner, error) {
	if len(receivers) == 0 {
		return nil, errNoReceivers
	}
	for i, r := range receivers {
		if r == nil || r.scan.IsZero() {
			return nil, fmt.Errorf("silentpay: receiver %d: %w", i, koblitz.ErrZeroKey)
		}
	}
	return &Scanner{receivers: slices.Clone(receivers)}, nil
}

// Scan returns the outputs that pay the receivers, in the order of the transactions, then of the
// receivers, and then of K, and sets the verdict of each transaction. verdicts must have one
// element for each transaction; Scan overwrites all of them. A transaction is Valid if it pays a
// receiver, Invalid if it pays none, and Malformed if its tweak is not the encoding of a point.
//
// For each transaction the result is that of [Receiver.Scan], and the time depends on the same
// data: not on the scan keys or shared secrets. Memory that held secrets is wiped. Scan uses at
// most about 450 KB for each worker, apart from what it returns and a copy of t.Ends.
//
// There is an error before anything is written if the lengths in t do not fit each other and
// verdicts, or if o.Unchecked is set. If ctx is done first, Scan returns the error of ctx with the
// payments that it has found, and transactions that were not reached are Unchecked. If a receiver's
// scan key is zeroized, the error is [koblitz.ErrZeroKey]. With every error, the transactions that
// are Valid are those with payments in the result. A nil ctx never ends.
func (s *Scanner) Scan(
	ctx context.Context, t Transactions, verdicts []batch.Verdict, o *batch.SecretOptions,
) ([]Found, error) {
	if s == nil || len(s.receivers) == 0 {
		return nil, errNoReceivers
	}
	if o != nil && o.Unchecked {
		return nil, errUnchecked
	}
	t.Ends = slices.Clone(t.Ends) // what is checked is what bounds the slices, even if Ends changes
	if err := t.check(len(verdicts)); err != nil {
		return nil, err
	}
	ctx = forkjoin.Context(ctx)
	workers := 0
	if o != nil {
		workers = o.Workers
	}
	clear(verdicts)
	c := &scan{Scanner: s, ctx: ctx, t: t, verdicts: verdicts}
	ecmult.Share(ctx, len(verdicts), workers, newScanWorker, c.block)
	slices.SortFunc(c.found, func(a, b Found) int {
		return cmp.Or(cmp.Compare(a.Transaction, b.Transaction), cmp.Compare(a.Receiver, b.Receiver),
			cmp.Compare(a.K, b.K))
	})
	if c.err == nil && slices.Contains(verdicts, batch.Unchecked) {
		c.err = cmp.Or(ctx.Err(), context.Canceled) // an error even if ctx.Err() is nil by now
	}
	if c.err != nil { // a block may have failed after it found payments to some of the receivers
		c.found = slices.DeleteFunc(c.found, func(f Found) bool { //ct:unrun the verdicts are public
			return verdicts[f.Transaction] != batch.Valid
		})
	}
	return c.found, c.err
}

// A scan is one call of Scan.
type scan struct {
	*Scanner
	ctx      context.Context
	t        Transactions
	verdicts []batch.Verdict

	mu    sync.Mutex
	found []Found
	err   error
}

// A scanWorker is the memory of one worker of a scan.
type scanWorker struct {
	many   *ecmult.Many
	tweaks []point.Affine
	ok     []bool         // whether the tweak is a point
	hit    []bool         // whether an output matches
	shared []point.Affine // shared secrets
	t      []scalar.Scalar
	p, sum []point.Affine // P_0, and P_0 with a label: public
}

func newScanWorker(rows int) *scanWorker {
	return &scanWorker{
		many:   ecmult.NewMany(rows),
		tweaks: make([]point.Affine, rows),
		ok:     make([]bool, rows),
		hit:    make([]bool, rows),
		shared: make([]point.Affine, rows),
		t:      make([]scalar.Scalar, rows),
		p:      make([]point.Affine, rows),
		sum:    make([]point.Affine, rows),
	}
}

// Wipe is not inlined, because the compiler would then remove the stores as dead.
//
//go:noinline
func (w *scanWorker) Wipe() {
	w.many.Wipe()
	clear(w.shared)
	clear(w.t)
}

// block scans the transactions from lo to hi. It looks for an output with k = 0, with a label or
// without: the BIP has a receiver stop if there is none. Transactions with such an output are then
// scanned by Receiver.Scan.
func (c *scan) block(w *scanWorker, lo, hi int) {
	n := hi - lo
	w.decode(c.t.Tweaks[tweakSize*lo : tweakSize*hi])
	for i := range n {
		c.verdicts[lo+i] = batch.Invalid
		if !w.ok[i] {
			c.verdicts[lo+i] = batch.Malformed
		}
	}
	for number, r := range c.receivers {
		// A block takes milliseconds for each receiver.
		if number > 0 && c.ctx.Err() != nil { //ct:unrun no case stops a scan
			clear(c.verdicts[lo:hi])
			return
		}
		var ok bool
		secret.DoDeep(func() { ok = w.firstOutputs(r, n) })
		if !ok {
			clear(c.verdicts[lo:hi])
			c.fail(koblitz.ErrZeroKey)
			return
		}
		c.match(w, &r.labels, lo, hi)
		for i := range n {
			if w.hit[i] && w.ok[i] {
				c.verdicts[lo+i] = c.matches(number, lo+i, &w.tweaks[i], c.verdicts[lo+i])
			}
		}
	}
}

// firstOutputs sets w.p to the points P_0 of a receiver for the first n tweaks of w. It returns
// false if the scan key is zeroized. It leaves secrets on the stack.
func (w *scanWorker) firstOutputs(r *Receiver, n int) bool {
	var scan [1]scalar.Scalar
	if !load(&scan[0], &r.scan.key) {
		return false
	}
	w.many.ScalarMult(w.shared[:n], scan[:], w.tweaks[:n])
	scan[0].Wipe()
	var one scalar.Scalar
	one.One()
	for lo := 0; lo < n; lo += hash.Sixteen {
		var points [hash.Sixteen][33]byte
		var digests [hash.Sixteen][32]byte
		rows := min(hash.Sixteen, n-lo)
		for j := range rows {
			points[j] = compress(&w.shared[lo+j])
		}
		hash.SharedSecrets(&digests, &points, 0, rows)
		for j := range rows {
			t := &w.t[lo+j]
			ok := t.SetNonzeroBytes(&digests[j])
			t.Select(ok, t, &one)
			w.hit[lo+j] = !ok.Reveal() // Receiver.Scan then reports that t_0 is not in [1, n)
		}
	}
	w.many.ScalarBaseMult(w.p[:n], w.t[:n])
	w.many.Add(w.p[:n], w.p[:n], []point.Affine{*r.spend.Affine()})
	for i := range n {
		w.p[i].Declassify()
	}
	return true
}

// matches finds the payments of a transaction to a receiver, and appends them to c.found. It
// returns the verdict on the transaction: Valid if there are payments, v if there are none, and
// Unchecked after an error.
func (c *scan) matches(
	number, transaction int, tweak *point.Affine, v batch.Verdict,
) batch.Verdict {
	var key koblitz.PublicKey
	(*keys.Public)(&key).SetAffine(tweak)
	packed := c.t.outputs(transaction)
	outputs := make([][32]byte, 0, len(packed)/32)
	for o := range slices.Chunk(packed, 32) {
		outputs = append(outputs, [32]byte(o))
	}
	found, err := c.receivers[number].Scan(&key, outputs)
	if err != nil { //ct:unrun when another goroutine wipes the key meanwhile
		c.fail(fmt.Errorf("silentpay: transaction %d: %w", transaction, err))
		return batch.Unchecked
	}
	if len(found) == 0 { //ct:unrun for a sum that is infinity, or a t_0 that is not below n
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range found {
		c.found = append(c.found, Found{transaction, number, m})
	}
	return batch.Valid
}

// fail records err as the error of the scan. It does nothing if an error is recorded already.
func (c *scan) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
}
