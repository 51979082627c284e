package bitcoin

import (
	"bytes"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A recordWalk finds the records of a blk*.dat or rev*.dat file.
type recordWalk struct {
	framing
	f    io.ReaderAt
	size int64 // of the file, as far as it is looked at
	tail int64 // bytes behind each record

	at     int64
	window window
	gaps   gaps
}

// next returns where the next record begins and how many bytes are behind its head of 8, without
// the tail. After the last one it gives io.EOF, or what is wrong with the bytes between records.
// Every other error is a *rows.Error. After an error it is not called again.
func (w *recordWalk) next() (at int64, size uint32, err error) {
	w.window.f = w.f
	fail := func(err error) (int64, uint32, error) {
		return 0, 0, &rows.Error{File: w.name, Offset: w.at, Err: err}
	}
	for {
		if w.at == w.size {
			if err := w.gaps.err(); err != nil {
				return 0, 0, err
			}
			return 0, 0, io.EOF
		}
		b, err := w.window.bytes(w.at, int(min(frameSize, w.size-w.at)))
		if err != nil {
			return fail(err)
		}
		if bytes.Count(b, []byte{0}) == len(b) {
			// What Core sets aside at the end of its newest file is not xored.
			w.at += int64(len(b))
			if w.at, err = w.zeros(); err != nil {
				return fail(err)
			}
			continue
		}
		size, bad := w.read(b, w.at)
		if end := w.at + frameSize + int64(size) + w.tail; bad == nil && end > w.size {
			bad = &rows.Error{File: w.name, Offset: w.at, Err: fmt.Errorf("the file ends in the middle of "+
				"a record: %d of %d bytes are there", w.size-w.at, end-w.at)}
		}
		if bad == nil {
			at = w.at
			w.at += frameSize + int64(size) + w.tail
			return at, size, nil
		}
		w.gaps.begin(bad)
		if err := w.passGap(); err != nil {
			return fail(err)
		}
	}
}

// passGap goes to the next record behind w.at, or to the end of the file.
func (w *recordWalk) passGap() error {
	for w.at++; w.at+frameSize <= w.size; {
		b, err := w.window.bytes(w.at, int(min(windowSize, w.size-w.at)))
		if err != nil {
			return err
		}
		if i := w.find(b, w.at, w.size-w.at-w.tail); i >= 0 {
			w.at += int64(i)
			w.gaps.end(w.at)
			return nil
		}
		w.at += int64(len(b) - (frameSize - 1))
	}
	w.at = w.size
	return nil
}

// zeros returns where the zeros from w.at on end.
func (w *recordWalk) zeros() (int64, error) {
	for at := w.at; at < w.size; {
		b, err := w.window.bytes(at, int(min(windowSize, w.size-at)))
		if err != nil {
			return at, err
		}
		rest := bytes.TrimLeft(b, "\x00")
		if at += int64(len(b) - len(rest)); len(rest) > 0 {
			return at, nil
		}
	}
	return w.size, nil
}

// windowSize is how much a window reads at once: the heads of many small records, and little of a
// large one.
const windowSize = 4096

// A window reads small pieces of a file, mostly one behind the other.
type window struct {
	f   io.ReaderAt
	at  int64
	buf []byte
}

// bytes returns the n bytes at that place, which are valid until the next call.
func (w *window) bytes(at int64, n int) ([]byte, error) {
	if at < w.at || at+int64(n) > w.at+int64(len(w.buf)) {
		if w.buf = w.buf[:0]; cap(w.buf) < max(n, windowSize) {
			w.buf = make([]byte, 0, max(n, windowSize))
		}
		got, err := w.f.ReadAt(w.buf[:cap(w.buf)], at)
		w.at, w.buf = at, w.buf[:got]
		if got < n {
			if err == io.EOF {
				err = errShorter
			}
			return nil, bare(err)
		}
	}
	i := at - w.at
	return w.buf[i : i+int64(n)], nil
}
