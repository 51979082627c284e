package nostr

import (
	"bytes"
	"errors"
	"fmt"
	"io"

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
	err  error

	some  bool // there was a line that is not empty
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
func blank(b []byte) bool { return len(bytes.Trim(b, " \t\r\n")) == 0 }

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
		end += i + 1
		count++
		longest = max(longest, i)
	}
	switch {
	case count == batchLines || end >= batchBytes || end > 0 && (n.short || n.err != nil):
	case n.err == nil && len(n.buf)-end > MaxLine:
		if end > 0 {
			break // first what stands before it
		}
		b := n.take(len(n.buf), 0, 0)
		b.tooLong, b.data = true, nil
		n.long = true
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
	b := &batch{data: n.buf[:end:end], line: n.line, file: n.src.Name, lines: count, longest: longest}
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
	n.take(i+1, 1, 0)
	n.long = false
}

type batch struct {
	data    []byte
	lines   int // in data
	longest int // bytes
	line    int // the first one
	file    string
	tooLong bool

	consumed int64
}

func (b *batch) Consumed() int64 { return b.consumed }

func (b *batch) Size() int64 {
	return int64(len(b.data)) + lineCopies*int64(b.longest) + int64(1+b.lines)*rows.RowSize
}

func (b *batch) Expand(emit func(*rows.Unit)) {
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
