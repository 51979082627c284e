package ptx

import (
	"errors"
	"fmt"
)

// A sharedMemory is the shared memory of a group, with a note for every byte of who used it since
// the last barrier. Two work items that use a byte between the same two barriers are a race if one
// of them writes, unless both accesses are atomic.
type sharedMemory struct {
	data  []byte
	notes []note
	holes []note // initial notes of a group
	epoch uint32 // number of barriers, from 1 on
}

// A note records the last write and the last read of a byte, by which work item and in which epoch.
type note struct {
	writer, reader       int32
	writeEpoch, readTime uint32
	atomic               bool
}

const (
	several = -1 // more than one work item
	hole    = -2 // writer of a byte that belongs to no variable
)

func newShared(m *Module, dynamic int) sharedMemory {
	start := m.sharedLen
	if m.dynamic != nil {
		start = alignUp(start, m.dynamic.align)
	}
	n := start + dynamic
	s := sharedMemory{data: make([]byte, n), notes: make([]note, n), holes: make([]note, n)}
	for i := range start {
		s.holes[i].writer = hole
	}
	for _, v := range m.shared {
		clear(s.holes[v.addr:][:v.size])
	}
	return s
}

// reset makes all memory unwritten.
func (s *sharedMemory) reset() {
	for i := range s.data {
		s.data[i] = unwritten
	}
	copy(s.notes, s.holes)
	s.epoch = 1
}

var errShared = errors.New("an address outside of the group's shared memory")

// at returns the n bytes at off, for work item who. It returns an error if they are outside of all
// variables, read before they are written, or part of a race. An access that reads and writes is
// atomic.
func (s *sharedMemory) at(off, n uint64, who int32, read, write bool) ([]byte, error) {
	if off > uint64(len(s.data)) || uint64(len(s.data))-off < n {
		return nil, errShared
	}
	for i := off; i < off+n; i++ {
		c := &s.notes[i]
		switch {
		case c.writer == hole:
			return nil, errShared
		case read && c.writeEpoch == 0:
			return nil, fmt.Errorf("shared memory at offset %d was never written", i)
		}
		now := c.writeEpoch == s.epoch
		other := now && c.writer != who && !(read && write && c.atomic)
		if write && c.readTime == s.epoch && c.reader != who {
			other = true
		}
		if other {
			return nil, fmt.Errorf("a race: another work item used the shared memory at "+
				"offset %d since the last barrier", i)
		}
		switch {
		case read && write:
			if now && c.writer != who {
				c.writer = several
			} else {
				c.writer = who
			}
			c.writeEpoch, c.atomic = s.epoch, !now || c.atomic
		case write:
			c.writer, c.writeEpoch, c.atomic = who, s.epoch, false
		case c.readTime == s.epoch && c.reader != who:
			c.reader = several
		default:
			c.reader, c.readTime = who, s.epoch
		}
	}
	return s.data[off : off+n : off+n], nil
}
