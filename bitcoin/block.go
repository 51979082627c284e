package bitcoin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

// Options say how a call is carried out. A nil *Options is the same as the zero value.
type Options struct {
	// Workers is the greatest number of goroutines that work on a call at a time, the caller's
	// included. If it is below 1, runtime.GOMAXPROCS(0) is used instead. Results do not depend on
	// it.
	Workers int

	// SigCache, if not nil, holds valid signatures, as for btcd's script engine. A signature in it
	// is not verified again, and every valid signature is added to it. Those that the engine adds
	// are memory of the transactions, which must not change while they are in the cache. Without a
	// cache, signatures are only verified.
	SigCache *txscript.SigCache
}

// ErrUnknownOutput is the Err of an InputError for an input that spends an output which is neither
// among the previous outputs nor one of an earlier transaction of the block.
var ErrUnknownOutput = errors.New("it spends an unknown output")

// ErrNotCheckable is wrapped by the Err of an InputError for an input that was not judged, and may
// be valid: its scripts can check too many signatures, or the script engine broke off. The verdict
// of a Judge on such an input is NotCheckable. A node must ask another engine about it.
var ErrNotCheckable = errors.New("it cannot be judged")

// An InputError says which input is not valid, and why.
type InputError struct {
	Block    chainhash.Hash // zero in an error of VerifyTx
	Tx       int            // index of the transaction in the block
	TxID     chainhash.Hash
	Input    int
	OutPoint wire.OutPoint // the output that the input spends
	Kind     string        // kind of that output, such as p2wpkh, or "" if it is unknown
	Err      error         // the reason
}

func (e *InputError) Error() string {
	where := ""
	if e.Block != (chainhash.Hash{}) {
		where = fmt.Sprintf("block %v: transaction %d, ", e.Block, e.Tx)
	}
	if e.Kind != "" {
		return fmt.Sprintf("bitcoin: %s%v: input %d (%s): %v", where, e.TxID, e.Input, e.Kind, e.Err)
	}
	return fmt.Sprintf("bitcoin: %s%v: input %d: %v: %v", where, e.TxID, e.Input, e.Err, e.OutPoint)
}

func (e *InputError) Unwrap() error { return e.Err }

var errRules = errors.New("bitcoin: no rules: RulesAt or RulesOf returns them")

// VerifyBlock verifies the scripts and signatures of all transactions of a block except its
// coinbase. prevOuts returns the outputs that the transactions spend; outputs of earlier
// transactions of the block may be missing. btcd's blockchain.UtxoViewpoint and
// txscript.MultiPrevOutFetcher are such values. prevOuts must not be nil, and is called on the
// caller's goroutine.
//
// If inputs are not valid, the error is an *InputError for the first of them. An input that spends
// an unknown output comes before the other inputs of its transaction. An input that was not judged
// counts as one that is not valid, but its error wraps [ErrNotCheckable]. Other errors are those of
// ctx, and of rules that RulesAt or RulesOf did not return. A nil error means that every input is
// valid. VerifyBlock checks nothing else: amounts, the Merkle root, the proof of work, and whether
// an output is spent twice are up to the caller, as in btcd. A nil context never ends.
func VerifyBlock(ctx context.Context, block *wire.MsgBlock, prevOuts txscript.PrevOutputFetcher,
	rules Rules, o *Options) error {
	txs := block.Transactions
	first := 0
	if len(txs) > 0 && isCoinbase(txs[0]) {
		first = 1
	}
	return verify(ctx, block, txs, first, prevOuts, rules, o)
}

// VerifyTx verifies the scripts and signatures of a transaction as VerifyBlock does. prevOuts
// returns the outputs that it spends.
func VerifyTx(ctx context.Context, tx *wire.MsgTx, prevOuts txscript.PrevOutputFetcher, rules Rules,
	o *Options) error {
	return verify(ctx, nil, []*wire.MsgTx{tx}, 0, prevOuts, rules, o)
}

// isCoinbase reports whether tx is a coinbase: its only input has a null outpoint.
func isCoinbase(tx *wire.MsgTx) bool {
	return len(tx.TxIn) == 1 && tx.TxIn[0].PreviousOutPoint == wire.OutPoint{Index: math.MaxUint32}
}

// spanInputs is the number of inputs that a worker takes at a time. Few workers wait for the last
// one, and a span takes much longer than the synchronization of the workers.
const spanInputs = 64

// A span is the inputs from, …, to-1 of the transaction with the index tx.
type span struct{ tx, from, to int }

// A remembering context stays ended once its Err has returned an error. Package context demands
// that of every context. But of one that forgets, inputs that no worker has reached would be valid.
type remembering struct {
	context.Context
	ended atomic.Pointer[error]
}

func (c *remembering) Err() error {
	if err := c.Context.Err(); err != nil {
		c.ended.CompareAndSwap(nil, &err)
	}
	if first := c.ended.Load(); first != nil {
		return *first
	}
	return nil
}

// verify verifies the transactions txs[first:] of a block, or of no block if block is nil.
func verify(ctx context.Context, block *wire.MsgBlock, txs []*wire.MsgTx, first int,
	prevOuts txscript.PrevOutputFetcher, rules Rules, o *Options) error {
	if !rules.chosen {
		return errRules
	}
	if o == nil {
		o = new(Options)
	}
	if ctx == nil {
		ctx = context.Background()
	}
	ctx = &remembering{Context: ctx}
	ready, spans, found := prepare(ctx, txs, first, prevOuts, rules)

	workers := o.Workers
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = max(1, min(workers, len(spans)))
	var next atomic.Int64
	// Workers take the spans in order. So once one has found a failure, no span that is left
	// precedes the failure.
	var failed atomic.Bool
	all := make([]*verifier, workers)
	for i := range all {
		all[i] = newVerifier(ready, o.SigCache)
	}
	work := func(v *verifier) {
		for ctx.Err() == nil && !failed.Load() {
			i := int(next.Add(1)) - 1
			if i >= len(spans) {
				break
			}
			s := spans[i]
			for ; s.from < s.to && ctx.Err() == nil && len(v.failures) == 0; s.from++ {
				v.input(ctx, s.tx, s.from)
			}
			if len(v.failures) > 0 {
				failed.Store(true)
			}
		}
		v.verify(ctx)
	}
	var wg sync.WaitGroup
	for _, v := range all[1:] {
		wg.Go(func() { work(v) })
	}
	work(all[0])
	wg.Wait()

	if err := ctx.Err(); err != nil {
		return err
	}
	for i := range all {
		found = append(found, all[i].failures...)
	}
	if len(found) == 0 {
		return nil
	}
	worst := slices.MinFunc(found, func(a, b failure) int {
		return cmp.Or(cmp.Compare(a.tx, b.tx), cmp.Compare(a.input, b.input))
	})
	tx := txs[worst.tx]
	e := &InputError{Tx: worst.tx, TxID: tx.TxHash(), Input: worst.input,
		OutPoint: tx.TxIn[worst.input].PreviousOutPoint, Kind: worst.kind, Err: worst.err}
	if block != nil {
		e.Block = block.BlockHash()
	}
	return e
}

// A failure is an input that is not valid.
type failure struct {
	tx, input int
	kind      string
	err       error
}

// prepare looks up the outputs that txs[first:] spend. It returns the transactions, by index in
// txs, and spans of all their inputs. At the first unknown output it stops, and returns a failure
// for it: inputs of earlier transactions may be invalid too, so their spans are returned.
func prepare(ctx context.Context, txs []*wire.MsgTx, first int, prevOuts txscript.PrevOutputFetcher,
	rules Rules) (ready []Transaction, spans []span, found []failure) {
	ready = make([]Transaction, len(txs))
	var within map[chainhash.Hash]int // the indices of the transactions by id
	output := func(p wire.OutPoint, before int) *wire.TxOut {
		if out := prevOuts.FetchPrevOutput(p); out != nil {
			return out
		}
		if within == nil {
			within = make(map[chainhash.Hash]int, len(txs))
			for i, tx := range txs {
				within[tx.TxHash()] = i
			}
		}
		if i, ok := within[p.Hash]; ok && i < before && int64(p.Index) < int64(len(txs[i].TxOut)) {
			return txs[i].TxOut[p.Index]
		}
		return nil
	}
	for i := first; i < len(txs) && ctx.Err() == nil; i++ {
		t := &ready[i]
		t.Tx, t.Rules, t.Spent = txs[i], rules, make([]Output, len(txs[i].TxIn))
		for k, in := range txs[i].TxIn {
			out := output(in.PreviousOutPoint, i)
			if out == nil {
				return ready, spans, []failure{{tx: i, input: k, err: ErrUnknownOutput}}
			}
			t.Spent[k] = Output{Known: true, Amount: out.Value, Script: out.PkScript}
		}
		for from := 0; from < len(t.Spent); from += spanInputs {
			spans = append(spans, span{i, from, min(from+spanInputs, len(t.Spent))})
		}
	}
	return ready, spans, nil
}
