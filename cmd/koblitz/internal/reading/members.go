package reading

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/xi2/xz"
)

// A compressed file is a series of members, each a complete stream. Zeros may follow the last one,
// as on a tape. Other bytes after the end of a member are an error, which is not the one of a
// truncated file: the readers below find where a member ends, which decompression libraries do not
// tell.

// another reports whether raw, which is at the end of a member, goes on with the magic number of
// another one, or with a part of it before the end of the file. Otherwise it reads the rest, and
// returns io.EOF if all bytes are 0.
func another(raw *bufio.Reader, magic []byte) (bool, error) {
	head, err := raw.Peek(len(magic))
	if err != nil && err != io.EOF {
		return false, err
	}
	if len(head) > 0 && bytes.HasPrefix(magic, head) {
		return true, nil
	}
	return false, rest(raw)
}

// rest reads the rest of a file after its last member. It returns io.EOF if all bytes are 0, and
// otherwise an error with their number, to which it adds the bytes in read.
func rest(raw io.Reader, read ...byte) error {
	n, zeros := int64(len(read)), len(bytes.Trim(read, "\x00")) == 0
	var b [4096]byte
	for {
		k, err := raw.Read(b[:])
		n, zeros = n+int64(k), zeros && len(bytes.Trim(b[:k], "\x00")) == 0
		switch {
		case err == io.EOF && zeros:
			return io.EOF
		case err == io.EOF && n == 1:
			return errors.New("1 byte follows its end")
		case err == io.EOF:
			return fmt.Errorf("%d bytes follow its end", n)
		case err != nil:
			return err
		}
	}
}

// members reads the members of a file one after the other. z reads one of them up to its end. next
// makes z read the next one, or returns io.EOF at the end of the file.
type members struct {
	z    io.Reader
	next func() error
}

func (m *members) Read(b []byte) (int, error) {
	for {
		n, err := m.z.Read(b)
		switch {
		case err != io.EOF:
			return n, err
		case n > 0:
			return n, nil // the next call returns io.EOF again
		}
		if err := m.next(); err != nil {
			return 0, err
		}
	}
}

// newGzipMembers returns a reader of the members of a gzip file (RFC 1952, section 2.2).
func newGzipMembers(raw *bufio.Reader) (*members, error) {
	z, err := gzip.NewReader(raw)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &members{z, func() error {
		if more, err := another(raw, gzipMagic); !more {
			return err
		}
		err := z.Reset(raw)
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		z.Multistream(false)
		return err
	}}, nil
}

// bzip2Streams reads the streams of a bzip2 file. Package bzip2 reads one byte at a time, and after
// the end of a stream two bytes, which must begin another one.
type bzip2Streams struct {
	z   io.Reader
	raw *bufio.Reader
	// last holds the bytes that z has read last, in the order of reading.
	last [12]byte
}

func newBzip2Streams(raw *bufio.Reader) *bzip2Streams {
	s := &bzip2Streams{raw: raw}
	s.z = bzip2.NewReader(byteReader{s})
	return s
}

func (s *bzip2Streams) Read(b []byte) (int, error) {
	n, err := s.z.Read(b)
	switch k := len(s.last); {
	case err == bzip2.StructuralError("bad magic value in continuation file"):
		err = rest(s.raw, s.last[k-2:]...)
	case err == io.ErrUnexpectedEOF && s.last[k-1] != 'B' && endsBzip2(s.last[:k-1]):
		err = rest(s.raw, s.last[k-1])
	}
	return n, err
}

// endsBzip2 reports whether b ends with the end of a bzip2 stream: the six bytes that mark it, a
// checksum of four bytes, and up to seven bits that fill a byte.
func endsBzip2(b []byte) bool {
	const mark = 0x177245385090
	v := binary.BigEndian.Uint64(b[len(b)-11:])
	for fill := range 8 {
		if v>>(8+fill)&(1<<48-1) == mark {
			return true
		}
	}
	return false
}

// A byteReader is the input of package bzip2.
type byteReader struct{ s *bzip2Streams }

func (r byteReader) ReadByte() (byte, error) {
	c, err := r.s.raw.ReadByte()
	if err == nil {
		copy(r.s.last[:], r.s.last[1:])
		r.s.last[len(r.s.last)-1] = c
	}
	return c, err
}

func (r byteReader) Read(b []byte) (int, error) {
	c, err := r.ReadByte()
	if err != nil || len(b) == 0 {
		return 0, err
	}
	b[0] = c
	return 1, nil
}

// xzInput is the input of the decoder of an xz file, which reads beyond the end of a stream.
type xzInput struct {
	raw  *bufio.Reader
	last []byte // the bytes that were read last, at least 4096 if there were as many
}

// newXZStreams returns a reader of the streams of an xz file. Between them and at the end there may
// be zeros, a multiple of four (the .xz file format 1.2.0, section 2.2).
func newXZStreams(raw *bufio.Reader) (*members, error) {
	in := &xzInput{raw: raw}
	z, err := xz.NewReader(in, maxDictionary)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &members{z, func() error {
		err := z.Reset(nil)
		if err != nil && err != io.EOF {
			if after := in.after(); !bytes.HasPrefix(xzMagic, after[:min(len(after), len(xzMagic))]) {
				return rest(raw, after...)
			}
		}
		z.Multistream(false)
		return err
	}}, nil
}

// after returns those of the last bytes that follow the footer of a stream and zeros. A footer has
// a CRC-32 in bytes 0 to 3 of the bytes 4 to 9, and ends with "YZ".
func (in *xzInput) after() []byte {
	for i := len(in.last) - xzFooter; i >= 0; i-- {
		f := in.last[i : i+xzFooter]
		if string(f[10:]) == "YZ" && binary.LittleEndian.Uint32(f) == crc32.ChecksumIEEE(f[4:10]) {
			return bytes.TrimLeft(in.last[i+xzFooter:], "\x00")
		}
	}
	return bytes.TrimLeft(in.last, "\x00") // after many zeros
}

const xzFooter = 12 // size of a footer in bytes

func (in *xzInput) Read(b []byte) (int, error) {
	const kept = 4096
	n, err := in.raw.Read(b[:min(len(b), kept)])
	in.last = append(in.last[:0], in.last[max(0, len(in.last)-kept):]...)
	in.last = append(in.last, b[:n]...)
	return n, err
}

// zstdFrames passes on the frames of a zstd file (RFC 8878, section 3.1), and stops at the end of
// the last one.
type zstdFrames struct {
	raw      *bufio.Reader
	left     int64 // bytes of the current part: the header of a frame, or a block
	inFrame  bool
	checksum bool // the frame has one
}

func (z *zstdFrames) Read(b []byte) (int, error) {
	for z.left == 0 {
		if err := z.part(); err != nil {
			return 0, err
		}
	}
	n, err := z.raw.Read(b[:min(int64(len(b)), z.left)])
	z.left -= int64(n)
	if err == io.EOF {
		err = errTruncated // the decoder takes some of io's errors for the end
	}
	return n, err
}

// part sets left to the size of the next part.
func (z *zstdFrames) part() error {
	if !z.inFrame {
		return z.frame()
	}
	head, err := z.peek(3)
	if err != nil {
		return err
	}
	const last, rle = 1, 1
	header := int64(head[0]) | int64(head[1])<<8 | int64(head[2])<<16
	z.left = header >> 3
	if header>>1&3 == rle {
		z.left = 1
	}
	z.left += 3
	if header&last != 0 {
		z.inFrame = false
		if z.checksum {
			z.left += 4
		}
	}
	return nil
}

// frame sets left to the size of the next frame's header, or of a frame that is skipped.
func (z *zstdFrames) frame() error {
	head, err := z.raw.Peek(8)
	if err != nil && err != io.EOF {
		return err
	}
	if size, ok := skippable(head); ok {
		z.left = size
		return nil
	}
	if _, ok := skippable(append(bytes.Clone(head), 0, 0, 0, 0)); ok {
		return errTruncated // it ends in the header
	}
	if more, err := another(z.raw, zstdMagic); !more {
		return err
	}
	if head, err = z.peek(5); err != nil {
		return err
	}
	const single, checksum = 1 << 5, 1 << 2
	descriptor := head[4]
	z.left = 5 + int64([]int{0, 1, 2, 4}[descriptor&3]) + int64([]int{0, 2, 4, 8}[descriptor>>6])
	switch {
	case descriptor&single == 0:
		z.left++ // the window
	case descriptor>>6 == 0:
		z.left++ // the size of the content
	}
	z.inFrame, z.checksum = true, descriptor&checksum != 0
	return nil
}

// peek returns the next n bytes. The end of the file is an error.
func (z *zstdFrames) peek(n int) ([]byte, error) {
	b, err := z.raw.Peek(n)
	if err == io.EOF {
		err = errTruncated
	}
	return b, err
}

// skippable reports whether head begins a skippable frame (RFC 8878, section 3.1.2), and returns
// the size of the frame.
func skippable(head []byte) (size int64, ok bool) {
	if len(head) < 8 || binary.LittleEndian.Uint32(head)&^0xf != 0x184d2a50 {
		return 0, false
	}
	return 8 + int64(binary.LittleEndian.Uint32(head[4:])), true
}
