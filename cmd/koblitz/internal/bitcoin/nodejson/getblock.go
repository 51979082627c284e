// Package nodejson reads blocks and transactions in the JSON that Bitcoin Core prints. If several
// fields state the same fact, it checks that they agree.
package nodejson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/units"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// Blocks returns a reader of blocks as Bitcoin Core's "getblock HASH 3" prints them: one after
// another or in a list, bare or in a JSON-RPC response {"result": …}. All fields that state the
// same fact must agree.
func Blocks(src reading.Source, network consensus.Network, found Found) reading.Reader {
	return newGetBlock(src, network, found)
}

func newGetBlock(src reading.Source, network consensus.Network, found Found) *getBlock {
	r := &getBlock{network: network, found: found, json: reading.NewJSON(src, "block")}
	r.next, r.stop = iter.Pull(r.read)
	r.Steps = reading.Steps{Queue: &r.queue, Step: r.step, Wait: r.json.Drained,
		Position: func() int64 { return src.Position(r.json.Taken()) }}
	return r
}

// A Found is a function that is called for each block of a node's answer, before its transactions
// are read. height is the height that the JSON states, and hash the hash of the header. If it
// returns an error, reading ends. Blocks that do not come from a node have a nil Found.
//
// With a Found, a block that does not state what its inputs spend is an error, since each block of
// the node would lack it.
type Found func(height int32, hash chainhash.Hash) error

// errNode tells the user which nodes state what the inputs of a block spend.
var errNode = errors.New("--node needs 'getblock HASH 3' of Bitcoin Core 23 or later")

type getBlock struct {
	reading.Steps
	network consensus.Network
	found   Found
	json    *reading.JSON
	queue   units.Queue

	// next resumes the method read until it has read a transaction or the end of a block.
	next func() (error, bool)
	stop func()
}

// blockTable has the names of a block's fields that are read, and outerTable those of an outermost
// object, which is a block or a JSON-RPC response.
var (
	blockTable = reading.TableOf[blockFields]().With("tx", nil)
	outerTable = reading.NewTable("error").With("result", blockTable).And(blockTable)
)

const wantedBlock = "a block as getblock prints it"

// step reads one transaction, or the rest of a block.
func (r *getBlock) step() error {
	err, _ := r.next()
	return err
}

// Close ends the method read.
func (r *getBlock) Close() error {
	r.stop()
	return nil
}

// errStopped ends the method read after Close.
var errStopped = errors.New("the reader is closed")

// read reads the file. It yields nil after each transaction and each block, and at last the error
// that ended reading, again and again.
func (r *getBlock) read(yield func(error) bool) {
	pause := func() error {
		if yield(nil) {
			return nil
		}
		return errStopped
	}
	err := error(nil)
	for err == nil {
		if err = r.json.Enter(); err == nil {
			err = r.json.Delim('{', wantedBlock)
		}
		if err == nil {
			err = r.object(outerTable, pause)
		}
		if err == nil {
			r.queue.Mark(r.json.Place())
			err = pause()
		}
	}
	for err != errStopped && yield(err) {
	}
}

// object reads a block or a JSON-RPC response, after its '{'. table has the names of its fields. It
// calls pause after each transaction.
func (r *getBlock) object(table *reading.Table, pause func() error) error {
	var seen reading.Seen
	var fields blockFields
	var sum *blockSum
	block := false // this object, or an object in it, has "tx"
	for r.json.More() {
		t, err := r.json.Token()
		if err != nil {
			return err
		}
		name, _ := t.(string)
		inner, defined, err := table.Look(&seen, []byte(name))
		switch {
		case err != nil:
			return r.json.Fail("%w", err)
		case !defined:
			err = r.json.Skip()
		case name == "tx":
			block = true
			sum, err = r.transactions(&fields, pause)
		case name == "error":
			err = r.json.Refusal()
		case name == "result":
			switch t, err = r.json.Token(); {
			case err != nil:
			case t == json.Delim('{'):
				block = true
				err = r.object(inner, pause)
			case t != nil: // for null, the field "error" follows
				err = r.json.Fail("%s is wanted, not %s", wantedBlock, reading.Show(t))
			}
		default:
			var value []byte
			if value, err = r.json.ShortValue(); err != nil {
				break
			}
			if err := blockTable.Decode(fmt.Appendf(nil, "{%q:%s}", name, value), &fields); err != nil {
				return r.json.Fail("bad block: %s", reading.JSONReason(err))
			}
		}
		if err != nil {
			return err
		}
	}
	if err := r.json.Delim('}', "the end of the block"); err != nil {
		return err
	}
	if !block {
		return r.json.Fail("not a block as getblock prints it: no \"tx\" in it")
	}
	if sum != nil {
		sum.fields = fields
		r.queue.Add(sum)
		r.queue.Ended(r.network, sum.where.Block, sum.header.Hash)
	}
	return nil
}

// transactions checks the header, and reads the list "tx". It calls pause after each transaction.
func (r *getBlock) transactions(fields *blockFields, pause func() error) (*blockSum, error) {
	h, err := fields.header()
	if err != nil && r.found != nil {
		err = fmt.Errorf("%w; %w", err, errNode) // old releases, and btcd, print "tx" too early
	}
	if err == nil {
		err = r.network.Refuse(&h)
	}
	if err == nil && r.found != nil {
		err = r.found(*fields.Height, h.Hash)
	}
	if err != nil {
		return nil, r.json.Fail("%w", err)
	}
	where := r.json.Where(r.json.Here())
	where.Block = *fields.Height
	sum := newBlockSum(r.network, h, where)
	if err := r.json.Delim('[', "a list of transactions"); err != nil {
		return nil, err
	}
	for r.json.More() {
		if err := r.transaction(sum); err != nil {
			return nil, err
		}
		if err := pause(); err != nil {
			return nil, err
		}
	}
	return sum, r.json.Delim(']', "the end of the transactions")
}

// transaction reads one element of "tx" and adds it to the queue.
func (r *getBlock) transaction(sum *blockSum) error {
	v, err := r.json.Value(textLimits)
	if err != nil {
		return err
	}
	t, err := sum.transaction()
	if err != nil {
		return r.json.FailAt(v.Place, err)
	}
	t.where = sum.where
	t.where.Offset, t.where.Line = v.Place.Offset, v.Place.Line
	switch {
	case v.Over != nil:
		r.queue.Add(&units.Decided{Where: t.where, Kind: "transaction", Decided: reading.Malformed,
			Reason: fmt.Sprintf("a transaction of %v", v.Over)})
		return nil
	case r.found != nil && (t.index > 0 || v.Text[0] != '{') &&
		!bytes.Contains(v.Text, []byte(`"prevout"`)):
		return r.json.FailAt(v.Place, fmt.Errorf("transaction %d does not state what it spends: no "+
			"\"prevout\" in it; %w", t.index, errNode))
	case v.Text[0] != '{':
		return r.json.FailAt(v.Place, errors.New("transactions are named only; getblock has to be "+
			"asked for verbosity 3"))
	}
	t.raw, t.items, t.inner = v.Text, v.Items, v.Inner
	sum.read.Add(1)
	r.queue.Add(t)
	return nil
}
