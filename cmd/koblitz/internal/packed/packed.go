// Package packed reads rows of fixed width without separators.
//
//	packed-bip340   32 message, 32 x-only key, 64 signature     128 bytes a row
//	packed-ecdsa    32 hash, 33 compressed key, 64 r‖s          129 bytes a row
//
// Such a file has no magic number, so the user always names its format.
package packed

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A Format describes the fields of one row.
type Format struct {
	Name   string
	Scheme reading.Scheme
	Key    int // size of the key in bytes
}

var (
	BIP340 = Format{"packed-bip340", reading.Schnorr, 32}
	ECDSA  = Format{"packed-ecdsa", reading.ECDSA, 33}
)

// Width is the number of bytes of a row.
func (f Format) Width() int { return 32 + f.Key + 64 }

// rowsPerBatch is the number of rows in a batch: about 128 KiB of rows, and a few tens of
// milliseconds of verification.
const rowsPerBatch = 1024

type reader struct {
	src    reading.Source
	format Format
	stream bool
	buf    []byte // room for the rows of a batch
	rest   int    // number of bytes of an incomplete row at the start of buf
	row    int64  // number of the next row
	err    error
}

// NewReader returns a reader of the rows of the file src.
func NewReader(src reading.Source, format Format) reading.Reader {
	return &reader{src: src, format: format, buf: make([]byte, rowsPerBatch*format.Width()),
		row: src.From.Skipped() / int64(format.Width())}
}

// NewStream returns a reader of the rows of a stream, which may be empty. A batch has the rows that
// have arrived, at least one and at most 1,024, and is a *Batch.
func NewStream(name string, in io.Reader, format Format) reading.Reader {
	r := NewReader(reading.Source{Name: name, Reader: in}, format).(*reader)
	r.stream = true
	return r
}

func (p *reader) Close() error { return nil }

func (p *reader) Next() (reading.Batch, error) {
	if p.err != nil {
		return nil, p.err
	}
	w := p.format.Width()
	least := len(p.buf)
	if p.stream {
		least = w
	}
	n, err := io.ReadAtLeast(p.src.Reader, p.buf[p.rest:], least-p.rest)
	n += p.rest
	rows := bytes.Clone(p.buf[:n-n%w])
	p.rest = copy(p.buf, p.buf[len(rows):n])
	b := &Batch{Rows: rows, first: p.row, file: p.src.Name, format: p.format}
	p.row += int64(n / w)
	end := p.row * int64(w)
	b.Part = reading.Part{Read: p.src.Position(end), Memory: int64(len(rows) + n/w*reading.RowSize),
		After: &reading.Place{Offset: end}}
	if err != nil {
		p.err = p.end(err)
	}
	if n < w {
		return nil, p.err
	}
	return b, nil
}

// end returns the reader's error for a read that failed with err, or io.EOF at the end of a
// complete input.
func (p *reader) end(err error) error {
	at := p.row*int64(p.format.Width()) + int64(p.rest)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		switch {
		case p.rest > 0:
			err = fmt.Errorf("the file ends inside row %d, after %d of its %d bytes (truncated, or not %s)",
				p.row, p.rest, p.format.Width(), p.format.Name)
		case at > 0 || p.stream:
			return io.EOF
		default:
			err = errors.New("an empty file")
		}
	}
	return &reading.Error{File: p.src.Name, Offset: at, Err: err}
}

// A Batch is a range of rows.
type Batch struct {
	reading.Part
	Rows   []byte // the rows' bytes; at least one row, and no part of another
	first  int64  // number of the first row
	file   string
	format Format
}

func (b *Batch) Expand(emit func(*reading.Unit)) {
	w, k := b.format.Width(), b.format.Key
	u := reading.Unit{
		Where:      reading.In(b.file),
		Scheme:     b.format.Scheme,
		Compact:    true,
		Signatures: make([]reading.Signature, 1),
		Keys:       make([][]byte, 1),
	}
	for i := 0; i*w < len(b.Rows); i++ {
		row := b.Rows[i*w : (i+1)*w]
		u.Raw = row
		u.Where.Row = b.first + int64(i)
		u.Where.Offset = u.Where.Row * int64(w)
		copy(u.Signatures[0].Digest[:], row[:32])
		u.Keys[0] = row[32 : 32+k]
		u.Signatures[0].Sig = row[32+k:]
		emit(&u)
	}
}
