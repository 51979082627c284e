// Package packed reads rows of fixed width without separators.
//
//	packed-bip340   32 message, 32 x-only key, 64 signature     128 bytes a row
//	packed-ecdsa    32 hash, 33 compressed key, 64 r‖s          129 bytes a row
//
// Such a file has no magic number, so the user always names its format.
package packed

import (
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
	row    int64
	err    error
}

// NewReader returns a reader of the rows in src.
func NewReader(src reading.Source, format Format) reading.Reader {
	return &reader{src: src, format: format, row: src.From.Skipped() / int64(format.Width())}
}

func (p *reader) Close() error { return nil }

func (p *reader) Next() (reading.Batch, error) {
	if p.err != nil {
		return nil, p.err
	}
	w := p.format.Width()
	data := make([]byte, rowsPerBatch*w)
	n, err := io.ReadFull(p.src.Reader, data)
	full := n / w
	b := newBatch(p.src.Name, p.format, p.row, data[:full*w])
	b.Read = p.src.Position(b.Read)
	p.row += int64(full)
	if err != nil {
		p.err = p.end(err, n%w)
	}
	if full == 0 {
		return nil, p.err
	}
	return b, nil
}

// end returns the reader's error for a read that failed with err, or io.EOF at the end of a
// complete file. rest is the number of bytes of an unfinished last row.
func (p *reader) end(err error, rest int) error {
	w := p.format.Width()
	at := p.row*int64(w) + int64(rest)
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return &reading.Error{File: p.src.Name, Offset: at, Err: err}
	}
	switch {
	case rest == 0 && p.row == 0:
		return &reading.Error{File: p.src.Name, Offset: 0, Err: errors.New("an empty file")}
	case rest == 0:
		return io.EOF
	}
	return &reading.Error{File: p.src.Name, Offset: at, Err: fmt.Errorf(
		"the file ends inside row %d, after %d of its %d bytes (truncated, or not %s)", p.row, rest, w,
		p.format.Name)}
}

// Batch returns a batch with the rows in data, which must be complete. first is the number that the
// first of these rows has in the file. The batch keeps data without copying it.
func Batch(file string, format Format, first int64, data []byte) reading.Batch {
	return newBatch(file, format, first, data)
}

func newBatch(file string, format Format, first int64, data []byte) *batch {
	n := len(data) / format.Width()
	end := (first + int64(n)) * int64(format.Width())
	return &batch{data: data, first: first, file: file, format: format, Part: reading.Part{Read: end,
		Memory: int64(len(data) + n*reading.RowSize), After: &reading.Place{Offset: end}}}
}

type batch struct {
	reading.Part
	data   []byte
	first  int64
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
	for i := 0; i*w < len(b.data); i++ {
		row := b.data[i*w : (i+1)*w]
		u.Raw = row
		u.Where.Row = b.first + int64(i)
		u.Where.Offset = u.Where.Row * int64(w)
		copy(u.Signatures[0].Digest[:], row[:32])
		u.Keys[0] = row[32 : 32+k]
		u.Signatures[0].Sig = row[32+k:]
		emit(&u)
	}
}
