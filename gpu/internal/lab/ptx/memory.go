package ptx

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Layout of addresses. Each allocation has 2^36 addresses of its own, called its window, and
// windows are not reused. So every access outside of an allocation or after Free is detected.
// Shared and local memory have the windows above those of allocations. In a space other than
// global, an address is an offset plus spaceBase. A program that uses it as a generic address by
// mistake accesses the first window, which is empty.
const (
	windowBits   = 36
	windowMask   = 1<<windowBits - 1
	sharedWindow = 1 << 60
	localWindow  = 1 << 61
	spaceBase    = 1 << 12
)

// unwritten is the value of the bytes of new memory.
const unwritten = 0xa5

// Errors that the methods of Memory return or wrap.
var (
	ErrMemory  = errors.New("ptx: out of memory")
	errAddress = errors.New("an address outside of every allocation")
)

// Memory is device memory. It is not safe for concurrent use.
type Memory struct {
	windows []window
	used    int
	limit   int
	clock   uint32 // current time, for the detection of races: see touch
}

// A window is an allocation, freed or not.
type window struct {
	data  []byte
	freed bool
	pages []*page // records of accesses by work items, for the detection of races
}

// NewMemory returns a memory that can allocate limit bytes.
func NewMemory(limit int) *Memory {
	return &Memory{windows: make([]window, 1), limit: limit}
}

// Alloc allocates n bytes and returns their address, a multiple of 2^36.
func (m *Memory) Alloc(n int) (uint64, error) {
	if n < 1 || uint64(n) > windowMask || n > m.limit-m.used {
		return 0, ErrMemory
	}
	m.used += n
	m.windows = append(m.windows, window{data: bytes.Repeat([]byte{unwritten}, n)})
	return uint64(len(m.windows)-1) << windowBits, nil
}

// Free frees the allocation that begins at addr.
func (m *Memory) Free(addr uint64) error {
	w := m.window(addr)
	if w == nil || addr&windowMask != 0 {
		return fmt.Errorf("ptx: %#x is no allocation", addr)
	}
	if w.freed {
		return fmt.Errorf("ptx: %#x is freed twice", addr)
	}
	m.used -= len(w.data)
	w.data, w.pages, w.freed = nil, nil, true
	return nil
}

// Used returns the number of allocated bytes.
func (m *Memory) Used() int { return m.used }

// Bytes returns the n bytes at addr. They must lie in a single allocation.
func (m *Memory) Bytes(addr uint64, n int) ([]byte, error) {
	if n < 0 {
		return nil, fmt.Errorf("ptx: %d bytes", n)
	}
	data, err := m.at(addr, uint64(n))
	if err != nil {
		return nil, fmt.Errorf("ptx: %d bytes at %#x: %w", n, addr, err)
	}
	return data, nil
}

func (m *Memory) window(addr uint64) *window {
	i := addr >> windowBits
	if i == 0 || i >= uint64(len(m.windows)) {
		return nil
	}
	return &m.windows[i]
}

func (m *Memory) at(addr, n uint64) ([]byte, error) {
	w := m.window(addr)
	if w == nil {
		return nil, errAddress
	}
	off := addr & windowMask
	if off > uint64(len(w.data)) || uint64(len(w.data))-off < n {
		if w.freed {
			return nil, errors.New("memory that was freed")
		}
		return nil, fmt.Errorf("offset %d of an allocation of %d bytes", off, len(w.data))
	}
	return w.data[off : off+n : off+n], nil
}

// get returns the little-endian number in b, which has at most eight bytes.
func get(b []byte) uint64 {
	var all [8]byte
	copy(all[:], b)
	return binary.LittleEndian.Uint64(all[:])
}

// put stores the low len(b) bytes of v, little-endian.
func put(b []byte, v uint64) {
	var all [8]byte
	binary.LittleEndian.PutUint64(all[:], v)
	copy(b, all[:])
}
