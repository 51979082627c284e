package bitcoin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// gaps are the places of a file of records where bytes stand that belong to none. Reading goes on
// behind them, at the next bytes that may begin a record: the network's magic, and a size that a
// record may have. Bitcoin Core looks for blocks in the same way when it imports a file
// (ChainstateManager::LoadExternalBlockFile, src/validation.cpp), but says nothing about what is in
// between. Here the end of the file becomes an error.
type gaps struct {
	first  *rows.Error // what is wrong at the first one, or nil
	next   int64       // the record behind that, or -1 if there is none
	others int         // how many more there are
}

// begin takes note of a gap, which is the error before.
func (g *gaps) begin(err *rows.Error) {
	if g.first == nil {
		g.first, g.next = err, -1
	} else {
		g.others++
	}
}

// end takes note of the record behind the latest gap.
func (g *gaps) end(at int64) {
	if g.others == 0 {
		g.next = at
	}
}

// err is the error at the end of the file, or nil if there was no gap.
func (g *gaps) err() error {
	if g.first == nil {
		return nil
	}
	e := *g.first
	if g.next >= 0 {
		e.Err = fmt.Errorf("%w; reading went on with the record at byte %d", e.Err, g.next)
	}
	if g.others > 0 {
		e.Err = fmt.Errorf("%w (and %d more places where no record begins)", e.Err, g.others)
	}
	return &e
}

// frameSize is how many bytes of a record stand before its content.
const frameSize = 8

// A framing is what the records of a file begin with: the network's magic and a size, 8 bytes.
type framing struct {
	name        string // of the file
	network     Network
	key         [8]byte
	least, most uint32 // bytes of a record
}

// blockFraming is that of a blk*.dat file.
func blockFraming(name string, n Network, key [8]byte) framing {
	return framing{name: name, network: n, key: key, least: headerSize + 1, most: maxBlockSize}
}

// read returns the size of the record that begins at that byte with b, or an error.
func (f *framing) read(b []byte, at int64) (size uint32, err *rows.Error) {
	if len(b) < frameSize {
		return 0, &rows.Error{File: f.name, Offset: at, Err: fmt.Errorf("the file ends in the middle of "+
			"a record's header: %d of %d bytes are there", len(b), frameSize)}
	}
	var head [frameSize]byte
	copy(head[:], b)
	unmask(head[:], f.key, at)
	if magic := f.network.Magic(); !bytes.Equal(head[:4], magic[:]) {
		return 0, &rows.Error{File: f.name, Offset: at, Err: fmt.Errorf("a record of %v begins with %x, "+
			"not with %x", f.network, magic, head[:4])}
	}
	size = binary.LittleEndian.Uint32(head[4:])
	if size < f.least || size > f.most {
		return 0, &rows.Error{File: f.name, Offset: at + 4, Err: fmt.Errorf("a record of %d bytes", size)}
	}
	return size, nil
}

// find returns the first place in b, which is at that byte of the file, where a record of at most
// room bytes less than what lies before it may begin, or -1. Of b the last 7 bytes begin none.
func (f *framing) find(b []byte, at, room int64) int {
	var masked [8]byte
	magic := f.network.Magic()
	for i := 0; i+frameSize <= len(b); i++ {
		copy(masked[:], magic[:])
		if unmask(masked[:], f.key, at+int64(i)); !bytes.Equal(b[i:i+4], masked[:4]) {
			continue
		}
		if size, err := f.read(b[i:], at+int64(i)); err == nil && int64(i)+frameSize+int64(size) <= room {
			return i
		}
	}
	return -1
}

var errShorter = errors.New("the file has become shorter while it was read")
