package bitcoin

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"sort"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

const (
	// maxUndo is the most bytes of an undo record: what the inputs of a block spend has a tenth of
	// that.
	maxUndo = 16 << 20

	// maxUndoRecords is the most records of a rev*.dat file. There are not more blocks in a blk*.dat
	// file, which has less than 128 MiB.
	maxUndoRecords = 1 << 20

	// maxTrials is how many records of the same shape as a block are tried for it. Records are in the
	// order in which blocks were connected, and blocks in that in which they arrived: a node asks for
	// up to 1,024 at a time.
	maxTrials = 2048
)

// An undoRecord is a record of a rev*.dat file.
type undoRecord struct {
	key   uint64 // of what it is found by
	at    uint32 // where it begins in the file
	size  uint32 // without head and checksum
	taken bool   // a block has it
	next  uint32 // of the first record with the key: the first one that is not taken, or behind all
}

// An undoFile finds the undo records of blocks in a rev*.dat file. It does not have their hashes,
// but checksums: the double SHA-256 of the hash of the previous block and the record. A block is
// tried with the records of its shape, in their order. Where it has no transaction to spend
// anything, what its record has to be is known, and so its checksum.
type undoFile struct {
	name    string
	f       *os.File
	key     [8]byte
	records []undoRecord // by key, and then as in the file
	err     error        // why it cannot be read, or not to its end
	bad     badUndo      // the first record that holds no CBlockUndo, or one that is too long
	buf     []byte       // scratch
}

// A badUndo is a record that cannot be read.
type badUndo struct {
	at  uint32
	err error
}

// openUndo reads a rev*.dat file to its end, to find the shape of every record. What is wrong with
// it is left in err.
func openUndo(name string, key [8]byte, network Network) *undoFile {
	u := &undoFile{name: name, key: key}
	if u.f, u.err = openFile(name); u.err != nil {
		u.err = fmt.Errorf("%s: %w", name, bare(u.err))
		return u
	}
	info, err := u.f.Stat()
	if err == nil && info.Size() > math.MaxUint32 {
		err = fmt.Errorf("%d bytes: no rev*.dat file is that long", info.Size())
	}
	if err != nil {
		u.err = fmt.Errorf("%s: %w", name, bare(err))
		return u
	}
	form := framing{name: name, network: network, key: key, least: 1, most: math.MaxUint32}
	w := recordWalk{framing: form, f: u.f, size: info.Size(), tail: sha256.Size}
	for {
		at, size, err := w.next()
		if err == io.EOF {
			break
		}
		if err == nil && len(u.records) == maxUndoRecords {
			err = &rows.Error{File: name, Offset: at, Err: fmt.Errorf("more than %d records",
				maxUndoRecords)}
		}
		if err == nil {
			err = u.add(uint32(at), size)
		}
		if err != nil {
			u.err = err
			break
		}
	}
	u.sort()
	return u
}

// add reads a record and finds its key.
func (u *undoFile) add(at, size uint32) error {
	if size > maxUndo {
		u.damaged(at, fmt.Errorf("a record of %d bytes, and the limit is %d", size, maxUndo))
		return nil
	}
	b, err := u.read(&undoRecord{at: at, size: size})
	if err != nil {
		return err
	}
	s, txs, bad := undoShape(b[:size])
	if bad != nil {
		u.damaged(at, fmt.Errorf("not what a block spends: byte %d: %w", bad.at, bad))
		return nil
	}
	key := uint64(s)
	if txs == 0 {
		key = emptyKey([32]byte(b[size:]))
	}
	u.records = append(u.records, undoRecord{key: key, at: at, size: size})
	return nil
}

func (u *undoFile) damaged(at uint32, err error) {
	if u.bad.err == nil {
		u.bad = badUndo{at, err}
	}
}

// read returns a record with its checksum, which are valid until the next call.
func (u *undoFile) read(r *undoRecord) ([]byte, error) {
	n := int(r.size) + sha256.Size
	if cap(u.buf) < n {
		u.buf = make([]byte, n, n+n/4)
	}
	b := u.buf[:n]
	if _, err := u.f.ReadAt(b, int64(r.at)+8); err != nil {
		if err == io.EOF {
			err = errShorter
		}
		return nil, &rows.Error{File: u.name, Offset: int64(r.at), Err: bare(err)}
	}
	unmask(b, u.key, int64(r.at)+8)
	return b, nil
}

// sort orders the records by key.
func (u *undoFile) sort() {
	slices.SortFunc(u.records, func(a, b undoRecord) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.at, b.at))
	})
	for i := range u.records {
		u.records[i].next = uint32(i)
	}
}

// emptyKey is the key of a record of a block without transactions that spend anything.
func emptyKey(checksum [32]byte) uint64 { return binary.LittleEndian.Uint64(checksum[:]) }

// undoChecksum is the checksum of a record of a block whose parent is prev.
func undoChecksum(prev *chainhash.Hash, record []byte) (sum [32]byte) {
	h := sha256.New()
	h.Write(prev[:])
	h.Write(record)
	h.Sum(sum[:0])
	return sha256.Sum256(sum[:])
}

// emptyUndo is the record of a block without transactions that spend anything.
var emptyUndo = []byte{0}

// find returns the records that may be that of a block with that parent and that shape, of so many
// transactions without the coinbase: one, or with all every one of different bytes that another
// block behind the same parent may have. near is where a record is that has the shape and another
// checksum, if there is none, or -1.
func (u *undoFile) find(prev *chainhash.Hash, s shape, txs int, all bool) (found []*undoRecord,
	near int64, err error) {
	key := uint64(s)
	if txs == 0 {
		key = emptyKey(undoChecksum(prev, emptyUndo))
	}
	first := sort.Search(len(u.records), func(i int) bool { return u.records[i].key >= key })
	near = -1
	if !u.has(first, key) {
		return nil, near, nil
	}
	next := &u.records[first].next
	i := int(*next)
	if all {
		i = max(first, i-maxTrials)
	}
	sums := make(map[[32]byte]bool)
	for trials := 0; u.has(i, key) && trials < 2*maxTrials; i++ {
		r := &u.records[i]
		if r.taken && !all {
			continue
		}
		trials++
		b, err := u.read(r)
		if err != nil {
			return nil, near, err
		}
		sum := undoChecksum(prev, b[:r.size])
		if !bytes.Equal(sum[:], b[r.size:]) {
			if near < 0 && !r.taken {
				near = int64(r.at)
			}
			continue
		}
		if r.taken = true; !sums[sum] {
			sums[sum] = true
			found = append(found, r)
		}
		if !all {
			break
		}
	}
	for u.has(int(*next), key) && u.records[*next].taken {
		*next++
	}
	return found, near, nil
}

// has reports whether there is a record i and has that key.
func (u *undoFile) has(i int, key uint64) bool {
	return i < len(u.records) && u.records[i].key == key
}

// stray is an error if there is a record that belongs to no block: if all blocks have taken theirs,
// what is left has a wrong checksum. The same record may be there twice, if a node was killed.
func (u *undoFile) stray() error {
	var left *undoRecord
	n := 0
	for i := 0; i < len(u.records); {
		end := i + 1
		for u.has(end, u.records[i].key) {
			end++
		}
		same := u.records[i:end]
		i = end
		twins, err := u.sums(same)
		if err != nil {
			return err
		}
		for k := range same {
			r := &same[k]
			if r.taken {
				continue
			}
			if len(twins) > 0 {
				b, err := u.read(r)
				if err != nil {
					return err
				}
				if twins[sha256.Sum256(b)] {
					continue
				}
			}
			if n++; left == nil || r.at < left.at {
				left = r
			}
		}
	}
	switch {
	case u.err != nil:
		return u.err
	case u.bad.err != nil && (left == nil || u.bad.at < left.at):
		return &rows.Error{File: u.name, Offset: int64(u.bad.at), Err: u.bad.err}
	case left != nil:
		more := ""
		if n > 1 {
			more = fmt.Sprintf(" (and %d more)", n-1)
		}
		return &rows.Error{File: u.name, Offset: int64(left.at), Err: fmt.Errorf("the checksum of the "+
			"record is wrong, or its block is not in the blk*.dat file of that number%s", more)}
	}
	return nil
}

// sums are the hashes of the first maxTrials records that are taken, if there is another one.
func (u *undoFile) sums(records []undoRecord) (map[[32]byte]bool, error) {
	if !slices.ContainsFunc(records, func(r undoRecord) bool { return !r.taken }) {
		return nil, nil
	}
	sums := make(map[[32]byte]bool)
	for i := range records {
		if !records[i].taken || len(sums) == maxTrials {
			continue
		}
		b, err := u.read(&records[i])
		if err != nil {
			return nil, err
		}
		sums[sha256.Sum256(b)] = true
	}
	return sums, nil
}

// opened reports whether there is a file.
func (u *undoFile) opened() bool { return u.f != nil }

func (u *undoFile) Close() error {
	if u.f == nil {
		return nil
	}
	return u.f.Close()
}
