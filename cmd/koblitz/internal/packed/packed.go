// Package packed reads rows of fixed width without separators.
//
//	packed-bip340   32 message, 32 x-only key, 64 signature     128 bytes a row
//	packed-ecdsa    32 hash, 33 compressed key, 64 r‖s          129 bytes a row
//
// Such a file has no magic number, so the user always names its format.
//
// The package also answers streams of rows, as they arrive, so that a program that writes some rows
// and waits gets their verdicts without writing more.
package packed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
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
	stream bool   // a batch has the rows that have arrived, and no rows at all are no error
	buf    []byte // room for the rows of a batch
	rest   int    // number of bytes of an incomplete row at the start of buf
	row    int64  // number of the next row
	err    error
}

// NewReader returns a reader of the rows of the file src.
func NewReader(src reading.Source, format Format) reading.Reader { return newReader(src, format) }

func newReader(src reading.Source, format Format) *reader {
	return &reader{src: src, format: format, buf: make([]byte, rowsPerBatch*format.Width()),
		row: src.From.Skipped() / int64(format.Width())}
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
	b := &batch{rows: rows, first: p.row, file: p.src.Name, format: p.format}
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

// A batch is a range of rows.
type batch struct {
	reading.Part
	rows   []byte // the rows' bytes; at least one row, and no part of another
	first  int64  // number of the first row
	file   string
	format Format
}

func (b *batch) Expand(emit func(*reading.Unit)) {
	w, k := b.format.Width(), b.format.Key
	u := reading.Unit{
		Where:      reading.In(b.file),
		Scheme:     b.format.Scheme,
		Compact:    true,
		Signatures: make([]reading.Signature, 1),
		Keys:       make([][]byte, 1),
	}
	for i := 0; i*w < len(b.rows); i++ {
		row := b.rows[i*w : (i+1)*w]
		u.Raw = row
		u.Where.Row = b.first + int64(i)
		u.Where.Offset = u.Where.Row * int64(w)
		copy(u.Signatures[0].Digest[:], row[:32])
		u.Keys[0] = row[32 : 32+k]
		u.Signatures[0].Sig = row[32+k:]
		emit(&u)
	}
}

// Answer reads rows in the given format from src to its end. It writes each row to dst, followed by
// one byte with its verdict, a number of package batch. If src ends inside a row, Answer first
// writes all rows before it, and then returns an error. cfg configures the verification.
func Answer(ctx context.Context, cfg verify.Config, src io.Reader, dst io.Writer,
	format Format) error {
	r := newReader(reading.Source{Name: "stdin", Reader: src}, format)
	r.stream = true
	var verdicts, answer []byte // of a batch
	row := func(r *verify.Row) { verdicts = append(verdicts, byte(r.Verdict)) }
	return verify.Answer(ctx, cfg, r, row, func(b reading.Batch) error {
		rows, w := b.(*batch).rows, format.Width()
		if len(verdicts)*w != len(rows) || bytes.IndexByte(verdicts, byte(reading.Unchecked)) >= 0 {
			return errors.New("a row without a verdict")
		}
		answer = answer[:0]
		for i, v := range verdicts {
			answer = append(append(answer, rows[i*w:(i+1)*w]...), v)
		}
		verdicts = verdicts[:0]
		_, err := dst.Write(answer)
		return err
	})
}
