package ethereum

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/jsonfile"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// JSON reads blocks in JSON, one after the other: whatever stands in the field
// "transactions" of an object, which may be hidden in the objects and lists
// that protocols put around it.
func JSON(src rows.Source, opt Options) rows.Reader {
	return &jsonReader{src: src, opt: opt, json: jsonfile.New(src, "block")}
}

type jsonReader struct {
	src   rows.Source
	opt   Options
	json  *jsonfile.Reader
	queue queue
	err   error
	any   bool    // something has begun
	wait  bool    // a block has ended, and the next one may be long in coming
	open  []level // around the place where the reader is, outermost first
}

// A level is an object or a list that has been begun.
type level struct {
	kind  levelKind
	block bool // "transactions" stands here, or in a level of this one
	null  bool // object: an answer without a block
	index int  // transactions: of the next one

	// Of an object that is a block:
	number, time *uint64
	rules        *rules  // once number and time are known
	held         []piece // transactions read before
}

type levelKind uint8

const (
	object levelKind = iota
	list             // of objects: several answers, or the parameters of a call
	transactions
)

// maxLevels is more than {"data": {"message": {"body": {"execution_payload":
// {"transactions": [ in a list of answers.
const maxLevels = 12

func (r *jsonReader) Close() error { return nil }

func (r *jsonReader) Next() (rows.Batch, error) {
	for r.err == nil && !r.queue.full() && !(r.wait && r.queue.any()) {
		r.err = r.step()
	}
	if r.err != nil {
		for i := range r.open {
			r.release(&r.open[i])
		}
	}
	if b := r.queue.take(r.src.Position(r.json.Taken())); b != nil {
		return b, nil
	}
	return nil, r.err
}

func (r *jsonReader) begin(kind levelKind) error {
	if len(r.open) == maxLevels {
		return r.json.Fail("more than %d levels", maxLevels)
	}
	r.open = append(r.open, level{kind: kind})
	return nil
}

// step reads on by one transaction or one other field.
func (r *jsonReader) step() error {
	if len(r.open) == 0 {
		r.wait = false
		t, err := r.json.Next()
		switch {
		case err == io.EOF && !r.any:
			return r.json.Fail("an empty file")
		case err != nil:
			return err
		}
		r.any = true
		return r.enter(t)
	}
	l := &r.open[len(r.open)-1]
	switch {
	case !r.json.More():
		return r.end()
	case l.kind == transactions:
		return r.transaction()
	}
	t, err := r.json.Token()
	if err != nil {
		return err
	}
	if _, ok := t.(json.Delim); l.kind == list {
		if !ok {
			return nil // another parameter of a call
		}
		return r.enter(t)
	}
	return r.field(l, t)
}

// enter goes into the object or list that t begins.
func (r *jsonReader) enter(t json.Token) error {
	switch t {
	case json.Delim('{'):
		return r.begin(object)
	case json.Delim('['):
		return r.begin(list)
	}
	return r.json.Fail("a block is wanted, not %v", t)
}

// end reads what ends the innermost level.
func (r *jsonReader) end() error {
	if _, err := r.json.Token(); err != nil { // the decoder sees to it that it is the right one
		return err
	}
	l := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	if len(r.open) == 0 {
		r.release(&l)
		r.wait = r.json.Drained()
		return r.empty(&l)
	}
	parent := &r.open[len(r.open)-1]
	parent.block = parent.block || l.block || l.kind == transactions
	r.release(&l)
	return nil
}

// empty is the error if l, an outermost level, has no block in it.
func (r *jsonReader) empty(l *level) error {
	switch {
	case l.block:
		return nil
	case l.null:
		return r.json.Fail("no block: the node's answer is null")
	}
	return r.json.Fail("no block: there are no \"transactions\" in it")
}

// release queues what was held back in l, by the rules of what is known.
func (r *jsonReader) release(l *level) {
	if len(l.held) == 0 {
		return
	}
	for i := range l.held {
		l.held[i].rules = r.rules(l)
		if l.number != nil {
			l.held[i].where.Block = height(*l.number)
		}
	}
	r.queue.add(l.held...)
	l.held = nil
}

// rules are those of the block l. A block whose number or time is not known, as
// one that is yet to be mined, has the latest ones.
func (r *jsonReader) rules(l *level) *rules {
	if l.rules == nil {
		number, time := uint64(latest), uint64(latest)
		if l.number != nil {
			number = *l.number
		}
		if l.time != nil {
			time = *l.time
		}
		rules := r.opt.Chain.rulesAt(number, time)
		l.rules = &rules
	}
	return l.rules
}

// field reads what stands behind the name t in l.
func (r *jsonReader) field(l *level, t json.Token) (err error) {
	switch t {
	case "number", "blockNumber", "block_number":
		l.rules = nil
		l.number, err = r.number()
		return err
	case "timestamp":
		l.rules = nil
		l.time, err = r.number()
		return err
	case "transactions":
		if err := r.json.Delim('[', "a list of transactions"); err != nil {
			return err
		}
		return r.begin(transactions)
	case "result", "params", "data", "message", "body", "block", "execution_payload", "executionPayload":
		inner, err := r.json.Token()
		if _, ok := inner.(json.Delim); err != nil || !ok {
			l.null = l.null || t == "result" && inner == nil
			return err // a string or a number says nothing here
		}
		return r.enter(inner)
	case "execution_payload_header":
		return r.json.Fail("a blinded block, which has only the hash of its transactions")
	case "error":
		return r.json.Refusal()
	}
	return r.json.Skip()
}

// number reads a number as JSON-RPC writes it (0x…) or as the beacon API does
// (decimal digits in a string). It is nil for null.
func (r *jsonReader) number() (*uint64, error) {
	t, err := r.json.Token()
	if err != nil || t == nil {
		return nil, err
	}
	s, _ := t.(string)
	digits, base := s, 10
	if hex, ok := strings.CutPrefix(s, "0x"); ok {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		return nil, r.json.Fail("bad block: a number is wanted, in a string, not %.40q", fmt.Sprint(t))
	}
	return &n, nil
}

// transaction queues one element of "transactions", or holds it back until it
// is known which rules judge it.
func (r *jsonReader) transaction() error {
	l := &r.open[len(r.open)-1]
	block := &r.open[len(r.open)-2] // only objects have fields
	var raw json.RawMessage
	if err := r.json.Decode(&raw); err != nil {
		return err
	}
	at := r.json.Offset() - int64(len(raw))
	switch {
	case raw[0] == '"' && len(raw) == len(`"0x"`)+2*32:
		return r.json.FailAt(at, errors.New("transactions are named only; eth_getBlockByNumber has to be asked for full ones (true)"))
	case raw[0] != '"' && raw[0] != '{':
		return r.json.FailAt(at, fmt.Errorf("a transaction is wanted, not %.40s", raw))
	}
	p := piece{json: raw, where: rows.In(r.src.Name)}
	p.where.Offset, p.where.Line, p.where.Index = at, r.json.Line(at), l.index
	l.index++
	if block.number == nil || block.time == nil {
		block.held = append(block.held, p)
		return nil
	}
	p.rules = r.rules(block)
	p.where.Block = height(*block.number)
	r.queue.add(p)
	return nil
}
