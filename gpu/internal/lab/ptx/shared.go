package ptx

import (
	"errors"
	"fmt"
)

// A sharedMemory is the shared memory of a group. For every byte it records which work items have
// accessed it since the last barrier. Two work items that access a byte between two successive
// barriers cause a race if one of them writes, unless both accesses are atomic.
type sharedMemory struct {
	data  []byte
	notes []note
	holes []note // the notes with which each group begins
	epoch uint32 // number of barriers so far, counting from 1
}

// A note records the last write and the last read of a byte: the work item, and the number of
// barriers before the access (the epoch).
type note struct {
	writer, reader       int32
	writeEpoch, readTime uint32
	atomic               bool
}

const (
	several = -1 // in place of a work item: several work items
	hole    = -2 // takes the place of a writer, for bytes that belong to no variable
)

func newShared(m *Module) sharedMemory {
	n := m.sharedLen
	s := sharedMemory{data: make([]byte, n), notes: make([]note, n), holes: make([]note, n)}
	for i := range n {
		s.holes[i].writer = hole
	}
	for _, v := range m.shared {
		clear(s.holes[v.addr:][:v.size])
	}
	return s
}

// reset marks all memory as not written.
func (s *sharedMemory) reset() {
	for i := range s.data {
		s.data[i] = unwritten
	}
	copy(s.notes, s.holes)
	s.epoch = 1
}

var errShared = errors.New("an address outside of the group's shared memory")

// at returns the n bytes at offset off, for an access by the work item with the given id. It
// returns an error if bytes lie outside of all variables, are read before they are written, or are
// part of a race. An access that both reads and writes is atomic.
func (s *sharedMemory) at(off, n uint64, id int32, read, write bool) ([]byte, error) {
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
		other := now && c.writer != id && !(read && write && c.atomic)
		if write && c.readTime == s.epoch && c.reader != id {
			other = true
		}
		if other {
			return nil, fmt.Errorf("a race: another work item used the shared memory at "+
				"offset %d since the last barrier", i)
		}
		switch {
		case read && write:
			if now && c.writer != id {
				c.writer = several
			} else {
				c.writer = id
			}
			c.writeEpoch, c.atomic = s.epoch, !now || c.atomic
		case write:
			c.writer, c.writeEpoch, c.atomic = id, s.epoch, false
		case c.readTime == s.epoch && c.reader != id:
			c.reader = several
		default:
			c.reader, c.readTime = id, s.epoch
		}
	}
	return s.data[off : off+n : off+n], nil
}
