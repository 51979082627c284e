// Package nodejson reads blocks and transactions in the JSON that Bitcoin Core prints. If several
// fields state the same fact, it checks that they agree.
package nodejson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

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
	r.Steps = reading.Steps{Queue: &r.queue, Step: r.step, Wait: func() bool { return r.wait },
		Position: func() int64 { return src.Position(r.json.Taken()) }}
	if src.From != nil { // reading resumes after a block
		r.some = true
	}
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
	inTxs   bool // reading the elements of "tx"
	wait    bool // a block has ended, and the next may take long to arrive
	some    bool // an object that should hold a block has begun
	lists   bool // an outermost list has begun

	// open holds the objects and lists that are open, outermost first: at most a list, a JSON-RPC
	// response in the list, and a block in the response.
	open []getBlockLevel
}

// blockTable has the names of a block's fields that are read, and outerTable those of an outermost
// object, which is a block or a JSON-RPC response.
var (
	blockTable = reading.TableOf[blockFields]().With("tx", nil)
	outerTable = reading.NewTable("error").With("result", blockTable).And(blockTable)
)

// A getBlockLevel is an object or list that is open.
type getBlockLevel struct {
	list   bool
	table  *reading.Table // names of the object; nil for a list
	block  bool           // this object, or an object in it, has "tx"
	seen   reading.Seen
	fields blockFields
	sum    *blockSum // nil before "tx", and in a list
}

const wantedBlock = "a block as getblock prints it"

// begin reads the start of a block or a JSON-RPC response, or of an outermost list.
func (r *getBlock) begin() error {
	r.wait = false
	t, err := r.json.Next()
	switch {
	case err == io.EOF && !r.some:
		if r.lists {
			return r.json.Fail("there is no block in it")
		}
		return r.json.Fail("an empty file")
	case err != nil:
		return err
	case t == json.Delim('['):
		r.open = append(r.open, getBlockLevel{list: true})
		r.lists = true
	case t == json.Delim('{'):
		r.object(outerTable)
	default:
		return r.json.Fail("%s is wanted, not %s", wantedBlock, reading.Show(t))
	}
	return nil
}

// object opens a block or a JSON-RPC response, after its '{' was read.
func (r *getBlock) object(table *reading.Table) {
	r.open = append(r.open, getBlockLevel{table: table})
	r.some = true
}

// end reads the closing bracket of the innermost object or list.
func (r *getBlock) end() error {
	level := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	if level.list {
		if err := r.json.Delim(']', "the end of the list"); err != nil {
			return err
		}
		r.afterValue()
		return nil
	}
	if err := r.json.Delim('}', "the end of the block"); err != nil {
		return err
	}
	if !level.block {
		return r.json.Fail("not a block as getblock prints it: no \"tx\" in it")
	}
	if len(r.open) > 0 {
		r.open[len(r.open)-1].block = true
	}
	if level.sum != nil {
		level.sum.fields = level.fields
		r.queue.Add(level.sum)
		r.queue.Ended(r.network, level.sum.where.Block, level.sum.header.Hash)
	}
	r.afterValue()
	return nil
}

// afterValue runs after a value has ended. If no object or list is open then, reading can resume
// after the value.
func (r *getBlock) afterValue() {
	if len(r.open) == 0 {
		r.wait = r.json.Drained()
		r.queue.Mark(r.json.Place())
	}
}

// step reads one transaction or one other field.
func (r *getBlock) step() error {
	switch {
	case len(r.open) == 0:
		return r.begin()
	case r.inTxs:
		if r.json.More() {
			return r.transaction()
		}
		r.inTxs = false
		return r.json.Delim(']', "the end of the transactions")
	case !r.json.More():
		return r.end()
	}
	level := &r.open[len(r.open)-1]
	if level.list {
		if err := r.json.Delim('{', wantedBlock); err != nil {
			return err
		}
		r.object(outerTable)
		return nil
	}
	t, err := r.json.Token()
	if err != nil {
		return err
	}
	name, _ := t.(string)
	inner, defined, err := level.table.Look(&level.seen, []byte(name))
	switch {
	case err != nil:
		return r.json.Fail("%w", err)
	case !defined:
		return r.json.Skip()
	}
	switch name {
	case "tx":
		if err := r.beginTxs(level); err != nil {
			return err
		}
		return r.json.Delim('[', "a list of transactions")
	case "result":
		switch t, err := r.json.Token(); {
		case err != nil:
			return err
		case t == json.Delim('{'):
			r.object(inner)
		case t != nil: // for null, the field "error" follows
			return r.json.Fail("%s is wanted, not %s", wantedBlock, reading.Show(t))
		}
		return nil
	case "error":
		return r.json.Refusal()
	}
	var value json.RawMessage
	if err := r.json.Decode(&value); err != nil {
		return err
	}
	if err := blockTable.Decode(fmt.Appendf(nil, "{%q:%s}", name, value), &level.fields); err != nil {
		return r.json.Fail("bad block: %s", reading.JSONReason(err))
	}
	return nil
}

// beginTxs checks the header before the list "tx" is read. level is the open block.
func (r *getBlock) beginTxs(level *getBlockLevel) error {
	h, err := level.fields.header()
	if err != nil && r.found != nil {
		err = fmt.Errorf("%w; %w", err, errNode) // old releases, and btcd, print "tx" too early
	}
	if err != nil {
		return r.json.Fail("%w", err)
	}
	if err := r.network.Refuse(&h); err != nil {
		return r.json.Fail("%w", err)
	}
	if r.found != nil {
		if err := r.found(*level.fields.Height, h.Hash); err != nil {
			return r.json.Fail("%w", err)
		}
	}
	where := r.json.Where(r.json.Here())
	where.Block = *level.fields.Height
	level.sum = newBlockSum(r.network, h, where)
	r.inTxs, level.block = true, true
	return nil
}

// transaction reads one element of "tx" and adds it to the queue.
func (r *getBlock) transaction() error {
	v, err := r.json.Value(textLimits)
	if err != nil {
		return err
	}
	sum := r.open[len(r.open)-1].sum
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
