package utxo

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/tempfile"
)

// A table maps outpoints to values in a temporary file, with 256 KiB in memory. It is a hash table
// of pages with linear probing (Knuth, The Art of Computer Programming 3, §6.4, with buckets): a
// record is in the page that its key hashes to or, if that is full, in the next page with room.
// Records fill at most two thirds of the table; if they need more, it doubles. The hash has a
// random seed, so that no input can direct all records to one page.
//
// A page is a header followed by records:
//
//	2  bytes of the page that are used, little-endian; 0 in an empty page
//	1  1 if a record with this page as its home may be in the next page
//	1  zero
//	   for each record:
//	32   transaction id
//	 4   index, little-endian
//	 2   length of the value, little-endian; longValue for a long value
//	 …   value; for a long value its first markSize bytes, and the place of the rest in the file
//	     of long values: 8 bytes offset, 4 bytes length
type table struct {
	seed  maphash.Seed
	space *tempfile.Space
	file  *tempfile.File
	pages int   // number of pages in the file, a power of two
	used  int64 // total size in bytes of all records
	dead  func(value []byte) bool

	buf   []byte // copies of consecutive pages of the file
	first int    // number of the first page in buf
	count int    // number of pages in buf
	dirty bool   // buf has changes that are not in the file
	wide  bool   // read many pages at a time, because most will be needed
	page  []byte // the current page, a part of buf

	long    *tempfile.File // file of long values; nil until there is one
	longEnd int64
}

const (
	pageSize   = 4096
	pageHeader = 4
	keySize    = 32 + 4
	recordHead = keySize + 2
	markSize   = 4   // bytes at the start of a long value that its record holds
	inlineSize = 256 // maximum number of bytes of a value that is not long
	longValue  = 0x8000
	leastPages = 1 << 10
	widePages  = 1 << 6
)

// recordSize returns an upper bound on the size in bytes of a record that holds value.
func recordSize(value []byte) int64 { return int64(recordHead + min(len(value), inlineSize)) }

// newTable creates a table with room for records of size bytes in total. The table creates its
// files in space. seed seeds the hash. dead reports whether a value is no longer needed, so that
// its record may be dropped.
func newTable(
	space *tempfile.Space, seed maphash.Seed, size int64, dead func(value []byte) bool,
) (*table, error) {
	t := &table{
		seed: seed, space: space, dead: dead,
		pages: leastPages, buf: make([]byte, widePages*pageSize),
	}
	for t.full(size) {
		t.pages *= 2
	}
	var err error
	if t.file, err = space.New("outputs"); err != nil {
		return nil, err
	}
	if err = t.file.Extend(int64(t.pages) * pageSize); err != nil {
		t.file.Close()
		return nil, noRoom(err)
	}
	return t, nil
}

func noRoom(err error) error {
	return fmt.Errorf("no place for the outputs that are not spent: %w", err)
}

// full reports whether records of size bytes in total would fill more than two thirds of the table.
func (t *table) full(size int64) bool { return 3*size > 2*int64(t.pages)*(pageSize-pageHeader) }

// Close closes the table's files, which removes them.
func (t *table) Close() error {
	err := t.file.Close()
	if t.long != nil {
		err = errors.Join(err, t.long.Close())
	}
	return err
}

// home returns the number of the page that the outpoint p hashes to.
func (t *table) home(p wireform.Outpoint) int {
	return int(maphash.Comparable(t.seed, p) & uint64(t.pages-1))
}

// load makes page n the current page, reading it if necessary.
func (t *table) load(n int) error {
	if n < t.first || n >= t.first+t.count {
		if err := t.flush(); err != nil {
			return err
		}
		t.first, t.count = n, 1
		if t.wide {
			t.first, t.count = n&^(widePages-1), widePages
		}
		if _, err := t.file.ReadAt(t.buf[:t.count*pageSize], int64(t.first)*pageSize); err != nil {
			t.count = 0
			return fmt.Errorf("reading back outputs that are not spent: %w", err)
		}
	}
	t.page = t.buf[(n-t.first)*pageSize:][:pageSize]
	return nil
}

// flush writes the pages in buf to the file if they have changed.
func (t *table) flush() error {
	if !t.dirty {
		return nil
	}
	if _, err := t.file.WriteAt(t.buf[:t.count*pageSize], int64(t.first)*pageSize); err != nil {
		return noRoom(err)
	}
	t.dirty = false
	return nil
}

// end returns the offset in the current page after its last record.
func (t *table) end() int { return max(pageHeader, int(binary.LittleEndian.Uint16(t.page))) }

func (t *table) setEnd(n int) {
	binary.LittleEndian.PutUint16(t.page, uint16(n))
	t.dirty = true
}

// spills reports whether a record with this page as its home may be in the next page.
func (t *table) spills() bool { return t.page[2] != 0 }

// record returns the offset of the value in the record that begins at i, and the offset of the
// record's end.
func (t *table) record(i int) (value, end int) {
	n := int(binary.LittleEndian.Uint16(t.page[i+keySize:]) &^ longValue)
	return i + recordHead, i + recordHead + n
}

// find returns the offset of the record for key in the current page, or -1.
func (t *table) find(key *[keySize]byte) int {
	for i, end := pageHeader, t.end(); i < end; {
		if [keySize]byte(t.page[i:]) == *key {
			return i
		}
		_, i = t.record(i)
	}
	return -1
}

// lookup loads the page with the record for the outpoint p and returns the record's offset, or -1
// if there is no record. key must be the encoding of p.
func (t *table) lookup(p wireform.Outpoint, key *[keySize]byte) (i int, err error) {
	for n, tries := t.home(p), 0; tries < t.pages; n, tries = (n+1)&(t.pages-1), tries+1 {
		if err := t.load(n); err != nil {
			return -1, err
		}
		if i := t.find(key); i >= 0 || !t.spills() {
			return i, nil
		}
	}
	return -1, nil
}

func keyOf(p wireform.Outpoint) (key [keySize]byte) {
	copy(key[:], p.Tx[:])
	binary.LittleEndian.PutUint32(key[32:], p.Index)
	return key
}

// get returns the value stored under the outpoint p, or nil.
func (t *table) get(p wireform.Outpoint) ([]byte, error) {
	key := keyOf(p)
	i, err := t.lookup(p, &key)
	if err != nil || i < 0 {
		return nil, err
	}
	from, to := t.record(i)
	stored := t.page[from:to]
	if binary.LittleEndian.Uint16(t.page[i+keySize:])&longValue == 0 {
		return append([]byte(nil), stored...), nil
	}
	value := make([]byte, binary.LittleEndian.Uint32(stored[markSize+8:]))
	if _, err := t.long.ReadAt(value, int64(binary.LittleEndian.Uint64(stored[markSize:]))); err !=
		nil && err != io.EOF {
		return nil, fmt.Errorf("reading back outputs that are not spent: %w", err)
	}
	copy(value, stored[:markSize]) // only the record has current first bytes
	return value, nil
}

// put stores value, which has at least markSize bytes, under the outpoint p. If p already has a
// value, only the first markSize bytes may differ, and put changes only these.
func (t *table) put(p wireform.Outpoint, value []byte) error {
	key := keyOf(p)
	i, err := t.lookup(p, &key)
	if err != nil {
		return err
	}
	if i >= 0 {
		from, _ := t.record(i)
		copy(t.page[from:], value[:markSize])
		t.dirty = true
		return nil
	}
	length := len(value)
	if length > inlineSize {
		if value, err = t.putLong(value); err != nil {
			return err
		}
		length = len(value) | longValue
	}
	record := append(binary.LittleEndian.AppendUint16(key[:], uint16(length)), value...)
	return t.insert(t.home(p), record)
}

// putLong writes a long value to the file of long values. It returns the value to put into the
// record.
func (t *table) putLong(value []byte) ([]byte, error) {
	if t.long == nil {
		var err error
		if t.long, err = t.space.New("outputs"); err != nil {
			return nil, err
		}
	}
	if _, err := t.long.WriteAt(value, t.longEnd); err != nil {
		return nil, noRoom(err)
	}
	stored := binary.LittleEndian.AppendUint64(append([]byte(nil), value[:markSize]...),
		uint64(t.longEnd))
	stored = binary.LittleEndian.AppendUint32(stored, uint32(len(value)))
	t.longEnd += int64(len(value))
	return stored, nil
}

// insert puts a record into the first page with enough room, from page n on.
func (t *table) insert(n int, record []byte) error {
	for ; ; n = (n + 1) & (t.pages - 1) {
		if err := t.load(n); err != nil {
			return err
		}
		if t.end()+len(record) > pageSize {
			t.sweep()
		}
		if end := t.end(); end+len(record) <= pageSize {
			copy(t.page[end:], record)
			t.setEnd(end + len(record))
			t.used += int64(len(record))
			return nil
		}
		t.page[2] = 1
		t.dirty = true
	}
}

// sweep removes the dead records, those with values that are no longer needed, from the current
// page.
func (t *table) sweep() {
	to := pageHeader
	for i, end := pageHeader, t.end(); i < end; {
		value, next := t.record(i)
		if !t.dead(t.page[value:next]) {
			to += copy(t.page[to:], t.page[i:next])
		}
		i = next
	}
	t.used -= int64(t.end() - to)
	t.setEnd(to)
}

// reserve makes room for more records. The argument size is their total size in bytes. If it must
// double the table, it drops the dead records, those with values that are no longer needed.
func (t *table) reserve(size int64) error {
	if !t.full(t.used + size) {
		return nil
	}
	u, err := newTable(t.space, t.seed, max(t.used+size, int64(t.pages)*pageSize*2/3), t.dead)
	if err != nil {
		return err
	}
	t.wide, u.wide = true, true
	for n := 0; n < t.pages; n += widePages {
		if err := t.move(u, n); err != nil {
			u.file.Close()
			return err
		}
	}
	if err := u.flush(); err != nil {
		u.file.Close()
		return err
	}
	t.file.Close()
	u.long, u.longEnd, u.wide = t.long, t.longEnd, false
	*t = *u
	return nil
}

// move copies the records in widePages pages of t, starting with page n, to the table u. u has at
// least twice as many pages as t. A record's home in u has the same number modulo t.pages as its
// home in t. So records of one page of t that go to the same page of u are written together.
func (t *table) move(u *table, n int) error {
	for part := range u.pages / t.pages {
		for k := range widePages {
			if err := t.load(n + k); err != nil {
				return err
			}
			for i, end := pageHeader, t.end(); i < end; {
				value, next := t.record(i)
				var p wireform.Outpoint
				copy(p.Tx[:], t.page[i:])
				p.Index = binary.LittleEndian.Uint32(t.page[i+32:])
				home := u.home(p)
				if home/t.pages == part && !t.dead(t.page[value:next]) {
					if err := u.insert(home, t.page[i:next]); err != nil {
						return err
					}
				}
				i = next
			}
		}
	}
	return nil
}
