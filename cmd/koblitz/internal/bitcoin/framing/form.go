// Package framing finds the records of blk*.dat and rev*.dat files, in which Bitcoin Core stores
// blocks and the outputs that they spend.
package framing

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// HeadSize is the size in bytes of the head of a record: the network's magic and the record's size.
const HeadSize = 8

// A Form is the format of the records in a file. Each record begins with a head of 8 bytes: the
// network's magic and the size of the record's content.
type Form struct {
	Name        string // name of the file
	Network     consensus.Network
	Key         [8]byte
	Least, Most uint32 // limits on the size of a record's content in bytes
}

// OfBlocks returns the Form of the blk*.dat file with the given name, network and xor key.
func OfBlocks(name string, n consensus.Network, key [8]byte) Form {
	return Form{Name: name, Network: n, Key: key, Least: wireform.HeaderSize + 1,
		Most: wireform.MaxBlockSize}
}

// read parses b, which begins with the head of a record at the given offset in the file. It returns
// the size of the record's content.
func (f *Form) read(b []byte, offset int64) (size uint32, err *reading.Error) {
	fail := func(at int64, format string, args ...any) (uint32, *reading.Error) {
		return 0, &reading.Error{File: f.Name, Offset: at, Err: fmt.Errorf(format, args...)}
	}
	if len(b) < HeadSize {
		return fail(offset, "the file ends in the middle of a record's header: %d of %d bytes are there",
			len(b), HeadSize)
	}
	var head [HeadSize]byte
	copy(head[:], b)
	Unmask(head[:], f.Key, offset)
	if magic := f.Network.Magic(); !bytes.Equal(head[:4], magic[:]) {
		return fail(offset, "a record of %v begins with %x, not with %x", f.Network, magic, head[:4])
	}
	size = binary.LittleEndian.Uint32(head[4:])
	if size < f.Least || size > f.Most {
		return fail(offset+4, "a record of %d bytes", size)
	}
	return size, nil
}

// find returns the index in b at which the first possible record begins, or -1. pos is the offset
// of b in the file. The record's head must be in b, so it cannot begin in the last 7 bytes. A
// record counts as possible only if it ends at most end bytes after the start of b.
func (f *Form) find(b []byte, pos, end int64) int {
	var masked [8]byte
	magic := f.Network.Magic()
	for i := 0; i+HeadSize <= len(b); i++ {
		copy(masked[:], magic[:])
		if Unmask(masked[:], f.Key, pos+int64(i)); !bytes.Equal(b[i:i+4], masked[:4]) {
			continue
		}
		if size, err := f.read(b[i:], pos+int64(i)); err == nil && int64(i)+HeadSize+int64(size) <= end {
			return i
		}
	}
	return -1
}

var ErrShorter = errors.New("the file has become shorter while it was read")
