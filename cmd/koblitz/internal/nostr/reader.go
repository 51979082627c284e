package nostr

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/buffer"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

const (
	// MaxLine is the longest line that is read as an event. Relays accept far
	// less (NIP-11, max_message_length: mostly 64 KiB to 1 MiB); the limit keeps a
	// file without line ends from filling memory.
	MaxLine = 2 << 20

	// lineCopies is how many times its length a line takes at most while it is
	// read: what is hashed of its tags and content, the text that is hashed, and
	// the smaller buffers that these grew out of.
	lineCopies = 6

	batchLines = 256
	batchBytes = 256 << 10
)

type reader struct {
	src  rows.Source
	line int   // of the first line in buf, from 1
	off  int64 // of the first byte in buf
	buf  []byte
	of   *buffer.Buffer // that buf is in, or nil
	err  error

	some  bool // there was a line that is not empty
	short bool // the last read brought less than was asked for: more may be long in coming
	long  bool // inside the rest of a line that was too long
}

// NewReader reads lines from src.
func NewReader(src rows.Source) rows.Reader {
	d := detail{Line: 1}
	r := &reader{src: src}
	if err := src.From.Tell(&d); err != nil {
		r.err = &rows.Error{File: src.Name, Offset: -1, Err: fmt.Errorf("no place in it: %w", err)}
	}
	r.line, r.some, r.off = d.Line, d.Some, src.From.Skipped()
	return r
}

// A detail is what a reader wants to know that begins at a place (rows.Place).
type detail struct {
	Line int  `json:"line"` // there, from 1
	Some bool `json:"some"` // a line before it is not empty
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

// fill reads more, into another buffer if this one has no room: the batches that were cut off still
// use it.
func (n *reader) fill() {
	const chunk = batchBytes / 2
	buf, of := n.of.Room(n.buf, chunk, max(2*len(n.buf), 2*batchBytes))
	k, err := n.src.Reader.Read(buf[len(buf) : len(buf)+chunk])
	n.buf, n.of = buf[:len(buf)+k], of
	n.short = k < chunk
	n.some = n.some || !blank(n.buf)
	if err == io.EOF && !n.some {
		n.err = &rows.Error{File: n.src.Name, Line: 1, Err: errors.New("an empty file")}
	} else if err == io.EOF {
		n.err = io.EOF
	} else if err != nil {
		n.err = &rows.Error{File: n.src.Name, Line: n.line + bytes.Count(n.buf, newline), Err: err}
	}
}

var newline = []byte{'\n'}

// blank returns whether there is nothing but the white space of JSON (RFC 8259, section
// 2). Unicode has more, which JSON does not, and which may come in parts.
func blank(b []byte) bool {
	for _, c := range b {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}

// cut returns a batch if enough is there for one, or nil.
func (n *reader) cut() *batch {
	if n.long {
		n.skipLong()
	}
	end, count, longest := 0, 0, 0
	for count < batchLines && end < batchBytes {
		i := bytes.IndexByte(n.buf[end:], '\n')
		if i < 0 {
			break
		}
		if i > MaxLine {
			if count > 0 {
				return n.take(end, count, longest) // first what stands before it
			}
			b := n.take(i+1, 1, 0)
			b.giveUp()
			return b
		}
		end += i + 1
		count++
		longest = max(longest, i)
	}
	switch {
	case count == batchLines || end >= batchBytes || end > 0 && (n.short || n.err != nil):
	case len(n.buf)-end > MaxLine:
		if end > 0 {
			break // first what stands before it
		}
		b := n.take(len(n.buf), 0, 0)
		b.giveUp()
		b.place, n.long = nil, true
		return b
	case n.err == io.EOF && len(n.buf) > 0: // the last line has no line end
		return n.take(len(n.buf), 1, len(n.buf))
	default:
		return nil
	}
	return n.take(end, count, longest)
}

// take cuts off the first end bytes: count lines, the longest of which has that
// many bytes.
func (n *reader) take(end, count, longest int) *batch {
	b := &batch{line: n.line, file: n.src.Name, lines: count, longest: longest}
	b.data, b.of = n.of.Part(n.buf[:end:end])
	n.buf = n.buf[end:]
	n.line += count
	n.off += int64(end)
	b.consumed = n.src.Position(n.off)
	b.place = rows.NewPlace(n.off, detail{n.line, n.some})
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
	n.take(i+1, 1, 0).of.Release()
	n.long = false
}

type batch struct {
	data    []byte
	of      *buffer.Buffer // that data is in, until Expand is done with it
	lines   int            // in data
	longest int            // bytes
	line    int            // the first one
	file    string
	tooLong bool

	consumed int64
	place    *rows.Place // nil in the midst of a line
}

// giveUp makes b a line that is too long, of which nothing is kept.
func (b *batch) giveUp() {
	b.of.Release()
	b.tooLong, b.data, b.of = true, nil, nil
}

func (b *batch) Consumed() int64 { return b.consumed }

func (b *batch) Place() *rows.Place { return b.place }

func (b *batch) Size() int64 {
	return int64(len(b.data)) + lineCopies*int64(b.longest) + int64(1+b.lines)*rows.RowSize
}

func (b *batch) Expand(emit func(*rows.Unit)) {
	defer b.of.Release()
	if b.tooLong {
		emit(&rows.Unit{Where: b.where(0), Decided: rows.Malformed,
			Reason: fmt.Sprintf("the line is longer than %d MiB", MaxLine>>20)})
		return
	}
	l := newLineReader(emit)
	data := b.data
	for n := 0; len(data) > 0; n++ {
		line, rest, _ := bytes.Cut(data, newline)
		data = rest
		if blank(line) {
			continue
		}
		l.read(line, b.where(n))
	}
}

func (b *batch) where(n int) rows.Where {
	w := rows.In(b.file)
	w.Line = b.line + n
	return w
}
