package bitcoin

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/framing"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// next returns the offset of the next record of a blk*.dat file and its content, which is still
// obfuscated if the file is. At the end of the file it returns io.EOF, or an error if there were
// bytes between records that belong to no record.
func (f *blkFile) next() (at int64, data []byte, err error) {
	form := framing.OfBlocks(f.src.Name, f.c.network, f.c.key)
	for {
		head, err := f.r.Peek(framing.HeadSize)
		if err != nil && err != io.EOF {
			return 0, nil, f.fail(f.off+int64(len(head)), "%w", err)
		}
		if len(head) == 0 || bytes.HasPrefix(head, make([]byte, 4)) {
			if err := f.skipZeros(); err != nil {
				return 0, nil, err
			}
			continue
		}
		at = f.off
		size, bad := form.Read(head, at)
		if bad == nil {
			if data, bad, err = f.content(int64(size)); data != nil || err != nil {
				return at, data, err
			}
		}
		f.gaps.Begin(bad)
		if err := f.passGap(&form); err != nil {
			return 0, nil, err
		}
	}
}

// content reads a record whose content has size bytes; its head is still in the reader's buffer. If
// the file ends within the record, content returns an error in bad, and the next read starts at the
// record's head again.
func (f *blkFile) content(size int64) (data []byte, bad *rows.Error, err error) {
	at := f.off
	cut := func(n int64) *rows.Error {
		return &rows.Error{File: f.src.Name, Offset: at,
			Err: fmt.Errorf("the file ends in the middle of a block: %d of %d bytes are there", n, size)}
	}
	if f.end > 0 && at+framing.HeadSize+size > f.end {
		return nil, cut(f.end - at - framing.HeadSize), nil
	}
	rest := make([]byte, framing.HeadSize+size)
	n, err := io.ReadFull(f.r, rest)
	switch f.off += int64(n); {
	case err == nil:
		return rest[framing.HeadSize:], nil, nil
	case err != io.EOF && err != io.ErrUnexpectedEOF:
		return nil, nil, f.fail(f.off, "%w", err)
	}
	f.r.Reset(bytes.NewReader(rest[:n]))
	f.off, f.end = at, f.off
	return nil, cut(int64(n) - framing.HeadSize), nil
}

// passGap skips at least one byte, and then all bytes up to the next record or the end of the file.
func (f *blkFile) passGap(form *framing.Form) error {
	f.drop(1)
	for {
		b, err := f.r.Peek(f.r.Size())
		if err != nil && err != io.EOF {
			return f.fail(f.off+int64(len(b)), "%w", err)
		}
		room := int64(math.MaxInt64)
		if f.end > 0 {
			room = f.end - f.off
		}
		if i := form.Find(b, f.off, room); i >= 0 {
			f.drop(i)
			f.gaps.End(f.off)
			return nil
		}
		if err == io.EOF {
			f.drop(len(b))
			return nil
		}
		f.drop(len(b) - (framing.HeadSize - 1))
	}
}

// drop discards n bytes, which must be in the reader's buffer.
func (f *blkFile) drop(n int) {
	f.r.Discard(n)
	f.off += int64(n)
}

// skipZeros skips the zeros that Bitcoin Core leaves at the end of its newest file.
func (f *blkFile) skipZeros() error {
	for {
		c, err := f.r.ReadByte()
		if err == io.EOF {
			if err := f.gaps.Err(); err != nil {
				return err
			}
			return io.EOF
		}
		if err != nil {
			return f.fail(f.off, "%w", err)
		}
		if c != 0 {
			return f.r.UnreadByte()
		}
		f.off++
	}
}
