package undo

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"os"
	"slices"
	"sort"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/framing"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

const (
	// maxUndo is the maximum size of an undo record in bytes. Real records take at most a tenth of
	// that.
	maxUndo = 16 << 20

	// maxUndoRecords is the maximum number of records in a rev*.dat file. A blk*.dat file is
	// smaller than 128 MiB, so it has fewer blocks.
	maxUndoRecords = 1 << 20

	// maxTrials is the maximum number of records that Find tries first for one block, and of blocks
	// for which it tries one record. It tries only records that fit the block's numbers of inputs.
	// Records are in the order in which the node connected the blocks, and blocks in the order in
	// which they arrived. A node requests up to 1,024 blocks at a time, so the two orders differ by
	// less. But a caller that does not begin with the first block of a file wants records that are
	// further away. Then Find tries the others.
	maxTrials = 1100

	// maxReadings limits the bytes of the records that Find tries after the first maxTrials, as a
	// multiple of the file's size. The search for the first block that a caller wants takes at most
	// one of them.
	maxReadings = 8

	// maxFound is the maximum number of records that Find returns. Two blocks of the same parent and
	// the same shape are a rarity; the caller judges the block once for each record.
	maxFound = 4
)

// A Record is the position of a record in a rev*.dat file.
type Record struct {
	key   uint64 // search key: the record's shape, or part of its checksum
	sum   uint64 // hash of the content and the checksum, with the file's seed
	At    uint32 // offset of the record in the file
	Size  uint32 // size of the record's content in bytes
	taken bool   // Find has returned the record for a block
	tried uint16 // number of blocks for which Find has tried the record, up to maxTrials
	next  uint32 // index of the first record with this key that Find may still take
}

// A File finds the undo records of blocks in a rev*.dat file. The file does not contain the hashes
// of blocks. It has a checksum for each record: the double SHA-256 of the parent's hash and the
// record. For a given block, Find tries the records of the same shape (the same numbers of inputs)
// in order. The record of a block that spends nothing is always the same, so Find searches for its
// checksum instead.
type File struct {
	Name    string
	f       *os.File
	key     [8]byte
	records []Record // sorted by key, then by offset
	seed    maphash.Seed
	Err     error          // the error that ended reading the file, or nil
	bad     *reading.Error // error of the first record that is invalid or too long, or nil
	buf     []byte         // scratch space
	more    int64          // number of bytes that Find may still read after the first trials
}

// OpenFile reads a rev*.dat file to its end and computes the shape (hash of the numbers of inputs)
// of each record. It stores an error in the result's Err.
func OpenFile(name string, key [8]byte, network consensus.Network) *File {
	u := &File{Name: name, key: key, seed: maphash.MakeSeed()}
	if u.f, u.Err = framing.Open(name); u.Err != nil {
		u.Err = fmt.Errorf("%s: %w", name, reading.Bare(u.Err))
		return u
	}
	info, err := u.f.Stat()
	if err == nil && info.Size() > math.MaxUint32 {
		err = fmt.Errorf("%d bytes: no rev*.dat file is that long", info.Size())
	}
	if err != nil {
		u.Err = fmt.Errorf("%s: %w", name, reading.Bare(err))
		return u
	}
	u.more = maxReadings * info.Size()
	form := framing.Form{Name: name, Network: network, Key: key, Least: 1, Most: math.MaxUint32}
	w := framing.NewWalk(form, u.f, info.Size())
	w.Tail = sha256.Size
	for {
		at, size, err := w.Next()
		if err == io.EOF {
			break
		}
		if err == nil && len(u.records) == maxUndoRecords {
			err = &reading.Error{File: name, Offset: at, Err: fmt.Errorf("more than %d records",
				maxUndoRecords)}
		}
		if err == nil {
			err = u.add(uint32(at), size)
		}
		if err != nil {
			u.Err = err
			break
		}
	}
	u.sort()
	return u
}

// add reads the record at offset, computes the key by which Find looks the record up, and adds it
// to the list.
func (u *File) add(offset, size uint32) error {
	if size > maxUndo {
		u.damaged(offset, fmt.Errorf("a record of %d bytes, and the limit is %d", size, maxUndo))
		return nil
	}
	b, err := u.Read(&Record{At: offset, Size: size})
	if err != nil {
		return err
	}
	s, txs, bad := shapeOf(b[:size])
	if bad != nil {
		u.damaged(offset, fmt.Errorf("not what a block spends: byte %d: %w", bad.At, bad))
		return nil
	}
	key := uint64(s)
	if txs == 0 {
		key = emptyKey([32]byte(b[size:]))
	}
	u.records = append(u.records, Record{key: key, sum: maphash.Bytes(u.seed, b), At: offset,
		Size: size})
	return nil
}

func (u *File) damaged(at uint32, err error) {
	u.bad = cmp.Or(u.bad, &reading.Error{File: u.Name, Offset: int64(at), Err: err})
}

// Read returns a record's content followed by its checksum. The result is valid until the next
// call. The bytes are those that OpenFile has read, or Read returns an error: Find compares a
// checksum with one reading, and its caller uses another.
func (u *File) Read(r *Record) ([]byte, error) {
	n := int(r.Size) + sha256.Size
	if cap(u.buf) < n {
		u.buf = make([]byte, n, n+n/4)
	}
	b := u.buf[:n]
	if _, err := u.f.ReadAt(b, int64(r.At)+8); err != nil {
		if err == io.EOF {
			err = framing.ErrShorter
		}
		return nil, &reading.Error{File: u.Name, Offset: int64(r.At), Err: reading.Bare(err)}
	}
	framing.Unmask(b, u.key, int64(r.At)+8)
	if r.sum != 0 && r.sum != maphash.Bytes(u.seed, b) {
		return nil, &reading.Error{File: u.Name, Offset: int64(r.At), Err: errors.New("the record has " +
			"changed while the file was read")}
	}
	return b, nil
}

// sort sorts the records by key and then by offset.
func (u *File) sort() {
	slices.SortFunc(u.records, func(a, b Record) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.At, b.At))
	})
	for i := range u.records {
		u.records[i].next = uint32(i)
	}
}

// emptyKey returns the key of a record for a block that spends nothing. checksum is the checksum of
// that record.
func emptyKey(checksum [32]byte) uint64 { return binary.LittleEndian.Uint64(checksum[:]) }

// undoChecksum returns the checksum that a record has if it belongs to a block with parent prev.
func undoChecksum(prev *chainhash.Hash, record []byte) (sum [32]byte) {
	h := sha256.New()
	h.Write(prev[:])
	h.Write(record)
	h.Sum(sum[:0])
	return sha256.Sum256(sum[:])
}

// emptyUndo is the content of the record for a block that spends nothing.
var emptyUndo = []byte{0}

// Find returns the record of the block with parent prev, shape s and txs transactions (not counting
// the coinbase). If findAll is true, it returns the last maxFound different records that fit, since
// another block with the same parent may have such a record too. If no record fits, nearMiss is the
// offset of a record with this shape and a wrong checksum, or -1.
func (u *File) Find(prev *chainhash.Hash, s shape, txs int, findAll bool) (found []*Record,
	nearMiss int64, err error) {
	key := uint64(s)
	if txs == 0 {
		key = emptyKey(undoChecksum(prev, emptyUndo))
	}
	first := sort.Search(len(u.records), func(i int) bool { return u.records[i].key >= key })
	nearMiss = -1
	if !u.has(first, key) {
		return nil, nearMiss, nil
	}
	if found, nearMiss, err = u.near(prev, first, findAll); err != nil || len(found) > 0 {
		return found, nearMiss, err
	}
	if ok, err := u.goFar(prev, first); !ok {
		return nil, nearMiss, err
	}
	return u.near(prev, first, findAll)
}

// near is Find for the records that come next, at most maxTrials of them. first is the index of the
// first record with the block's key.
func (u *File) near(prev *chainhash.Hash, first int, findAll bool) (found []*Record,
	nearMiss int64, err error) {
	key, next := u.records[first].key, &u.records[first].next
	nearMiss = -1
	i := int(*next)
	if findAll { // a record may have been taken by another block that it fits
		i = max(first, i-maxTrials/4)
	}
	for trials := 0; u.has(i, key) && trials < maxTrials; i++ {
		r := &u.records[i]
		if r.taken && !findAll {
			continue
		}
		if trials++; r.tried == maxTrials {
			continue
		}
		r.tried++
		fits, err := u.fits(r, prev)
		if err != nil {
			return nil, nearMiss, err
		}
		if !fits {
			if nearMiss < 0 && !r.taken {
				nearMiss = int64(r.At)
			}
			continue
		}
		r.taken = true
		if !slices.ContainsFunc(found, func(f *Record) bool { return f.sum == r.sum }) {
			found = append(found[max(0, len(found)+1-maxFound):], r)
		}
		if !findAll {
			break
		}
	}
	for u.has(int(*next), key) && (u.records[*next].taken || u.records[*next].tried == maxTrials) {
		*next++
	}
	return found, nearMiss, nil
}

// goFar looks for a record of the block with parent prev anywhere in the file, as long as u.more
// allows. If there is one, near begins a little before it from then on.
func (u *File) goFar(prev *chainhash.Hash, first int) (ok bool, err error) {
	for i := first; u.has(i, u.records[first].key) && u.more > 0; i++ {
		r := &u.records[i]
		u.more -= framing.HeadSize // to pass over a million records for each block would take hours
		if r.taken || r.tried == maxTrials {
			continue
		}
		u.more -= int64(r.Size) + sha256.Size
		if ok, err = u.fits(r, prev); err != nil || ok {
			u.records[first].next = uint32(max(first, i-maxTrials/4))
			return ok, err
		}
	}
	return false, nil
}

// fits reports whether r has the checksum of a record of the block with parent prev.
func (u *File) fits(r *Record, prev *chainhash.Hash) (bool, error) {
	b, err := u.Read(r)
	if err != nil {
		return false, err
	}
	sum := undoChecksum(prev, b[:r.Size])
	return bytes.Equal(sum[:], b[r.Size:]), nil
}

// has reports whether record i exists and has the given key.
func (u *File) has(i int, key uint64) bool {
	return i < len(u.records) && u.records[i].key == key
}

// Stray returns an error if a record belongs to no block. The caller must have called Find for all
// blocks of the file: a record that Find has returned for none of them has a wrong checksum. A
// second copy of a record is no error, since a node that was killed may write one.
func (u *File) Stray() error {
	taken := make(map[uint64]bool)
	for i := range u.records {
		if u.records[i].taken {
			taken[u.records[i].sum] = true
		}
	}
	var left *Record
	for i := range u.records {
		r := &u.records[i]
		if !taken[r.sum] && (left == nil || r.At < left.At) {
			left = r
		}
	}
	switch {
	case u.Err != nil:
		return u.Err
	case u.bad != nil && (left == nil || u.bad.Offset < int64(left.At)):
		return u.bad
	case left != nil:
		return &reading.Error{File: u.Name, Offset: int64(left.At), Err: errors.New("the checksum of " +
			"the record is wrong, or its block is not in the blk*.dat file of that number")}
	}
	return nil
}

// Opened reports whether OpenFile could open the file.
func (u *File) Opened() bool { return u.f != nil }

func (u *File) Close() error {
	if u.f == nil {
		return nil
	}
	return u.f.Close()
}
