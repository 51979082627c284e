package ethereum

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ethereum/wire"
)

// Fields with names that are in no table are not read: the roots and the hash in a block's header
// show whether its transactions are complete.
var (
	// A block with a field that blockTable lacks may have a header of a later fork. Its hash then
	// covers a field that this package does not know.
	blockTable = reading.NewTable("parentHash", "sha3Uncles", "miner", "stateRoot",
		"transactionsRoot", "receiptsRoot", "logsBloom", "difficulty", "number", "gasLimit", "gasUsed",
		"timestamp", "extraData", "mixHash", "nonce", "baseFeePerGas", "withdrawalsRoot", "blobGasUsed",
		"excessBlobGas", "parentBeaconBlockRoot", "requestsHash", "blockAccessListHash",
		"slotNumber", "hash", "size", "totalDifficulty", "uncles", "transactions", "withdrawals")

	// answerFields lists the fields of a JSON-RPC response. outerTable is the table for objects
	// outside a response: these are blocks or responses.
	answerFields = []string{"jsonrpc", "id", "result", "error"}
	outerTable   = reading.NewTable(answerFields...).And(blockTable)
)

// beaconFields are fields of the beacon API, the builder API and the engine API. Their blocks lack
// the roots of an execution block's header, so an object with one of these fields is an error.
var beaconFields = []string{"data", "message", "body", "block", "signed_block", "params",
	"execution_payload", "executionPayload", "execution_payload_header", "fee_recipient",
	"feeRecipient"}

// JSON returns a reader of blocks in JSON, one after the other, as eth_getBlockByNumber and
// eth_getBlockByHash return them with full transactions. A block is an object alone or the result
// of a JSON-RPC response. Lists of these, such as the response to a batch, are read too.
func JSON(src reading.Source, opt Options) reading.Reader {
	r := &jsonReader{opt: opt, json: reading.NewJSON(src, "block"), queue: newQueue(opt, src.From)}
	r.Steps = reading.Steps{Queue: r.queue, Step: r.step, Wait: r.json.Drained,
		Position: func() int64 { return src.Position(r.json.Taken()) }}
	return r
}

type jsonReader struct {
	reading.Steps
	opt   Options
	json  *reading.JSON
	queue *queue
}

// step reads one block.
func (r *jsonReader) step() error {
	if err := r.json.Enter(); err != nil {
		return err
	}
	t, err := r.json.Token()
	if err != nil {
		return err
	}
	o, err := r.object(t, outerTable)
	if err != nil {
		return err
	}
	isOther := o.null || !o.some && !o.unknown // a response to a method that returns no block
	if o.result != nil {
		if o.some || o.whole {
			return r.json.Fail("an answer with a block and fields of another")
		}
		o, isOther = o.result, false
	}
	b, h := o.block, &o.header
	switch {
	case !o.whole && r.json.Depth() > 0 && isOther:
		r.json.PassOver()
		r.queue.Add(&block{where: o.where, decided: reading.PassedOver})
		return nil
	case !o.whole && o.null:
		return r.json.Fail("no block: the node's answer is null")
	case !o.whole:
		return r.json.Fail("no block: there are no \"transactions\" in it")
	case r.opt.Found != nil:
		if err := r.opt.Found(b.number(wire.Number)); err != nil {
			return r.json.Fail("%w", err)
		}
	}
	if b.hash == nil && !b.unknown && h.IsComplete() && len(b.flaws) == 0 {
		hash := keccak256(h.Append(nil))
		b.hash = hash[:]
	}
	r.queue.end(b, r.json.Place())
	return nil
}

// An object is a block, or a response.
type object struct {
	*block
	whole  bool    // it has a list of transactions
	some   bool    // it has a field of a block
	null   bool    // the result of the response is null
	result *object // the result of the response, if it is an object
}

// object reads the object that starts with token t.
func (r *jsonReader) object(t json.Token, table *reading.Table) (*object, error) {
	o := &object{block: &block{where: r.json.Where(r.json.Here()), isJSON: true}}
	if t != json.Delim('{') {
		return nil, r.json.Fail("a block is wanted, not %s", reading.Show(t))
	}
	var seen reading.Seen
	for r.json.More() {
		t, err := r.json.Token()
		if err != nil {
			return nil, err
		}
		name, _ := t.(string)
		if slices.Contains(beaconFields, name) {
			return nil, r.json.Fail("%q is a field of the beacon chain's APIs, which are not read: get "+
				"the block by eth_getBlockByNumber, with full transactions (true), or in RLP", name)
		}
		_, defined, err := table.Look(&seen, []byte(name))
		switch {
		case err != nil:
			return nil, r.json.Fail("%w", err)
		case defined:
			o.some = o.some || !slices.Contains(answerFields, name)
			err = r.field(o, name)
		default:
			o.unknown = true
			err = r.json.Skip()
		}
		if err != nil {
			return nil, err
		}
	}
	_, err := r.json.Token() // the decoder checks that the bracket fits
	return o, err
}

// field reads the value of the field of o with the given name.
func (r *jsonReader) field(o *object, name string) error {
	for f := range wire.HeaderField(wire.HeaderFields) {
		if f.String() == name {
			return r.headerField(o, name, f.IsNumber(), f.Check, &o.header[f])
		}
	}
	switch name {
	case "hash":
		return r.headerField(o, name, false, wire.ParentHash.Check, &o.hash)
	case "transactions":
		return r.transactions(o)
	case "withdrawals":
		v, err := r.json.Value(withdrawalLimits)
		switch {
		case err != nil:
			return err
		case v.Over != nil:
			o.flaw("%q has %v", name, v.Over)
		case string(v.Text) != "null":
			o.held += len(v.Text)
			o.items += v.Items
			if o.withdrawals, err = withdrawals(v.Text); err != nil {
				o.flaw("%q: %v", name, err)
			}
		}
		return nil
	case "result":
		t, err := r.json.Token()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case json.Delim:
			o.result, err = r.object(t, blockTable)
		case string:
			if len(t) > len("0x")+2*32 {
				err = r.json.Fail("a string of %d characters, where a block is wanted, a hash or a number",
					len(t))
			}
		}
		o.null = t == nil
		return err
	case "error":
		return r.json.Refusal()
	}
	return r.json.Skip()
}

// headerField reads a field of a block's header, and stores its content if check returns no error.
// The field may be null.
func (r *jsonReader) headerField(o *object, name string, isNumber bool,
	check func(content []byte) error, content *[]byte) error {
	t, err := r.json.Token()
	if err != nil || t == nil {
		return err
	}
	text, ok := t.(string)
	switch {
	case !ok:
		return r.json.Fail("bad block: %q is a string, not %s", name, reading.Show(t))
	case len(text) > maxHeaderField:
		o.flaw("%q of the block has %d characters", name, len(text))
		return nil
	}
	parse := parseData
	if isNumber {
		parse = parseQuantity
	}
	b, err := parse([]byte(text))
	if err == nil && check(b) != nil {
		err = errLength
	}
	if err != nil {
		o.flaw("%q of the block: %v", name, err)
		return nil
	}
	*content = b
	return nil
}

// transactions reads the list of a block's transactions.
func (r *jsonReader) transactions(o *object) error {
	v, err := r.json.Value(listLimits)
	if err != nil {
		return err
	}
	o.whole, o.where = true, r.json.Where(v.Place)
	switch text := string(v.Text[:min(len(v.Text), len(`["0x`))]); {
	case v.Over != nil:
		o.decided, o.reason = reading.Malformed, fmt.Sprintf("a list of transactions of %v", v.Over)
	case !strings.HasPrefix(text, "["):
		return r.json.FailAt(v.Place, fmt.Errorf("a list of transactions is wanted, not %s",
			reading.Quote(v.Text)))
	case text == `["0x`:
		return r.json.FailAt(v.Place, fmt.Errorf("transactions are named only; eth_getBlockByNumber "+
			"has to be asked for full ones (true)"))
	}
	o.list, o.rows = v.Text, v.Items
	o.held += len(v.Text)
	o.items += v.Inner
	return nil
}
