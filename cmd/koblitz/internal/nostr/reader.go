package nostr

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

const (
	// MaxLine is the longest line that is read as an event. Relays accept far
	// less; the limit keeps a file without line ends from filling memory.
	MaxLine = 16 << 20

	batchLines = 256
	batchBytes = 256 << 10
)

type reader struct {
	src  rows.Source
	line int   // of the first line in buf, from 1
	off  int64 // of the first byte in buf
	buf  []byte
	err  error

	short bool // the last read brought less than was asked for: more may be long in coming
	long  bool // inside the rest of a line that was too long
}

// NewReader reads lines from src.
func NewReader(src rows.Source) rows.Reader {
	return &reader{src: src, line: 1}
}

func (n *reader) Close() error { return nil }

// Next cuts off whole lines only.
func (n *reader) Next() (rows.Batch, error) {
	for {
		if b := n.cut(); b != nil {
			return b, nil
		}
		if n.err != nil {
			return nil, n.err
		}
		n.fill()
	}
}

// fill reads more. The buffer is always a fresh one because the batches that
// were cut off still own theirs.
func (n *reader) fill() {
	const chunk = batchBytes / 2
	buf := n.buf
	if cap(buf)-len(buf) < chunk {
		buf = make([]byte, len(n.buf), max(2*len(n.buf), 2*batchBytes)+chunk)
		copy(buf, n.buf)
	}
	k, err := n.src.Reader.Read(buf[len(buf) : len(buf)+chunk])
	n.buf = buf[:len(buf)+k]
	n.short = k < chunk
	if err == io.EOF {
		n.err = io.EOF
	} else if err != nil {
		n.err = &rows.Error{File: n.src.Name, Line: n.line + bytes.Count(n.buf, newline), Err: err}
	}
}

var newline = []byte{'\n'}

// cut returns a batch if enough is there for one, or nil.
func (n *reader) cut() *batch {
	if n.long {
		n.skipLong()
	}
	end, count := 0, 0
	for count < batchLines && end < batchBytes {
		i := bytes.IndexByte(n.buf[end:], '\n')
		if i < 0 {
			break
		}
		end += i + 1
		count++
	}
	switch {
	case count == batchLines || end >= batchBytes || end > 0 && (n.short || n.err != nil):
	case n.err == nil && len(n.buf)-end > MaxLine:
		if end > 0 {
			break // first what stands before it
		}
		b := n.take(len(n.buf), 0)
		b.tooLong = true
		n.long = true
		return b
	case n.err == io.EOF && len(n.buf) > 0: // the last line has no line end
		return n.take(len(n.buf), 1)
	default:
		return nil
	}
	return n.take(end, count)
}

func (n *reader) take(end, count int) *batch {
	b := &batch{data: n.buf[:end:end], line: n.line, file: n.src.Name}
	n.buf = n.buf[end:]
	n.line += count
	n.off += int64(end)
	b.consumed = n.src.Position(n.off)
	return b
}

// skipLong drops bytes up to the end of a line that was too long.
func (n *reader) skipLong() {
	i := bytes.IndexByte(n.buf, '\n')
	if i < 0 {
		n.off += int64(len(n.buf))
		n.buf = nil
		return
	}
	n.take(i+1, 1)
	n.long = false
}

type batch struct {
	data    []byte
	line    int
	file    string
	tooLong bool

	consumed int64
}

func (b *batch) Consumed() int64 { return b.consumed }

func (b *batch) Expand(emit func(*rows.Unit)) {
	var e event
	u := rows.Unit{Signatures: make([]rows.Signature, 1), Keys: make([][]byte, 1)}
	if b.tooLong {
		emit(&rows.Unit{Where: b.where(0), Decided: rows.Malformed,
			Reason: fmt.Sprintf("the line is longer than %d MiB", MaxLine>>20)})
		return
	}
	data := b.data
	for n := 0; len(data) > 0; n++ {
		line, rest, _ := bytes.Cut(data, newline)
		data = rest
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		u.Where, u.Decided, u.Reason = b.where(n), rows.Unchecked, ""
		e.unit(line, &u)
		emit(&u)
	}
}

func (b *batch) where(n int) rows.Where {
	w := rows.In(b.file)
	w.Line = b.line + n
	return w
}

// unit fills u from line.
func (e *event) unit(line []byte, u *rows.Unit) {
	err := e.parseLine(line)
	if e.seen&fieldID != 0 {
		u.Where.Event = hex.EncodeToString(e.id[:])
	}
	switch {
	case errors.Is(err, errPassedOver):
		u.Decided = rows.PassedOver
		return
	case err != nil:
		u.Decided, u.Reason = rows.Malformed, err.Error()
		return
	}
	if id := e.computeID(); id != e.id {
		u.Decided = rows.Invalid
		u.Reason = fmt.Sprintf("the id is not the hash of the event, which is %x", id)
		if e.controls && e.escapedControlsID() == e.id {
			u.Reason += `; it is the hash with control characters written as \u00xx, which NIP-01 does not do`
		}
		return
	}
	u.Scheme = rows.Schnorr
	u.Signatures[0].Digest = e.id
	u.Signatures[0].Sig = e.sig[:]
	u.Keys[0] = e.key[:]
}
