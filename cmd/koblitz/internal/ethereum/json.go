package ethereum

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/jsonfile"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/printable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// JSON returns a reader of blocks in JSON, one after the other. It reads the elements of every
// field "transactions", at any depth in the objects and lists that protocols wrap around a block.
func JSON(src rows.Source, opt Options) rows.Reader {
	r := &jsonReader{opt: opt, json: jsonfile.New(src, "block"), any: src.From != nil,
		queue: opt.queue(src.From)}
	r.Steps = rows.Steps{Queue: &r.queue, Wait: func() bool { return r.wait }, End: r.last,
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
	r.note()
	return r.queue.refusal(err)
}

type jsonReader struct {
	rows.Steps
	opt   Options
	json  *jsonfile.Reader
	queue queue
	ended []*blockSum // blocks that have ended within the open outermost object
	began rows.Where  // start of the outermost object, or of the outermost list's element
	// undefined counts the undefined fields in the object that starts at the position began,
	// outside of its transactions
	undefined rows.Fields
	held      int     // number of transactions held back in all open levels
	bytes     int     // number of bytes in those transactions
	any       bool    // a JSON value has begun
	wait      bool    // a block has ended, and the next may take long to arrive
	open      []level // the open objects and lists, outermost first
}

// A level is an open JSON object or list.
type level struct {
	kind  levelKind
	table *jsonfile.Table // field names of the object, or of the objects in the list
	path  string          // list of transactions: path of an element in the document
	block bool            // this level, or a level in it, has a field "transactions"
	null  bool            // the object is a response without a block
	index int             // list of transactions: index of the next element

	// The following fields are used only for an object that is a block.
	number, time *uint64
	rules        *rules  // nil until number and time are known
	held         []piece // transactions held back
	full         bool    // there were too many transactions to hold back
	sum          *blockSum
	header       header
	payload      bool // the block has fields of the engine or beacon API
	unknown      bool // the block has undefined fields
	withdrawals  *[32]byte

	// The following fields are used for every object and list.
	seen       jsonfile.Seen
	call       bool      // the list holds the parameters of an engine API call
	hash       hash.Hash // hash of the requests in this list (EIP-7685)
	parentRoot string    // beacon block: the parent root that it states
	requests   string    // beacon block: hash of the requests that it lists
	ended      int       // len(reader.ended) at the start of the level
}

type levelKind uint8

const (
	object levelKind = iota + 1
	list             // list of objects: several responses, or the parameters of a call
	transactions
)

// maxLevels is the maximum nesting depth of objects and lists. The deepest known form is a list of
// responses {"data": {"message": {"body": {"execution_payload": {"transactions": [.
const maxLevels = 12

func (r *jsonReader) begin(kind levelKind, table *jsonfile.Table) error {
	if len(r.open) == maxLevels {
		return r.json.Fail("more than %d levels", maxLevels)
	}
	if kind == object && r.alone() {
		r.began = r.json.Where(r.json.Here())
	}
	r.open = append(r.open, level{kind: kind, table: table, ended: len(r.ended)})
	return nil
}

// alone reports whether an object that starts at the reader's position is outermost or an element
// of an outermost list. Such objects are independent of each other.
func (r *jsonReader) alone() bool {
	n := len(r.open)
	return n == 0 || r.open[n-1].kind == list && !r.open[n-1].call
}

// note is called when an outermost object, or an element of an outermost list, ends. If it had
// undefined fields, note adds a piece with their names and counts to the queue.
func (r *jsonReader) note() {
	if r.undefined.Any() {
		r.queue.add(piece{note: true, undefined: r.undefined, where: r.began})
		r.undefined = rows.Fields{}
	}
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
	if l.hash != nil {
		return r.request(l)
	}
	t, err := r.json.Token()
	if err != nil {
		return err
	}
	if l.kind != list {
		return r.field(l, t)
	}
	l.index++
	if _, ok := t.(json.Delim); !ok {
		return r.parameter(l, t)
	}
	requests := l.call && l.index == 4
	if err := r.enter(t, l.table); err != nil {
		return err
	}
	if requests {
		r.open[len(r.open)-1].hash = sha256.New()
	}
	return nil
}

// request reads one element of the list of requests (EIP-7685) that is open at level l.
func (r *jsonReader) request(l *level) error {
	text, err := r.text("params")
	if err != nil {
		return err
	}
	var d data
	if err := d.UnmarshalJSON(text); err != nil {
		return r.json.Fail("%w", err)
	}
	if len(d) > 1 {
		one := sha256.Sum256(d)
		l.hash.Write(one[:])
	}
	return nil
}

// parameter reads an element of the list l that is neither an object nor a list. In an engine API
// call the third parameter belongs to the block's header and the fourth is a list of requests.
func (r *jsonReader) parameter(l *level, t json.Token) error {
	s, _ := t.(string)
	switch {
	case l.call && l.index == 3 && len(s) == len(emptyUncles):
		l.parentRoot = s
	default:
		return r.short(s)
	}
	return nil
}

// short returns an error if s, a string in a place where a block is expected, is longer than a
// hash.
func (r *jsonReader) short(s string) error {
	if len(s) > len(emptyUncles) {
		return r.json.Fail("a string of %d characters, where a block is wanted, a hash or a number",
			len(s))
	}
	return nil
}

// enter opens the object or list that starts with token t.
func (r *jsonReader) enter(t json.Token, table *jsonfile.Table) error {
	switch t {
	case json.Delim('{'):
		return r.begin(object, table)
	case json.Delim('['):
		return r.begin(list, table)
	}
	return r.json.Fail("a block is wanted, not %s", jsonfile.Show(t))
}

// end closes the innermost open object or list.
func (r *jsonReader) end() error {
	if _, err := r.json.Token(); err != nil { // the decoder checks that the bracket fits
		return err
	}
	l := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	defer r.finish(&l)
	if l.sum != nil && r.opt.Found != nil {
		if err := r.opt.Found(l.number); err != nil {
			return r.json.Fail("%w", err)
		}
	}
	if len(r.open) == 0 {
		r.release(&l)
		r.wait = r.json.Drained()
		return r.empty(&l)
	}
	parent := &r.open[len(r.open)-1]
	if l.kind == object && !l.block && parent.kind == list && !parent.call {
		if !l.null && (l.unknown || l.header != (header{})) {
			return r.empty(&l)
		}
		// This object is a response to a method that returns no block.
		r.queue.add(piece{nothing: true, where: r.json.Where(r.json.Here())})
	}
	parent.block = parent.block || l.block || l.kind == transactions
	r.release(&l)
	return nil
}

// empty returns the error for the outermost object or list l, which has ended without a block.
func (r *jsonReader) empty(l *level) error {
	switch {
	case l.block:
		return nil
	case l.null:
		return r.json.Fail("no block: the node's answer is null")
	}
	return r.json.Fail("no block: there are no \"transactions\" in it")
}

// release queues the transactions held back in l, which is a block (an object) or a list of
// transactions. They get the rules of the block, as far as its number and time are known.
func (r *jsonReader) release(l *level) {
	if len(l.held) == 0 {
		return
	}
	for i := range l.held {
		r.held--
		r.bytes -= l.held[i].bytes()
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

// finish is called after the object or list l has ended. A block is judged as a whole only when the
// outermost object around it has ended, because that object may hold parts of the block's header.
func (r *jsonReader) finish(l *level) {
	if l.sum != nil && !l.full { // a full block was reported when it became full
		if l.header[blockHash] == "" && !l.payload && !l.unknown {
			if encoded, ok, err := l.header.encode(); ok && err == nil {
				hash := keccak256(encoded)
				l.header[blockHash] = "0x" + hex.EncodeToString(hash[:])
			}
		}
		l.sum.header, l.sum.payload, l.sum.unknown, l.sum.withdrawals = l.header, l.payload, l.unknown,
			l.withdrawals
		if l.sum.number, l.sum.time = l.number, l.time; l.number != nil {
			l.sum.where.Block = height(*l.number)
		}
		r.ended = append(r.ended, l.sum)
	}
	for _, s := range r.ended[l.ended:] {
		if s.parentRoot == "" {
			s.parentRoot = l.parentRoot
		}
		if s.requests == "" {
			s.requests = l.requests
		}
	}
	if l.hash != nil {
		r.open[len(r.open)-1].requests = "0x" + hex.EncodeToString(l.hash.Sum(nil))
	}
	if r.alone() {
		for _, s := range r.ended[l.ended:] {
			r.queue.end(s)
		}
		r.ended = r.ended[:l.ended]
		r.note()
	}
}

// field reads the value of one field of object l. The token t is the field's name.
func (r *jsonReader) field(l *level, t json.Token) (err error) {
	name, _ := t.(string)
	inner, defined, err := l.table.Look(&l.seen, []byte(name))
	switch {
	case err != nil:
		return r.json.Fail("%w", err)
	case !defined:
		l.unknown = true
		return r.json.Undefined(&r.undefined)
	}
	if f, ok := headerFieldOf(name); ok {
		return r.headerField(l, f, name)
	}
	switch t {
	case "transactions":
		if err := r.json.Delim('[', "a list of transactions"); err != nil {
			return err
		}
		l.sum = &blockSum{where: r.json.Where(r.json.Here()), chain: r.opt.Chain}
		path := r.json.Path()
		if err := r.begin(transactions, inner); err != nil {
			return err
		}
		r.open[len(r.open)-1].path = path
		return nil
	case "withdrawals":
		text, err := r.table(name, inner)
		if err != nil || string(text) == "null" {
			return err
		}
		root, err := withdrawals(text)
		if err != nil {
			return r.json.Fail("\"withdrawals\": %w", err)
		}
		l.withdrawals = &root
		return nil
	case "blockAccessList":
		text, err := r.text(name)
		if err != nil || string(text) == "null" {
			return err
		}
		var d data
		if err := d.UnmarshalJSON(text); err != nil {
			return r.json.Fail("%w", err)
		}
		h := keccak256(d)
		if err := l.header.set(blockAccessListHash, "0x"+hex.EncodeToString(h[:])); err != nil {
			return r.json.Fail("%w", err)
		}
		return nil
	case "execution_requests":
		text, err := r.table(name, inner)
		if err != nil {
			return err
		}
		if l.requests, err = requests(text); err != nil {
			return r.json.Fail("\"execution_requests\": %w", err)
		}
		return nil
	case "parent_root":
		t, err := r.json.Token()
		if l.parentRoot, _ = t.(string); err == nil && len(l.parentRoot) != len(emptyUncles) {
			err = r.json.Fail("\"parent_root\" is no hash")
		}
		return err
	case "result", "params", "data", "message", "body", "block", "signed_block",
		"execution_payload", "executionPayload":
		begins, err := r.json.Token()
		if _, ok := begins.(json.Delim); err != nil || !ok {
			l.null = l.null || t == "result" && begins == nil
			if s, _ := begins.(string); err == nil {
				err = r.short(s)
			}
			return err // the value is a hash or a number, which is ignored here
		}
		err = r.enter(begins, inner)
		if err == nil && t == "params" {
			r.open[len(r.open)-1].call = begins == json.Delim('[')
		}
		return err
	case "execution_payload_header":
		return r.json.Fail("a blinded block, which has only the hash of its transactions")
	case "error":
		return r.json.Refusal()
	}
	return r.json.Pass(inner, &r.undefined)
}

// table reads the value of the field with the given name as raw JSON, and checks the names of its
// objects against table t.
func (r *jsonReader) table(name string, t *jsonfile.Table) (json.RawMessage, error) {
	text, err := r.text(name)
	if err == nil {
		if err = t.Check(text, r.json.Path(), &r.undefined); err != nil {
			err = r.json.Fail("%q: %w", name, err)
		}
	}
	return text, err
}

// maxList is the maximum size in bytes of a block's list of withdrawals (which has at most 16
// entries on mainnet) and of its list of requests.
const maxList = 1 << 20

// text reads the value of the field with the given name as raw JSON.
func (r *jsonReader) text(name string) (text json.RawMessage, err error) {
	v, err := r.json.Value(jsonfile.Limits{Bytes: maxList, Items: maxList / 64, Inner: maxList / 64})
	if err == nil && v.Over != nil {
		err = r.json.FailAt(v.Place, fmt.Errorf("%q has %w", name, v.Over))
	}
	return v.Text, err
}

// headerField reads header field f of block l.
func (r *jsonReader) headerField(l *level, f headerField, name string) (err error) {
	l.payload = l.payload || f == mixHash && name != "mixHash"
	t, err := r.json.Token()
	if err != nil || t == nil {
		return err
	}
	text, ok := t.(string)
	switch {
	case ok && text == "":
		err = r.json.Fail("bad block: %q is empty", name)
	case f == number:
		l.rules = nil
		l.number, err = r.number(t)
	case f == timestamp:
		l.rules = nil
		l.time, err = r.number(t)
	case !ok:
		err = r.json.Fail("bad block: %q is a string, not %s", name, jsonfile.Show(t))
	}
	if err != nil {
		return err
	}
	if err := l.header.set(f, text); err != nil {
		return r.json.Fail("%w", err)
	}
	return nil
}

// number parses a number in the form of JSON-RPC (0x…) or of the beacon API (decimal digits in a
// string).
func (r *jsonReader) number(t json.Token) (*uint64, error) {
	s, _ := t.(string)
	digits, base := s, 10
	if hex, ok := strings.CutPrefix(s, "0x"); ok {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		return nil, r.json.Fail("bad block: a number is wanted, in a string, not %s", jsonfile.Show(t))
	}
	return &n, nil
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
	p := piece{json: v.Text, path: l.path, over: v.Over, items: v.Items + v.Inner,
		where: r.json.Where(v.Place)}
	p.where.Index = l.index
	switch {
	case p.over != nil:
		p.over = fmt.Errorf("a transaction of %w", p.over)
	case p.json[0] == '"' && len(p.json) == len(`"0x"`)+2*32:
		return r.json.FailAt(v.Place, errors.New("transactions are named only; eth_getBlockByNumber "+
			"has to be asked for full ones (true)"))
	case p.json[0] != '"' && p.json[0] != '{':
		return r.json.FailAt(v.Place, fmt.Errorf("a transaction is wanted, not %s",
			printable.Quote(p.json)))
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
	r.held++
	r.bytes += p.bytes()
	block.held = append(block.held, p)
	if r.held <= maxHeld && r.bytes <= maxHeldBytes {
		return
	}
	for i := range block.held {
		r.held--
		r.bytes -= block.held[i].bytes()
	}
	p.where.Index = -1
	r.queue.add(piece{where: p.where, over: fmt.Errorf("a block whose number and time stand behind "+
		"its transactions, of which there are more than %d, or %d bytes: none of them was checked",
		maxHeld, maxHeldBytes)})
	block.held, block.full = nil, true
}
