package ptx

import (
	"errors"
	"fmt"
)

// A touch records the last write and the last read of a byte of memory: the work item and
// the time. Two work items that access a byte in one launch cause a race if one of them writes,
// unless both accesses are atomic, or both work items are in one group with a barrier between the
// accesses. Groups may run in any order, and one group may not see the writes of another.
//
// Times are those of Memory's clock, which advances at the start of every group and at every
// barrier. So all times since the start of the current group belong to this group.
type touch struct {
	written, read  uint32
	writer, reader int32 // index, within its group, of the work item, or several
	atomic         bool  // all writes at the time of the last write were atomic
	plain          bool  // some write of the launch was not atomic

	// Whether work items of earlier groups of the launch have read, written, or written
	// non-atomically:
	othersRead, othersWrote, othersPlain bool
}

const several = -1 // in place of a work item: several work items

// pageLen is the number of bytes whose touches are allocated together.
const pageLen = 1024

type page [pageLen]touch

// A span holds the times at which the current launch and the current group began, and the current
// time.
type span struct {
	launch, group, now uint32
}

// touches returns the touches of the n bytes at offset off, which is a multiple of n.
func (w *window) touches(off, n uint64) []touch {
	if w.pages == nil {
		w.pages = make([]*page, (len(w.data)+pageLen-1)/pageLen)
	}
	p := w.pages[off/pageLen] // one page is enough, since off is a multiple of n
	if p == nil {
		p = new(page)
		w.pages[off/pageLen] = p
	}
	return p[off%pageLen:][:n]
}

// race records an access by the work item with the given id, to the n bytes at offset off of a
// window. It returns an error if the access is a race with another work item. An access that both
// reads and writes is atomic.
func (w *window) race(s span, off, n uint64, id int32, read, write bool) error {
	bytes := w.touches(off, n)
	for i := range bytes {
		if !bytes[i].use(s, id, read, write) {
			return fmt.Errorf("a race: another work item of the launch used the byte at offset %d",
				off+uint64(i))
		}
	}
	return nil
}

// use does the work of race for one byte. It reports whether there is no race.
func (t *touch) use(s span, id int32, read, write bool) bool {
	if t.written < s.launch {
		t.plain, t.othersWrote, t.othersPlain = false, false, false
	} else if t.written < s.group {
		t.othersWrote, t.othersPlain = true, t.plain
	}
	if t.read < s.launch {
		t.othersRead = false
	} else if t.read < s.group {
		t.othersRead = true
	}
	atomic := read && write
	if t.othersWrote && !(atomic && !t.othersPlain) ||
		t.written == s.now && t.writer != id && !(atomic && t.atomic) {
		return false
	}
	if write && (t.othersRead || t.read == s.now && t.reader != id) {
		return false
	}
	if write {
		if t.written != s.now {
			t.atomic = true
		} else if t.writer != id {
			id = several
		}
		t.atomic = t.atomic && atomic
		t.plain = t.plain || !atomic
		t.written, t.writer = s.now, id
		return true
	}
	if t.read == s.now && t.reader != id {
		id = several
	}
	t.read, t.reader = s.now, id
	return true
}

var errShared = errors.New("an address outside of the group's shared memory")

// sharedAt returns the n bytes at offset off of the group's shared memory, for an access by the
// work item with the given id. It returns an error if the bytes do not lie in one variable, are
// read before the group writes them, or are part of a race.
func (g *group) sharedAt(off, n uint64, id int32, read, write bool) ([]byte, error) {
	for _, v := range g.m.shared {
		if off < v.addr || off-v.addr > uint64(v.size) || uint64(v.size)-(off-v.addr) < n {
			continue
		}
		if read {
			for i, t := range g.shared.touches(off, n) {
				if t.written < g.span.group {
					return nil, fmt.Errorf("shared memory at offset %d was never written", off+uint64(i))
				}
			}
		}
		s := g.span
		s.launch = s.group // no other group has this memory
		return g.shared.data[off:][:n:n], g.shared.race(s, off, n, id, read, write)
	}
	return nil, errShared
}
