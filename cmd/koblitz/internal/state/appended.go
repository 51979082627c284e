package state

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"fmt"
	"hash"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
)

// An Appended is a file to which a run only appends. The run that resumes cuts it to the length
// that the state holds.
type Appended struct {
	*bufio.Writer // of end

	name    string
	end     hashed
	reached position // position at the last call of Reached
}

// A position is a place in a file.
type position struct {
	size int64     // number of bytes before it
	sum  hash.Hash // SHA-256 of these bytes
}

// clone returns a copy of p that does not change with p. It encodes p.sum, because SHA-256 is no
// hash.Cloner in programs that were built with GOFIPS140=v1.0.0.
func (p *position) clone() position {
	sum := sha256.New()
	text, err := p.sum.(encoding.BinaryMarshaler).MarshalBinary()
	if err == nil {
		err = sum.(encoding.BinaryUnmarshaler).UnmarshalBinary(text)
	}
	if err != nil {
		panic(err) // unreachable: every SHA-256 can be encoded
	}
	return position{p.size, sum}
}

// sumWith returns the SHA-256 of the bytes before p, followed by text.
func (p *position) sumWith(text []byte) []byte {
	sum := p.clone().sum
	sum.Write(text)
	return sum.Sum(nil)
}

// A hashed is a file with the position of its end.
type hashed struct {
	durable.File
	position
}

func (h *hashed) Write(b []byte) (int, error) {
	n, err := h.File.Write(b)
	h.size += int64(n)
	h.sum.Write(b[:n])
	return n, err
}

// An Extent describes the content of an Appended up to some length.
type Extent struct {
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// openFile opens the file called name, or creates it. See durable.OpenOwn.
func openFile(disk durable.FS, name, magic, what string) (*Appended, error) {
	file, err := durable.OpenOwn(disk, name, magic, what)
	if err != nil {
		return nil, err
	}
	f := &Appended{name: name, end: hashed{file, position{sum: sha256.New()}}}
	f.Writer = bufio.NewWriterSize(&f.end, 64<<10)
	return f, nil
}

// resume continues with the first e.Size bytes of the file, and cuts off the rest. It returns an
// error if their sum is not that of e, or if done is set and there are more bytes.
func (f *Appended) resume(ctx context.Context, e *Extent, done bool) error {
	size, err := f.end.Size()
	if err != nil {
		return err
	}
	changed := func(format string, args ...any) error {
		return fmt.Errorf("%s is not as it was written: "+format, append([]any{f.name}, args...)...)
	}
	if size < e.Size || done && size > e.Size {
		return changed("it has %d bytes, and had %d", size, e.Size)
	}
	for f.end.size < e.Size {
		next := io.NewSectionReader(f.end, f.end.size, min(e.Size-f.end.size, 1<<20))
		n, err := io.Copy(f.end.sum, next)
		f.end.size += n
		if err == nil && n == 0 {
			err = io.ErrUnexpectedEOF
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
	}
	f.reached = f.end.clone()
	if now := *f.extent(); now != *e {
		return changed("its first %d bytes have the SHA-256 %s, and had %s", e.Size, now.SHA256, e.SHA256)
	}
	return f.cut()
}

// Empty reports whether the file has no bytes yet.
func (f *Appended) Empty() bool { return f.end.size == 0 && f.Buffered() == 0 }

// extent returns the extent up to the last call of Reached.
func (f *Appended) extent() *Extent {
	return &Extent{f.reached.size, hex.EncodeToString(f.reached.sum.Sum(nil))}
}

// Reached makes the next call of save cover all bytes written so far.
func (f *Appended) Reached() error {
	if err := f.Flush(); err != nil {
		return err
	}
	f.reached = f.end.clone()
	return nil
}

// cut drops all bytes after the position reached.
func (f *Appended) cut() error {
	size, err := f.end.Size()
	if err != nil || size == f.reached.size {
		return err
	}
	f.end.position = f.reached.clone()
	return f.end.Truncate(f.end.size)
}

// save drops the bytes written after the last call of Reached, and makes those before durable.
func (f *Appended) save() error {
	if err := f.Flush(); err != nil {
		return err
	}
	if err := f.cut(); err != nil {
		return err
	}
	return f.end.Sync()
}
