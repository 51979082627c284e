package framing

import (
	"bytes"
	"cmp"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A Walk finds the records of a blk*.dat or rev*.dat file.
//
// Bytes that belong to no record are a gap. After a gap, reading resumes at the next bytes that
// look like the start of a record: the network's magic and a plausible size. Bitcoin Core finds
// blocks in the same way when it imports a file (ChainstateManager::LoadExternalBlockFile,
// src/validation.cpp), but ignores gaps. Here the first gap is an error at the end of the file.
type Walk struct {
	Form
	Tail int64 // number of bytes after the content of each record
	At   int64

	window
	gap *reading.Error // error of the first gap, or nil
}

// NewWalk returns a Walk through the first size bytes of f.
func NewWalk(form Form, f io.ReaderAt, size int64) Walk {
	return Walk{Form: form, window: window{f: f, size: size}}
}

// Next returns the offset of the next record and the size of the record's content, which excludes
// the head and the tail. After the last record it returns io.EOF, or the error of the first gap
// between records. Any other error is a *reading.Error. Next must not be called again after an
// error.
func (w *Walk) Next() (at int64, size uint32, err error) {
	fail := func(err error) (int64, uint32, error) {
		return 0, 0, &reading.Error{File: w.Name, Offset: w.At, Err: err}
	}
	for {
		b, err := w.Bytes(w.At, HeadSize)
		if err != nil {
			return fail(err)
		}
		if len(b) == 0 {
			if w.gap != nil {
				return 0, 0, w.gap
			}
			return 0, 0, io.EOF
		}
		if bytes.Count(b, []byte{0}) == len(b) {
			// Core does not obfuscate the zeros that it preallocates at the end of its newest file.
			if err = w.passZeros(); err != nil {
				return fail(err)
			}
			continue
		}
		size, bad := w.read(b, w.At)
		end := w.At + HeadSize + int64(size) + w.Tail
		if bad == nil {
			if end <= w.size {
				at, w.At = w.At, end
				return at, size, nil
			}
			bad = &reading.Error{File: w.Name, Offset: w.At, Err: fmt.Errorf("the file ends in the "+
				"middle of a record: %d of %d bytes are there", w.size-w.At, end-w.At)}
		}
		w.gap = cmp.Or(w.gap, bad)
		if err := w.passGap(); err != nil {
			return fail(err)
		}
	}
}

// passGap skips bytes that belong to no record: it advances the walk's offset At to the next
// possible record in the file, or to the end of the file.
func (w *Walk) passGap() error {
	for w.At++; ; {
		b, err := w.Bytes(w.At, windowSize)
		if err != nil {
			return err
		}
		if len(b) < HeadSize {
			w.At += int64(len(b))
			return nil
		}
		if i := w.find(b, w.At, w.size-w.At-w.Tail); i >= 0 {
			w.At += int64(i)
			return nil
		}
		w.At += int64(len(b) - (HeadSize - 1))
	}
}

// passZeros advances the walk's offset At to the next byte that is not zero, or to the end of the
// file.
func (w *Walk) passZeros() error {
	for {
		b, err := w.Bytes(w.At, windowSize)
		if err != nil {
			return err
		}
		rest := bytes.TrimLeft(b, "\x00")
		if w.At += int64(len(b) - len(rest)); len(b) == 0 || len(rest) > 0 {
			return nil
		}
	}
}

// windowSize is the number of bytes that a window reads at a time. It is large enough to read the
// heads of many small records at once, and small enough to waste little on a large record.
const windowSize = 4096

// A window reads short ranges of a file of known size from a buffer.
type window struct {
	f    io.ReaderAt
	size int64
	at   int64
	buf  []byte
}

// Bytes returns n bytes of the file from offset on, or fewer at its end. They are valid until the
// next call. offset must not be less than in an earlier call.
func (w *window) Bytes(offset int64, n int) ([]byte, error) {
	n = int(min(int64(n), w.size-offset))
	if offset < w.at || offset+int64(n) > w.at+int64(len(w.buf)) {
		if w.buf = w.buf[:0]; cap(w.buf) < max(n, windowSize) {
			w.buf = make([]byte, 0, max(n, windowSize))
		}
		got, err := w.f.ReadAt(w.buf[:cap(w.buf)], offset)
		w.at, w.buf = offset, w.buf[:got]
		if got < n {
			if err == io.EOF {
				err = ErrShorter
			}
			return nil, reading.Bare(err)
		}
	}
	i := offset - w.at
	return w.buf[i : i+int64(n)], nil
}
