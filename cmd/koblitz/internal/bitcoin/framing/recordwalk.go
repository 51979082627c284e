package framing

import (
	"bytes"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A Walk finds the records of a blk*.dat or rev*.dat file.
type Walk struct {
	Form
	File io.ReaderAt
	Size int64 // number of bytes of the file to read
	Tail int64 // number of bytes after the content of each record

	At     int64
	Window Window
	gaps   Gaps
}

// Next returns the offset of the next record and the size of the record's content, which excludes
// the head and the tail. After the last record it returns io.EOF, or an error if there were gaps
// between records. Any other error is a *rows.Error. Next must not be called again after an error.
func (w *Walk) Next() (at int64, size uint32, err error) {
	w.Window.f = w.File
	fail := func(err error) (int64, uint32, error) {
		return 0, 0, &rows.Error{File: w.Name, Offset: w.At, Err: err}
	}
	for {
		if w.At == w.Size {
			if err := w.gaps.Err(); err != nil {
				return 0, 0, err
			}
			return 0, 0, io.EOF
		}
		b, err := w.Window.Bytes(w.At, int(min(HeadSize, w.Size-w.At)))
		if err != nil {
			return fail(err)
		}
		if bytes.Count(b, []byte{0}) == len(b) {
			// Core does not obfuscate the zeros that it preallocates at the end of its newest file.
			w.At += int64(len(b))
			if w.At, err = w.zeros(); err != nil {
				return fail(err)
			}
			continue
		}
		size, bad := w.Read(b, w.At)
		if end := w.At + HeadSize + int64(size) + w.Tail; bad == nil && end > w.Size {
			bad = &rows.Error{File: w.Name, Offset: w.At, Err: fmt.Errorf("the file ends in the middle of "+
				"a record: %d of %d bytes are there", w.Size-w.At, end-w.At)}
		}
		if bad == nil {
			at = w.At
			w.At += HeadSize + int64(size) + w.Tail
			return at, size, nil
		}
		w.gaps.Begin(bad)
		if err := w.passGap(); err != nil {
			return fail(err)
		}
	}
}

// passGap advances At to the next record after it, or to the end of the file.
func (w *Walk) passGap() error {
	for w.At++; w.At+HeadSize <= w.Size; {
		b, err := w.Window.Bytes(w.At, int(min(windowSize, w.Size-w.At)))
		if err != nil {
			return err
		}
		if i := w.Find(b, w.At, w.Size-w.At-w.Tail); i >= 0 {
			w.At += int64(i)
			w.gaps.End(w.At)
			return nil
		}
		w.At += int64(len(b) - (HeadSize - 1))
	}
	w.At = w.Size
	return nil
}

// zeros returns the offset of the first byte from At on that is not zero, or the end of the file.
func (w *Walk) zeros() (int64, error) {
	for at := w.At; at < w.Size; {
		b, err := w.Window.Bytes(at, int(min(windowSize, w.Size-at)))
		if err != nil {
			return at, err
		}
		rest := bytes.TrimLeft(b, "\x00")
		if at += int64(len(b) - len(rest)); len(rest) > 0 {
			return at, nil
		}
	}
	return w.Size, nil
}

// windowSize is the number of bytes that a Window reads at a time. It is large enough to read the
// heads of many small records at once, and small enough to waste little on a large record.
const windowSize = 4096

// A Window reads short ranges of a file, mostly in ascending order, from a buffer.
type Window struct {
	f   io.ReaderAt
	at  int64
	buf []byte
}

// Bytes returns n bytes from offset at of the file. They are valid until the next call.
func (w *Window) Bytes(at int64, n int) ([]byte, error) {
	if at < w.at || at+int64(n) > w.at+int64(len(w.buf)) {
		if w.buf = w.buf[:0]; cap(w.buf) < max(n, windowSize) {
			w.buf = make([]byte, 0, max(n, windowSize))
		}
		got, err := w.f.ReadAt(w.buf[:cap(w.buf)], at)
		w.at, w.buf = at, w.buf[:got]
		if got < n {
			if err == io.EOF {
				err = ErrShorter
			}
			return nil, Bare(err)
		}
	}
	i := at - w.at
	return w.buf[i : i+int64(n)], nil
}
