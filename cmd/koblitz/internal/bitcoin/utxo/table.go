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

// A table maps outpoints to values in a temporary file, with 256 KiB in memory. It
// is a hash table of pages with linear probing (Knuth, The Art of Computer
// Programming 3, §6.4, with buckets): a record stands in the page that its key
// hashes to, or if that is full in the next one that has room. Records take at
// most two thirds of it: when they need more, it doubles. The hash has a random
// seed, so that no input can aim at one page.
//
// A page is a header and the records one behind the other:
//
//	2  bytes of the page that are used, little-endian; 0 in an empty one
//	1  1 if a record that belongs here may stand in the next page
//	1  zero
//	   for each record:
//	32   transaction id
//	 4   index, little-endian
//	 2   length of the value, little-endian, and longValue if it is elsewhere
//	 …   value; or its first markSize bytes, and where the rest is in the file of
//	     long values: 8 bytes offset, 4 bytes length
type table struct {
	seed  maphash.Seed
	space *tempfile.Space
	file  *tempfile.File
	pages int   // a power of two
	used  int64 // bytes of all records
	dead  func(value []byte) bool

	buf   []byte // a copy of some pages, one behind the other
	first int    // of them
	count int    // 0: none
	dirty bool   // they are not as in the file
	wide  bool   // read many pages at once, because most of them will be needed
	page  []byte // the one that is looked at, in buf

	long    *tempfile.File // nil until there is a long value
	longEnd int64
}

const (
	pageSize   = 4096
	pageHeader = 4
	keySize    = 32 + 4
	recordHead = keySize + 2
	markSize   = 4   // bytes of a value that stay with its key
	inlineSize = 256 // a value of more bytes is a long one
	longValue  = 0x8000
	leastPages = 1 << 10
	widePages  = 1 << 6
)

// recordSize is the number of bytes of the record of a value, at most.
func recordSize(value []byte) int64 { return int64(recordHead + min(len(value), inlineSize)) }

// newTable makes a table for records of so many bytes, with that seed, whose files are in space.
// dead tells the values that need not be kept.
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

// full reports whether records of so many bytes are too many.
func (t *table) full(size int64) bool { return 3*size > 2*int64(t.pages)*(pageSize-pageHeader) }

// Close closes the files, which are gone then.
func (t *table) Close() error {
	err := t.file.Close()
	if t.long != nil {
		err = errors.Join(err, t.long.Close())
	}
	return err
}

// home is the page that a key hashes to.
func (t *table) home(p wireform.Outpoint) int {
	return int(maphash.Comparable(t.seed, p) & uint64(t.pages-1))
}

// load goes to page n.
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

// flush writes the pages in memory if they are not in the file as they are.
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

// end is the number of bytes of the page that are used.
func (t *table) end() int { return max(pageHeader, int(binary.LittleEndian.Uint16(t.page))) }

func (t *table) setEnd(n int) {
	binary.LittleEndian.PutUint16(t.page, uint16(n))
	t.dirty = true
}

// spills reports whether records that belong into the page may stand in the next
// one.
func (t *table) spills() bool { return t.page[2] != 0 }

// record returns where the value of the record at i begins and ends.
func (t *table) record(i int) (value, end int) {
	n := int(binary.LittleEndian.Uint16(t.page[i+keySize:]) &^ longValue)
	return i + recordHead, i + recordHead + n
}

// find returns where in the page the record of a key is, or -1.
func (t *table) find(key *[keySize]byte) int {
	for i, end := pageHeader, t.end(); i < end; {
		if [keySize]byte(t.page[i:]) == *key {
			return i
		}
		_, i = t.record(i)
	}
	return -1
}

// lookup finds the page and the record of a key, or gives i = -1.
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

// get returns the value of a key, or nil if there is none.
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
	copy(value, stored[:markSize]) // may have changed
	return value, nil
}

// put sets the value of a key, of at least markSize bytes. If it has one already,
// only the first markSize bytes may differ.
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

// putLong writes a long value to its file, and returns what stands for it.
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

// insert puts a record into the first page with room for it, from page n on.
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

// sweep takes the dead records out of the page.
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

// reserve makes room for records of so many bytes more: it doubles the table if
// that is needed, and leaves the dead records out.
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

// move puts the records of widePages pages from page n on into u, which has twice
// as many pages or more. A record goes to the page that it had or to one whose
// number is greater by a multiple of the number of pages: those that go to the
// same ones of u go together.
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
