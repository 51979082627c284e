package bitcoin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// maxValue is how long one JSON value may be: a transaction of 4 MB, in hex
// twice and disassembled once, has room.
const maxValue = 32 << 20

// GetBlock reads blocks as Bitcoin Core's "getblock HASH 3" prints them, one
// after the other. Transactions are taken from their "hex" where they have
// one, and every field beside it must agree.
func GetBlock(src rows.Source, opt Options) rows.Reader {
	r := &getBlock{src: src, opt: opt, lines: lineCounter{r: src.Reader, budget: maxValue}}
	r.dec = json.NewDecoder(&r.lines)
	return r
}

type getBlock struct {
	src    rows.Source
	opt    Options
	lines  lineCounter
	dec    *json.Decoder
	queue  queue
	err    error
	inTxs  bool // between the brackets of "tx"
	inside bool // between the braces of a block
	blocks int

	hash   string
	height *int32
	time   *uint32
	hasTx  bool
}

func (r *getBlock) Close() error { return nil }

func (r *getBlock) Next() (rows.Batch, error) {
	for r.err == nil && !r.queue.full() {
		r.err = r.step()
	}
	if b := r.queue.take(r.src.Position(r.lines.n)); b != nil {
		return b, nil
	}
	return nil, r.err
}

// fail is an error at the place to which the decoder has come.
func (r *getBlock) fail(format string, args ...any) error {
	return r.failAt(r.dec.InputOffset(), fmt.Errorf(format, args...))
}

func (r *getBlock) failAt(offset int64, err error) error {
	return &rows.Error{File: r.src.Name, Line: r.lines.line(offset), Offset: offset, Err: err}
}

// broken turns an error of the decoder into one that says where it is. The
// decoder itself counts only some of the bytes that it has passed.
func (r *getBlock) broken(err error) error {
	at := r.dec.InputOffset()
	switch {
	case r.lines.err != nil && r.lines.err != io.EOF:
		return r.failAt(r.lines.n, r.lines.err)
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return r.failAt(r.lines.n, errors.New("the file ends in the middle of a block"))
	}
	if b, e := io.ReadAll(r.dec.Buffered()); e == nil {
		var syntax *json.SyntaxError
		var x json.RawMessage
		if errors.As(json.Unmarshal(b, &x), &syntax) && syntax.Offset > 0 {
			at += syntax.Offset - 1
		}
	}
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		err = fmt.Errorf("bad block: %s where %v is wanted", mismatch.Value, mismatch.Type)
	} else {
		err = fmt.Errorf("bad JSON: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return r.failAt(at, err)
}

// decode reads one value.
func (r *getBlock) decode(v any) error {
	r.lines.budget = maxValue
	if err := r.dec.Decode(v); err != nil {
		return r.broken(err)
	}
	return nil
}

// delim reads one token, which must be that delimiter.
func (r *getBlock) delim(want json.Delim, what string) error {
	r.lines.budget = maxValue
	t, err := r.dec.Token()
	if err != nil {
		if err == io.EOF && !r.inside {
			return io.EOF
		}
		return r.broken(err)
	}
	if t != want {
		return r.fail("%s is wanted, not %v", what, t)
	}
	return nil
}

// step reads on by one transaction or one other field of the block.
func (r *getBlock) step() error {
	if !r.inside {
		err := r.delim('{', "a block as getblock prints it")
		if err == io.EOF && r.blocks == 0 {
			return r.fail("an empty file")
		}
		if err != nil {
			return err
		}
		r.inside = true
		r.blocks++
		r.hash, r.height, r.time, r.hasTx = "", nil, nil, false
		return nil
	}
	r.lines.budget = maxValue
	if r.inTxs {
		if r.dec.More() {
			return r.transaction()
		}
		r.inTxs = false
		return r.delim(']', "the end of the transactions")
	}
	if !r.dec.More() {
		if err := r.delim('}', "the end of the block"); err != nil {
			return err
		}
		r.inside = false
		if !r.hasTx {
			return r.fail("not a block as getblock prints it: no \"tx\" in it")
		}
		return nil
	}
	t, err := r.dec.Token()
	if err != nil {
		return r.broken(err)
	}
	switch t {
	case "hash":
		return r.decode(&r.hash)
	case "height":
		return r.decode(&r.height)
	case "time":
		return r.decode(&r.time)
	case "tx":
		if r.height == nil || r.time == nil {
			return r.fail("\"height\" and \"time\" of the block must stand before \"tx\", as Bitcoin Core prints them")
		}
		r.inTxs, r.hasTx = true, true
		return r.delim('[', "a list of transactions")
	}
	var skip json.RawMessage
	return r.decode(&skip)
}

// transaction queues one element of "tx".
func (r *getBlock) transaction() error {
	var raw json.RawMessage
	if err := r.decode(&raw); err != nil {
		return err
	}
	at := r.dec.InputOffset() - int64(len(raw))
	if raw[0] != '{' {
		return r.failAt(at, errors.New("transactions are named only; getblock has to be asked for verbosity 3"))
	}
	r.queue.add(&txText{raw: raw, rules: r.opt.Network.rulesAt(*r.height, *r.time),
		where: rows.Where{File: r.src.Name, Offset: at, Line: r.lines.line(at), Row: -1, Block: *r.height, Input: -1}})
	return nil
}

// A lineCounter counts what is read through it, and knows where lines begin.
type lineCounter struct {
	r        io.Reader
	n        int64
	err      error
	budget   int     // bytes until one value is too long
	newlines []int64 // offsets, of those after the last question
	before   int     // newlines before these
}

func (l *lineCounter) Read(b []byte) (n int, err error) {
	if l.budget <= 0 {
		l.err = fmt.Errorf("a JSON value of more than %d MiB", maxValue>>20)
		return 0, l.err
	}
	n, err = l.r.Read(b)
	for i := 0; ; i++ {
		j := bytes.IndexByte(b[i:n], '\n')
		if j < 0 {
			break
		}
		i += j
		l.newlines = append(l.newlines, l.n+int64(i))
	}
	l.n += int64(n)
	l.budget -= n
	if err != nil {
		l.err = err
	}
	return n, err
}

// line returns the line in which the byte at offset is; offsets must not go
// back.
func (l *lineCounter) line(offset int64) int {
	i := 0
	for i < len(l.newlines) && l.newlines[i] < offset {
		i++
	}
	l.before += i
	l.newlines = append(l.newlines[:0], l.newlines[i:]...)
	return l.before + 1
}
