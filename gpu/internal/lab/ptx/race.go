package ptx

import "fmt"

// A touch says of one byte of global memory who wrote it last and who read it last, and when. Two
// work items that use a byte in one launch, one of them writing, are a race, unless both are atomic
// operations, or of one group with a barrier in between: groups run in any order, and nothing
// that one of them writes is sure to be there for another.
//
// Times are those of Memory's clock, which goes on with every group and at every barrier, so
// those of one group are all from its start on.
type touch struct {
	written, read  uint32
	writer, reader int32 // of its group
	atomic         bool  // so were all writes at the time of the last one
	plain          bool  // some write of the launch was not atomic

	// In the launch, work items of an earlier group:
	othersRead, othersWrote, othersPlain bool
}

// pageLen is the number of bytes whose touches are allocated together.
const pageLen = 1024

type page [pageLen]touch

// A span is what has happened since a launch and a group of it began.
type span struct {
	launch, group, now uint32
}

// race notes that a work item uses n bytes at an offset of a window, and returns an error if others
// do at the same time. To read and write is atomic.
func (w *window) race(s span, off, n uint64, who int32, read, write bool) error {
	if w.pages == nil {
		w.pages = make([]*page, (len(w.data)+pageLen-1)/pageLen)
	}
	p := w.pages[off/pageLen] // and of no other page: off is a multiple of n
	if p == nil {
		p = new(page)
		w.pages[off/pageLen] = p
	}
	bytes := p[off%pageLen:][:n]
	for i := range bytes {
		if !bytes[i].use(s, who, read, write) {
			return fmt.Errorf("a race: another work item of the launch used the byte at offset %d",
				off+uint64(i))
		}
	}
	return nil
}

// use is race for one byte, and reports whether there is none.
func (t *touch) use(s span, who int32, read, write bool) bool {
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
		t.written == s.now && t.writer != who && !(atomic && t.atomic) {
		return false
	}
	if write && (t.othersRead || t.read == s.now && t.reader != who) {
		return false
	}
	if write {
		if t.written != s.now {
			t.atomic = true
		} else if t.writer != who {
			who = several
		}
		t.atomic = t.atomic && atomic
		t.plain = t.plain || !atomic
		t.written, t.writer = s.now, who
		return true
	}
	if t.read == s.now && t.reader != who {
		who = several
	}
	t.read, t.reader = s.now, who
	return true
}
