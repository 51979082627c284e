package input

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"
)

const (
	// maxDictionary is the maximum size in bytes of the dictionary of an xz stream. It allows the
	// levels of xz up to -8. The level -9 uses twice as much.
	maxDictionary = 32 << 20

	// maxXZBlocks is the maximum number of blocks of an xz stream. The library holds the sizes of
	// all blocks in memory until the stream ends. xz with several threads makes a block of every 3
	// dictionary sizes of data, 24 MiB by default.
	maxXZBlocks = 1 << 17
)

var errDictionary = fmt.Errorf("refers back by more than %d MiB, which are not kept; 'xz -dc' "+
	"unpacks it", maxDictionary>>20)

// newXZ returns a reader that decompresses r. The library allocates as much memory as the stream
// asks for, so an xzGuard checks the stream first.
func newXZ(r io.Reader) (io.Reader, error) {
	return xz.ReaderConfig{DictCap: lzma.MinDictCap}.NewReader(newXZGuard(r))
}

func newXZGuard(r io.Reader) *xzGuard {
	g := &xzGuard{src: bufio.NewReaderSize(r, 64<<10)}
	g.step = g.stream
	return g
}

// stateMemory is the number of bytes that the library allocates per block in addition to the
// dictionary.
const stateMemory = 64 << 10

// An xzGuard passes an xz stream on unchanged while it parses the stream's structure (the .xz file
// format 1.2.0, and the chunk headers of LZMA2). It fails at a block with a dictionary that is too
// large, and if the stream has too many blocks. The decompression library finds all other errors.
//
// The library allocates a new dictionary for each block, even for a short one. A short stream could
// therefore discard dictionaries faster than the garbage collector frees them. The guard runs the
// collector before the discarded dictionaries exceed maxDictionary bytes in total.
type xzGuard struct {
	src   *bufio.Reader
	pass  int64        // number of bytes to pass on before the next step
	step  func() error // parses the next element and sets pass
	check int64        // size in bytes of the check after each block
	size  int64        // bytes read so far of the current block's data, or of the index
	n     int          // number of blocks of the stream
	left  uint64       // numbers of the index that are still unread
	taken uint64       // bytes allocated by the library for blocks since the last collection
}

func (g *xzGuard) Read(b []byte) (int, error) {
	for g.pass == 0 {
		if err := g.step(); err != nil {
			return 0, err
		}
	}
	n, err := g.src.Read(b[:min(int64(len(b)), g.pass)])
	g.pass -= int64(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF // the input ended inside a block, so the stream is incomplete
	}
	return n, err
}

var errXZ = errors.New("not an xz stream (or not one that can be read here)")

// peek returns the next n bytes without consuming them. If the stream ends before them, it returns
// io.ErrUnexpectedEOF.
func (g *xzGuard) peek(n int) ([]byte, error) {
	b, err := g.src.Peek(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

// checkSizes lists the size in bytes of each check type of the .xz format.
var checkSizes = [16]int64{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}

// stream parses the header of a stream, or four bytes of padding between two streams.
func (g *xzGuard) stream() error {
	if _, err := g.src.Peek(1); err != nil {
		return err // io.EOF is allowed here: the file may end between streams
	}
	b, err := g.peek(4)
	if err != nil {
		return err
	}
	if string(b) == "\x00\x00\x00\x00" {
		g.pass = 4
		return nil
	}
	if b, err = g.peek(xz.HeaderLen); err != nil {
		return err
	}
	if string(b[:6]) != "\xfd7zXZ\x00" {
		return errXZ
	}
	g.check, g.n = checkSizes[b[7]&15], 0
	g.pass, g.step = xz.HeaderLen, g.block
	return nil
}

// block parses the header of a block, or the byte that begins the index after the last block.
func (g *xzGuard) block() error {
	b, err := g.peek(1)
	if err != nil {
		return err
	}
	if b[0] == 0 {
		g.pass, g.size, g.step = 1, 1, g.index
		return nil
	}
	size := 4 * (int(b[0]) + 1)
	if b, err = g.peek(size); err != nil {
		return err
	}
	if g.n++; g.n > maxXZBlocks {
		return fmt.Errorf("more than %d blocks in a stream", maxXZBlocks)
	}
	dictionary, err := xzDictionary(b[1 : size-4])
	if err != nil {
		return err
	}
	if dictionary > maxDictionary {
		return errDictionary
	}
	if g.taken += dictionary + stateMemory; g.taken > maxDictionary+stateMemory {
		runtime.GC()
		g.taken = dictionary + stateMemory
	}
	g.pass, g.size, g.step = int64(size), 0, g.chunk
	return nil
}

// xzDictionary returns the dictionary size of a block, whose only filter must be LZMA2. b is the
// block header without its first byte, the size field.
func xzDictionary(b []byte) (uint64, error) {
	flags := b[0]
	b = b[1:]
	for _, sizes := range []byte{0x40, 0x80} { // a flag for each optional size field
		if flags&sizes != 0 {
			_, n := xzNumber(b)
			b = b[n:]
		}
	}
	if flags&3 != 0 || len(b) < 3 || b[0] != 0x21 || b[1] != 1 || b[2] > 40 {
		return 0, errXZ
	}
	return (2 | uint64(b[2]&1)) << (b[2]/2 + 11), nil
}

// xzNumber decodes the variable-length number, of up to nine bytes, at the start of b. It returns
// the number and n, the number of bytes it takes. If b begins with no valid number, n is 0.
func xzNumber(b []byte) (v uint64, n int) {
	for n = 0; n < min(len(b), 9); n++ {
		v |= uint64(b[n]&0x7f) << (7 * n)
		if b[n] < 0x80 {
			return v, n + 1
		}
	}
	return 0, 0
}

// chunk parses the header of an LZMA2 chunk, or the end marker of a block.
func (g *xzGuard) chunk() error {
	b, err := g.peek(1)
	if err != nil {
		return err
	}
	control := b[0]
	header := 3
	switch {
	case control == 0:
		g.size++
		g.pass, g.step = 1+padding(g.size)+g.check, g.block
		return nil
	case control >= 0xc0:
		header = 6
	case control >= 0x80:
		header = 5
	case control > 2:
		return errXZ
	}
	if b, err = g.peek(header); err != nil {
		return err
	}
	size := b[1:3]
	if control >= 0x80 {
		size = b[3:5]
	}
	g.pass = int64(header) + int64(size[0])<<8 + int64(size[1]) + 1
	g.size += g.pass
	return nil
}

// padding returns the number of bytes that pad size bytes to a multiple of four.
func padding(size int64) int64 { return -size & 3 }

// index parses the first number of the index, which is the number of its records.
func (g *xzGuard) index() error {
	v, err := g.number()
	if err != nil {
		return err
	}
	if v != uint64(g.n) {
		return errXZ
	}
	g.left, g.step = 2*v, g.records
	return nil
}

// records parses the next number in a record of the index. After the last one it passes the
// padding, the checksum and the footer of the stream.
func (g *xzGuard) records() error {
	if g.left > 0 {
		g.left--
		_, err := g.number()
		return err
	}
	const crc, footer = 4, 12
	g.pass, g.step = padding(g.size)+crc+footer, g.stream
	return nil
}

// number parses a number and makes Read pass its bytes on.
func (g *xzGuard) number() (uint64, error) {
	b, err := g.src.Peek(9)
	if len(b) == 0 && err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if len(b) == 0 {
		return 0, err
	}
	v, n := xzNumber(b)
	switch {
	case n == 0 && err == io.EOF:
		return 0, io.ErrUnexpectedEOF
	case n == 0:
		return 0, errXZ
	}
	g.pass = int64(n)
	g.size += g.pass
	return v, nil
}
