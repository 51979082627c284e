package secrettest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"slices"
	"strings"
)

// Needles holds the numbers that must not be in memory, cut into pieces of eight bytes. The search
// finds a piece in either byte order, at any address. The probability that a megabyte contains one
// of 64 pieces by chance is 2^-38.
type Needles struct {
	names map[uint64]string    // description of each piece, by its value
	first [1 << 16 / 64]uint64 // one bit for each value of a piece's first two bytes
}

// Add adds the pieces of a number below 2^256.
func (n *Needles) Add(name string, x *big.Int) {
	n.AddBytes(name, x.FillBytes(make([]byte, 32)))
}

// AddBytes adds the pieces of b, whose length must be a multiple of 8.
func (n *Needles) AddBytes(name string, b []byte) {
	for i := 0; i < len(b); i += 8 {
		piece := b[i : i+8]
		if !random(piece) {
			continue
		}
		for _, order := range []binary.ByteOrder{binary.BigEndian, binary.LittleEndian} {
			n.addPiece(fmt.Sprintf("bytes %d to %d of %s, %v", i, i+7, name, order), order.Uint64(piece))
		}
	}
}

// AddLimbs adds the given 64-bit limbs as pieces.
func (n *Needles) AddLimbs(name string, limbs ...uint64) {
	for _, l := range limbs {
		n.AddBytes(name, binary.LittleEndian.AppendUint64(nil, l))
	}
}

func (n *Needles) addPiece(name string, piece uint64) {
	if n.names == nil {
		n.names = map[uint64]string{}
	}
	n.names[piece] = name
	n.first[piece&0xffff/64] |= 1 << (piece % 64)
}

// Len returns the number of pieces.
func (n *Needles) Len() int { return len(n.names) }

// random reports whether a piece has at least six different bytes, so that it is unlikely to occur
// by chance.
func random(piece []byte) bool {
	b := slices.Clone(piece)
	slices.Sort(b)
	return len(slices.Compact(b)) >= 6
}

// in returns a description of each needle that occurs in b, the memory at the given address.
func (n *Needles) in(b []byte, address uint64, where string) (found []string) {
	for i := 0; i+8 <= len(b); i++ {
		piece := binary.LittleEndian.Uint64(b[i:])
		if n.first[piece&0xffff/64]>>(piece%64)&1 == 0 {
			continue
		}
		if name, ok := n.names[piece]; ok {
			found = append(found, fmt.Sprintf("%s at %#x, %s", name, address+uint64(i), where))
		}
	}
	return found
}

// Scan looks for the needles in all writable memory of the process between the addresses begin and
// end.
func (n *Needles) Scan(pid int, begin, end uint64) (found []string, err error) {
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return nil, err
	}
	defer mem.Close()
	pages, err := os.Open(fmt.Sprintf("/proc/%d/pagemap", pid))
	if err != nil {
		return nil, err
	}
	defer pages.Close()
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(maps))
	for lines.Scan() {
		var from, to uint64
		var mode string
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s", &from, &to, &mode); err != nil {
			return nil, fmt.Errorf("%q: %w", lines.Text(), err)
		}
		if !strings.HasPrefix(mode, "rw") || from < begin || to > end {
			continue
		}
		present, err := runs(pages, from, to)
		if err != nil {
			return nil, err
		}
		for _, run := range present {
			b := make([]byte, run[1]-run[0])
			if _, err := mem.ReadAt(b, int64(run[0])); err != nil {
				return nil, fmt.Errorf("%q: %w", lines.Text(), err)
			}
			found = append(found, n.in(b, run[0], lines.Text())...)
		}
	}
	return found, lines.Err()
}

// runs returns the ranges of consecutive pages between two addresses that are in memory or swapped
// out. All other pages were never written to. See pagemap.rst of the kernel's documentation.
func runs(pagemap *os.File, from, to uint64) (present [][2]uint64, err error) {
	page := uint64(os.Getpagesize())
	entries := make([]byte, (to-from)/page*8)
	n, err := pagemap.ReadAt(entries, int64(from/page*8))
	if n < len(entries) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	for i := range (to - from) / page {
		if binary.NativeEndian.Uint64(entries[8*i:])>>62 == 0 {
			continue
		}
		at := from + i*page
		if k := len(present) - 1; k >= 0 && present[k][1] == at {
			present[k][1] += page
		} else {
			present = append(present, [2]uint64{at, at + page})
		}
	}
	return present, nil
}
