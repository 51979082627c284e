package secrettest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/bits"
	"os"
	"slices"
	"strings"
)

// Needles holds forms of the secrets that must not be in memory. A form has eight bytes, and at
// least 48 of its bits are bits of the secret, since a shorter part may occur by chance. The search
// finds it at any address. The probability that a megabyte of random bytes contains one of 2^12
// forms is 2^-32.
type Needles struct {
	forms map[uint64]form              // by their bytes in memory as a little-endian number
	first [1 << filterBits / 64]uint64 // one bit for each hash of a form's first four bytes
}

// A form describes eight bytes in memory: some bits of a secret, how they are changed, and the
// order of the bytes.
type form struct {
	secret        string
	low, high     int16 // numbers of the lowest and the highest bit
	change, order uint8
}

var (
	changes = [...]string{"", "complemented, ", "times 2, ", "times 2 plus 1, ", "halved, ",
		"halved with the top bit set, "}
	orders = [...]string{"little-endian", "big-endian", "little-endian halves, high half first",
		"big-endian halves, low half first"}
)

func (f form) String() string {
	return fmt.Sprintf("bits %d to %d of %s, %s%s", f.low, f.high, f.secret, changes[f.change],
		orders[f.order])
}

// Add adds the forms of a number below 2^256.
func (n *Needles) Add(name string, x *big.Int) {
	n.AddBytes(name, x.FillBytes(make([]byte, 32)))
}

// AddLimbs adds the forms of the number with the given 64-bit limbs, least significant first.
func (n *Needles) AddLimbs(name string, limbs ...uint64) {
	var b []byte
	for _, l := range slices.Backward(limbs) {
		b = binary.BigEndian.AppendUint64(b, l)
	}
	n.AddBytes(name, b)
}

// AddBytes adds the forms of a big-endian number, whose length must be a multiple of 8. These are
// its 64-bit words and its limbs of 52 bits, each also complemented and shifted by one bit, and
// pairs of its limbs of 29 and of 26 bits. The search finds the halves of a word as a pair.
func (n *Needles) AddBytes(name string, b []byte) {
	for _, width := range []int{64, 52, 29, 26} {
		n.AddParts(name, b, 8*len(b), width)
	}
}

// AddParts adds the parts of width bits of a big-endian number with the given number of bits. Parts
// with at most 33 bits are added in pairs of neighbours.
func (n *Needles) AddParts(name string, b []byte, size, width int) {
	little := append(slices.Clone(b), make([]byte, 8)...)
	slices.Reverse(little[:len(b)])
	part := func(low int) uint64 {
		if low >= size {
			return 0
		}
		return binary.LittleEndian.Uint64(little[low/8:]) >> (low % 8) & (1<<width - 1)
	}
	for low := 0; low < size; low += width {
		f, w := form{secret: name, low: int16(low), high: int16(min(low+width, size) - 1)}, part(low)
		if width <= pairedBits {
			f.high = int16(min(low+2*width, size) - 1)
			w = pair(w, part(low+width))
		}
		if f.high-f.low < 47 || !random(w) {
			continue
		}
		if width <= pairedBits {
			n.addForms(w, f, true)
			continue
		}
		for i, v := range []uint64{w, ^w, w << 1, w<<1 | 1, w >> 1, w>>1 | 1<<(width-1)} {
			f.change = uint8(i)
			n.addForms(v, f, width == 64)
			if cut := v & (1<<width - 1); cut != v {
				n.addForms(cut, f, false)
			}
		}
	}
}

// addForms adds w, which f describes, in both orders of its bytes, and if halves is set also with
// its halves exchanged.
func (n *Needles) addForms(w uint64, f form, halves bool) {
	if n.forms == nil {
		n.forms = make(map[uint64]form, 1<<12)
	}
	exchanged := bits.RotateLeft64(w, 32)
	pieces := []uint64{w, bits.ReverseBytes64(w), exchanged, bits.ReverseBytes64(exchanged)}
	if !halves {
		pieces = pieces[:2]
	}
	for i, piece := range pieces {
		f.order = uint8(i)
		n.forms[piece] = f
		h := filter(piece)
		n.first[h/64] |= 1 << (h % 64)
	}
}

// Len returns the number of forms.
func (n *Needles) Len() int { return len(n.forms) }

const filterBits = 17

// filter returns a hash of the first four bytes of a piece.
func filter(piece uint64) uint32 { return uint32(piece) * 0x9e3779b1 >> (32 - filterBits) }

const pairedBits = 33

// pair joins a word of at most 33 bits with the next word, as if each had 32 bits.
func pair(w, next uint64) uint64 { return w ^ next<<32 }

// random reports whether a word has at least six different bytes, so that it is unlikely to occur
// by chance.
func random(w uint64) bool {
	different := 0
	for i := range 8 {
		seen := false
		for j := range i {
			seen = seen || byte(w>>(8*i)) == byte(w>>(8*j))
		}
		if !seen {
			different++
		}
	}
	return different >= 6
}

// in returns a description of each form that occurs in b, the memory at the given address. A word
// with at most 33 bits is sought together with the next four bytes after it, so that parts are
// found in words of 64 bits too.
func (n *Needles) in(b []byte, address uint64, where string) (found []string) {
	for i := 0; i+8 <= len(b); i++ {
		piece := binary.LittleEndian.Uint64(b[i:])
		h := filter(piece)
		if n.first[h/64]>>(h%64)&1 == 0 {
			continue
		}
		if piece>>pairedBits == 0 && i+12 <= len(b) {
			piece = pair(piece, uint64(binary.LittleEndian.Uint32(b[i+8:])))
		}
		if f, ok := n.forms[piece]; ok {
			found = append(found, fmt.Sprintf("%v at %#x, %s", f, address+uint64(i), where))
		}
	}
	return found
}

// reach is the number of bytes after the first that in reads for a form.
const reach = 11

// A Memory is the writable memory of another process, which must wait while it is searched.
type Memory struct {
	PID        int
	Begin, End uint64 // the range of the addresses that are searched

	pages  map[uint64][]byte // the bytes of each page at the last search, by address
	buffer []byte
}

// Search looks for the needles, which must be made of secrets that the process did not have at the
// last search. It skips the pages whose bytes are the same as at that search: such a page holds no
// needle, even if it was written to, since its bytes are older than the secrets.
func (m *Memory) Search(n *Needles) (found []string, err error) {
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", m.PID))
	if err != nil {
		return nil, err
	}
	defer mem.Close()
	pages, err := os.Open(fmt.Sprintf("/proc/%d/pagemap", m.PID))
	if err != nil {
		return nil, err
	}
	defer pages.Close()
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", m.PID))
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
		if !strings.HasPrefix(mode, "rw") || from < m.Begin || to > m.End {
			continue
		}
		present, err := runs(pages, from, to)
		if err != nil {
			return nil, err
		}
		for _, run := range present {
			size := int(run[1] - run[0])
			m.buffer = slices.Grow(m.buffer[:0], size)[:size]
			if _, err := mem.ReadAt(m.buffer, int64(run[0])); err != nil {
				return nil, fmt.Errorf("%q: %w", lines.Text(), err)
			}
			for _, c := range m.changed(run[0]) {
				found = append(found, n.in(m.buffer[c[0]:c[1]], run[0]+uint64(c[0]), lines.Text())...)
			}
		}
	}
	return found, lines.Err()
}

// changed returns the ranges of the buffer, which holds pages from the given address on, in which
// new needles may be: each run of pages that changed since the last search, and the bytes on each
// side that a form may share with it. It keeps the new bytes of these pages.
func (m *Memory) changed(address uint64) (ranges [][2]int) {
	if m.pages == nil {
		m.pages = map[uint64][]byte{}
	}
	size := os.Getpagesize()
	for i := 0; i < len(m.buffer); i += size {
		page := m.buffer[i : i+size]
		last := m.pages[address+uint64(i)]
		if bytes.Equal(page, last) {
			continue
		}
		m.pages[address+uint64(i)] = append(last[:0], page...)
		begin, end := max(i-reach, 0), min(i+size+reach, len(m.buffer))
		if k := len(ranges) - 1; k >= 0 && ranges[k][1] > begin {
			ranges[k][1] = end
		} else {
			ranges = append(ranges, [2]int{begin, end})
		}
	}
	return ranges
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
