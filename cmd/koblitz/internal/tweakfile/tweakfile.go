// Package tweakfile reads and writes files of public tweaks (BIP-352), with which wallets find
// silent payments. docs/silent-payments.md describes the form for other programs.
//
// A file of tweaks has a second file beside it, its index. The tweaks of a block are written before
// its entry in the index, which has a checksum of both. So after a loss of power, the entries that
// are valid belong to tweaks that are there, and a Writer drops the others.
package tweakfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// IndexSuffix is appended to the name of a file of tweaks to form the name of its index.
const IndexSuffix = ".index"

const (
	dataMagic  = "sptweaks"
	indexMagic = "sptwkidx"
	version    = 1
	headerSize = 48
	entrySize  = 48 // of the index

	// TweakSize is the size of a tweak in bytes.
	TweakSize    = 33
	positionSize = 2
	rowSize      = TweakSize + positionSize

	// maxTweaks is the maximum number of tweaks of a block. A transaction weighs at least 240 of
	// the block's 4,000,000.
	maxTweaks = 1 << 14
)

// A Block holds the public tweaks of one block.
type Block struct {
	Hash      chainhash.Hash
	Tweaks    []byte   // TweakSize bytes for each tweak, in the order of the block
	Positions []uint16 // index in the block of each tweak's transaction
}

// Add adds the tweak of the transaction with the given index in the block. The indices must
// increase.
func (b *Block) Add(tweak []byte, index int) error {
	if len(tweak) != TweakSize || len(b.Positions) == maxTweaks || index > math.MaxUint16 {
		return fmt.Errorf("a block of more than %d tweaks, or of more than %d transactions", maxTweaks,
			math.MaxUint16)
	}
	b.Tweaks = append(b.Tweaks, tweak...)
	b.Positions = append(b.Positions, uint16(index))
	return nil
}

// A head is the header of a file of tweaks or of an index.
type head struct {
	network consensus.Network
	first   int32
	id      [16]byte // random, the same in both files
}

// bytes returns the header with the given magic.
func (h *head) bytes(magic string) []byte {
	b := []byte(magic)
	b = binary.LittleEndian.AppendUint32(b, version)
	m := h.network.Magic()
	b = append(b, m[:]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(h.first))
	b = append(b, h.id[:]...)
	sum := sha256.Sum256(b)
	return append(b, sum[:headerSize-len(b)]...)
}

// parseHead parses the header of the file called name.
func parseHead(name, magic string, b []byte) (h head, err error) {
	fail := func(at int64, format string, args ...any) (head, error) {
		return h, &reading.Error{File: name, Offset: at, Err: fmt.Errorf(format, args...)}
	}
	le := binary.LittleEndian
	switch {
	case len(b) < headerSize || string(b[:8]) != magic:
		kind := "a file of tweaks"
		if magic == indexMagic {
			kind = "the index of a file of tweaks"
		}
		return fail(0, "not %s: it does not begin with %q and a header of %d bytes", kind, magic,
			headerSize)
	case le.Uint32(b[8:]) != version:
		return fail(8, "version %d is not known, only %d", le.Uint32(b[8:]), version)
	}
	var ok bool
	if h.network, ok = consensus.NetworkOf(b[12:16]); !ok {
		return fail(12, "no network has the magic %x", b[12:16])
	}
	if h.first = int32(le.Uint32(b[16:])); h.first < 0 {
		return fail(16, "the first block has the height %d", le.Uint32(b[16:]))
	}
	h.id = [16]byte(b[20:36])
	if !bytes.Equal(h.bytes(magic), b) {
		return fail(36, "the checksum of the header is wrong")
	}
	return h, nil
}

// A File reads a file of tweaks. Several goroutines may use it.
type File struct {
	name string
	head
	data, index source
	size        int64 // of the data, in bytes
	blocks      int32 // number of entries in the index
}

// Open opens the file of tweaks called name, and its index.
func Open(name string) (*File, error) {
	data, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	index, err := os.Open(name + IndexSuffix)
	if err != nil {
		return nil, errors.Join(err, data.Close())
	}
	f := &File{name: name, data: sized{data}, index: sized{index}}
	if err := f.readHeads(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// A source is an open file.
type source interface {
	io.ReaderAt
	io.Closer
	Size() (int64, error)
}

type sized struct{ *os.File }

func (s sized) Size() (int64, error) {
	info, err := s.Stat()
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("%s: not a file", s.Name())
	}
	return info.Size(), nil
}

// readHeads reads the headers of both files, and their sizes.
func (f *File) readHeads() (err error) {
	var index head
	var size int64
	if f.head, f.size, err = readHead(f.name, dataMagic, f.data); err != nil {
		return err
	}
	if index, size, err = readHead(f.name+IndexSuffix, indexMagic, f.index); err != nil {
		return err
	}
	n := (size - headerSize) / entrySize
	switch {
	case index != f.head:
		return fmt.Errorf("%s%s: not the index of %s: their headers differ", f.name, IndexSuffix, f.name)
	case n > math.MaxInt32-int64(f.first):
		return fmt.Errorf("%s%s: %d blocks are more than a chain has", f.name, IndexSuffix, n)
	}
	f.blocks = int32(n)
	return nil
}

// readHead reads the header and the size of a file.
func readHead(name, magic string, r source) (h head, size int64, err error) {
	if size, err = r.Size(); err != nil {
		return h, 0, err
	}
	b := make([]byte, min(size, headerSize))
	if _, err := r.ReadAt(b, 0); err != nil && err != io.EOF {
		return h, 0, err
	}
	h, err = parseHead(name, magic, b)
	return h, size, err
}

// Close closes the files.
func (f *File) Close() error { return errors.Join(f.data.Close(), f.index.Close()) }

// Name returns the name of the file.
func (f *File) Name() string { return f.name }

// Network returns the network of the blocks.
func (f *File) Network() consensus.Network { return f.network }

// First returns the height of the first block.
func (f *File) First() int32 { return f.first }

// Next returns the height after that of the last block.
func (f *File) Next() int32 { return f.first + f.blocks }

// An entry is an entry of the index.
type entry struct {
	hash  chainhash.Hash
	start int64 // number of tweaks before the block
	end   int64 // number of tweaks up to the end of the block
	sum   [8]byte
}

// entry reads the entry of the block at the given height.
func (f *File) entry(height int32) (e entry, err error) {
	if height < f.first || height >= f.Next() {
		return e, fmt.Errorf("%s: no block %d, but %d to %d", f.name, height, f.first, f.Next()-1)
	}
	i := int64(height - f.first)
	at := headerSize + i*entrySize
	b := make([]byte, 2*entrySize)
	if i == 0 {
		_, err = f.index.ReadAt(b[entrySize:], at)
	} else {
		_, err = f.index.ReadAt(b, at-entrySize)
	}
	if err != nil {
		return e, &reading.Error{File: f.name + IndexSuffix, Offset: at, Err: err}
	}
	if i > 0 {
		e.start = int64(binary.LittleEndian.Uint64(b[32:]))
	}
	b = b[entrySize:]
	e.hash = chainhash.Hash(b[:32])
	e.end = int64(binary.LittleEndian.Uint64(b[32:]))
	e.sum = [8]byte(b[40:])
	if e.start < 0 || e.end < e.start || e.end-e.start > maxTweaks ||
		e.end > (f.size-headerSize)/rowSize {
		return e, &reading.Error{File: f.name + IndexSuffix, Offset: at, Err: fmt.Errorf(
			"block %d has the tweaks from %d to %d, and the file has %d", height, e.start, e.end,
			(f.size-headerSize)/rowSize)}
	}
	return e, nil
}

// Tweaks returns the number of tweaks up to the end of the block at the given height. It returns 0
// for the height before the first block.
func (f *File) Tweaks(height int32) (int64, error) {
	if height < f.first {
		return 0, nil
	}
	e, err := f.entry(height)
	return e.end, err
}

// Hash returns the hash of the block at the given height.
func (f *File) Hash(height int32) (chainhash.Hash, error) {
	e, err := f.entry(height)
	return e.hash, err
}

// Block returns the tweaks of the block at the given height. It returns an error if the checksum is
// wrong.
func (f *File) Block(height int32) (*Block, error) {
	e, err := f.entry(height)
	if err != nil {
		return nil, err
	}
	n := int(e.end - e.start)
	at := headerSize + e.start*rowSize
	b := make([]byte, n*rowSize)
	if _, err := f.data.ReadAt(b, at); err != nil {
		return nil, &reading.Error{File: f.name, Offset: at, Err: err}
	}
	if f.checksum(height, &e, b) != e.sum {
		return nil, &reading.Error{File: f.name, Offset: at, Err: fmt.Errorf(
			"the checksum of block %d is wrong: the file or its index is damaged", height)}
	}
	block := &Block{Hash: e.hash, Tweaks: b[: n*TweakSize : n*TweakSize]}
	for p := b[n*TweakSize:]; len(p) > 0; p = p[positionSize:] {
		block.Positions = append(block.Positions, binary.LittleEndian.Uint16(p))
	}
	return block, nil
}

// checksum returns the checksum of the block at the given height, whose rows are rows.
func (f *File) checksum(height int32, e *entry, rows []byte) [8]byte {
	h := sha256.New()
	h.Write(f.id[:])
	var b []byte
	b = binary.LittleEndian.AppendUint32(b, uint32(height))
	b = append(b, e.hash[:]...)
	h.Write(binary.LittleEndian.AppendUint64(b, uint64(e.end)))
	h.Write(rows)
	return [8]byte(h.Sum(nil))
}
