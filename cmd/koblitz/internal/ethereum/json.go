package ethereum

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ethereum/wire"
)

// JSON returns a reader of blocks in JSON, one after the other, as eth_getBlockByNumber and
// eth_getBlockByHash return them with full transactions. A block is an object alone or the result
// of a JSON-RPC response. Lists of these, such as the response to a batch, are read too.
func JSON(src reading.Source, opt Options) reading.Reader {
	r := &jsonReader{opt: opt, json: reading.NewJSON(src, "block"), any: src.From != nil,
		queue: opt.queue(src.From)}
	r.Steps = reading.Steps{Queue: &r.queue, Wait: func() bool { return r.wait }, End: r.last,
		Step:     func() error { return r.queue.refusal(r.step()) },
		Position: func() int64 { return src.Position(r.json.Taken()) }}
	return r
}

// last queues the transactions that are still held back at the end of reading. err is the error
// that ended the reading.
func (r *jsonReader) last(err error) error {
	for i := range r.open {
		r.release(&r.open[i])
	}
	return r.queue.refusal(err)
}

type jsonReader struct {
	reading.Steps
	opt   Options
	json  *reading.JSON
	queue queue
	any   bool    // a JSON value has begun
	wait  bool    // a block has ended, and the next may take long to arrive
	open  []level // the open objects and lists, outermost first
}

// A level is an open JSON object or list.
type level struct {
	kind  levelKind
	table *reading.Table // field names of the object
	seen  reading.Seen
	block bool // this level, or a level in it, has a field "transactions"
	null  bool // the object is a response without a block
	index int  // list of transactions: index of the next element

	// The following fields are used only for an object that is a block.
	number, time *uint64
	rules        *rules  // nil until number and time are known
	held         []piece // transactions held back
	bytes        int     // number of bytes in those transactions
	full         bool    // there were too many transactions to hold back
	sum          *blockSum
	header       header
	some         bool     // the object has a field of a header
	flaws        []string // malformed fields of the header
	unknown      bool     // the block has undefined fields
	withdrawals  *[32]byte
}

type levelKind uint8

const (
	object levelKind = iota + 1
	list             // list of blocks or responses
	transactions
)

func (r *jsonReader) begin(kind levelKind, table *reading.Table) {
	r.open = append(r.open, level{kind: kind, table: table})
}

// step reads one transaction or one other field or element.
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
		if t == json.Delim('[') {
			r.begin(list, nil)
			return nil
		}
		return r.enter(t, outerTable)
	}
	l := &r.open[len(r.open)-1]
	switch {
	case !r.json.More():
		if err := r.end(); err != nil || len(r.open) > 0 {
			return err
		}
		r.queue.mark(r.json.Place())
		return nil
	case l.kind == transactions:
		return r.transaction()
	}
	t, err := r.json.Token()
	switch {
	case err != nil:
		return err
	case l.kind == list:
		return r.enter(t, outerTable)
	}
	name, _ := t.(string)
	return r.field(l, name)
}

// enter opens the object that starts with token t.
func (r *jsonReader) enter(t json.Token, table *reading.Table) error {
	if t != json.Delim('{') {
		return r.json.Fail("a block is wanted, not %s", reading.Show(t))
	}
	r.begin(object, table)
	return nil
}

// end closes the innermost open object or list.
func (r *jsonReader) end() error {
	if _, err := r.json.Token(); err != nil { // the decoder checks that the bracket fits
		return err
	}
	l := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	if l.sum != nil {
		if r.opt.Found != nil {
			if err := r.opt.Found(l.number); err != nil {
				return r.json.Fail("%w", err)
			}
		}
		r.release(&l)
		r.finish(&l)
	}
	if len(r.open) == 0 {
		r.wait = r.json.Drained()
		return r.empty(&l)
	}
	parent := &r.open[len(r.open)-1]
	switch {
	case l.kind == transactions || l.block:
	case parent.kind == object || !l.null && (l.unknown || l.some):
		return r.empty(&l)
	default: // a response to a method that returns no block, or null
		r.queue.add(piece{nothing: true, where: r.json.Where(r.json.Here())})
	}
	parent.block = parent.block || l.block || l.kind == transactions
	return nil
}

// empty returns the error for the object or list l, which has ended, if it has no block.
func (r *jsonReader) empty(l *level) error {
	switch {
	case l.block:
		return nil
	case l.null:
		return r.json.Fail("no block: the node's answer is null")
	}
	return r.json.Fail("no block: there are no \"transactions\" in it")
}

// release queues the transactions held back in the block l. They get the rules of the block, as far
// as its number and time are known.
func (r *jsonReader) release(l *level) {
	for i := range l.held {
		l.held[i].rules = r.rules(l)
		if l.number != nil {
			l.held[i].where.Block = height(*l.number)
		}
	}
	r.queue.add(l.held...)
	l.held = nil
}

// rules returns the rules for the signatures of block l. A block without a number or time, such as
// a pending one, has the latest rules.
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

// finish queues the end of block l.
func (r *jsonReader) finish(l *level) {
	if l.full { // the block was reported when it became full
		return
	}
	if l.header.hash == nil && !l.unknown {
		if hash, ok := l.header.computed(); ok {
			l.header.hash = hash[:]
		}
	}
	l.sum.header, l.sum.unknown, l.sum.withdrawals = l.header, l.unknown, l.withdrawals
	l.sum.flaws = l.flaws
	if l.sum.number, l.sum.time = l.number, l.time; l.number != nil {
		l.sum.where.Block = height(*l.number)
	}
	r.queue.end(l.sum)
}

// field reads the value of the field of object l with the given name.
func (r *jsonReader) field(l *level, name string) error {
	if slices.Contains(beaconFields, name) {
		return r.json.Fail("%q is a field of the beacon chain's APIs, which are not read: get the block "+
			"by eth_getBlockByNumber, with full transactions (true), or in RLP", name)
	}
	_, defined, err := l.table.Look(&l.seen, []byte(name))
	switch {
	case err != nil:
		return r.json.Fail("%w", err)
	case !defined:
		l.unknown = true
		return r.json.Skip()
	}
	if f, ok := headerFieldOf(name); ok {
		return r.headerField(l, f)
	}
	switch name {
	case "hash":
		return r.hash(l)
	case "transactions":
		if err := r.json.Delim('[', "a list of transactions"); err != nil {
			return err
		}
		l.sum = &blockSum{where: r.json.Where(r.json.Here()), chain: r.opt.Chain}
		r.begin(transactions, nil)
		return nil
	case "withdrawals":
		text, err := r.text(name)
		if err != nil || string(text) == "null" {
			return err
		}
		root, err := withdrawals(text)
		if err != nil {
			return r.json.Fail("\"withdrawals\": %w", err)
		}
		l.withdrawals = &root
		return nil
	case "result":
		return r.result(l)
	case "error":
		return r.json.Refusal()
	}
	return r.json.Skip()
}

// result reads the result of the response l. It is a block, null, or a value of another method.
func (r *jsonReader) result(l *level) error {
	t, err := r.json.Token()
	if err != nil {
		return err
	}
	switch t := t.(type) {
	case json.Delim:
		return r.enter(t, blockTable)
	case nil:
		l.null = true
	case string:
		if len(t) > hashText {
			return r.json.Fail("a string of %d characters, where a block is wanted, a hash or a number",
				len(t))
		}
	}
	return nil
}

// maxList is the maximum size in bytes of a block's list of withdrawals, which has at most 16
// entries on mainnet, and in RLP of its uncles.
const maxList = 1 << 20

// text reads the value of the field with the given name as raw JSON.
func (r *jsonReader) text(name string) (text json.RawMessage, err error) {
	v, err := r.json.Value(reading.Limits{Bytes: maxList, Items: maxList / 64, Inner: maxList / 64})
	if err == nil && v.Over != nil {
		err = r.json.FailAt(v.Place, fmt.Errorf("%q has %w", name, v.Over))
	}
	return v.Text, err
}

// headerField reads header field f of block l.
func (r *jsonReader) headerField(l *level, f wire.HeaderField) error {
	text, err := r.headerText(l, f.String(), f == wire.Number || f == wire.Timestamp)
	if err != nil || text == "" {
		return err
	}
	err = l.header.set(f, text)
	n := l.header.Uint64(f)
	switch {
	case f == wire.Number && err == nil:
		l.number, l.rules = &n, nil
	case f == wire.Timestamp && err == nil:
		l.time, l.rules = &n, nil
	case f == wire.Number || f == wire.Timestamp:
		return r.noNumber(text)
	case err != nil:
		l.flaws = append(l.flaws, fmt.Sprintf("%q of the block: %v", f, err))
	}
	return nil
}

// hash reads the hash of block l.
func (r *jsonReader) hash(l *level) error {
	text, err := r.headerText(l, "hash", false)
	if err != nil || text == "" {
		return err
	}
	hash, err := decodeField(text, false)
	if err == nil && len(hash) != 32 {
		err = errLength
	}
	if err != nil {
		l.header.bad = true
		l.flaws = append(l.flaws, fmt.Sprintf("\"hash\" of the block: %v", err))
		return nil
	}
	l.header.hash = hash
	return nil
}

// headerText reads the text of a field of block l, which is empty for null. isNumber selects the
// error for a value that is no string.
func (r *jsonReader) headerText(l *level, name string, isNumber bool) (string, error) {
	t, err := r.json.Token()
	if err != nil || t == nil {
		return "", err
	}
	l.some = true
	text, ok := t.(string)
	switch {
	case ok && text == "":
		return "", r.json.Fail("bad block: %q is empty", name)
	case !ok && isNumber:
		return "", r.noNumber(t)
	case !ok:
		return "", r.json.Fail("bad block: %q is a string, not %s", name, reading.Show(t))
	case len(text) > maxHeaderField:
		return "", r.json.Fail("%q of the block has %d characters", name, len(text))
	}
	return text, nil
}

// noNumber returns the error for t in place of a number that selects the rules.
func (r *jsonReader) noNumber(t json.Token) error {
	return r.json.Fail("bad block: a number is wanted, in the form 0x…, not %s", reading.Show(t))
}

// transaction queues one element of "transactions". If the rules of its block are not known yet, it
// holds the element back instead.
func (r *jsonReader) transaction() error {
	l := &r.open[len(r.open)-1]
	block := &r.open[len(r.open)-2] // the object around the list
	if block.full {
		return r.json.Skip()
	}
	v, err := r.json.Value(textLimits)
	if err != nil {
		return err
	}
	p := piece{json: v.Text, over: v.Over, items: v.Items + v.Inner, where: r.json.Where(v.Place)}
	p.where.Index = l.index
	switch {
	case p.over != nil:
		p.over = fmt.Errorf("a transaction of %w", p.over)
	case p.json[0] == '"' && len(p.json) == len(`"0x"`)+2*32:
		return r.json.FailAt(v.Place, errors.New("transactions are named only; eth_getBlockByNumber "+
			"has to be asked for full ones (true)"))
	case p.json[0] != '{':
		return r.json.FailAt(v.Place, fmt.Errorf("a transaction is wanted, an object, not %s",
			reading.Quote(p.json)))
	}
	p.of, p.sum = block.sum.transaction()
	l.index++
	if block.number == nil || block.time == nil {
		r.hold(block, p)
		return nil
	}
	p.rules = r.rules(block)
	p.where.Block = height(*block.number)
	r.queue.add(p)
	return nil
}

// hold holds the transaction p back in block. If the block then has too many held transactions,
// hold drops all of them.
func (r *jsonReader) hold(block *level, p piece) {
	block.bytes += p.bytes()
	block.held = append(block.held, p)
	if len(block.held) <= maxHeld && block.bytes <= maxHeldBytes {
		return
	}
	p.where.Index = -1
	r.queue.add(piece{where: p.where, over: fmt.Errorf("a block whose number and time stand behind "+
		"its transactions, of which there are more than %d, or %d bytes: none of them was checked",
		maxHeld, maxHeldBytes)})
	block.held, block.full = nil, true
}
