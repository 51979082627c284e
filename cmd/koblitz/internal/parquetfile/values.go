package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"
)

// maxDelta is the maximum number of lengths in a page in DELTA_LENGTH_BYTE_ARRAY, and maxDeltaBlock
// the maximum number in a block of such a page. Writers use blocks of 128.
const (
	maxDelta      = 1 << 20
	maxDeltaBlock = 1 << 16
)

// plainDictionary is the encoding that old writers state in place of Plain in the page of a
// dictionary, and in place of RLEDictionary in data pages.
const plainDictionary format.Encoding = 2

var errPageEnds = errors.New("a page ends before its values do")

// A page is a data page whose cells are being read.
type page struct {
	left   int // number of cells that were not read
	levels hybrid

	data       []byte   // values that were not read
	width      int      // size of a value in bytes, or 0 if its length precedes each value
	dictionary bool     // the values are indexes of dictionary entries
	indexes    hybrid   // with dictionary
	offsets    []uint32 // of the values, in DELTA_LENGTH_BYTE_ARRAY
}

// values prepares c.page, whose data has the encoding e, so that the methods value and entry can
// read it.
func (c *chunk) values(e format.Encoding) error {
	g := &c.page
	g.dictionary = e == plainDictionary || e == format.RLEDictionary
	switch {
	case e == format.Plain:
	case e == format.DeltaLengthByteArray && c.kind == format.ByteArray:
		return g.decodeDelta()
	case !g.dictionary:
		return fmt.Errorf("%v of %v is an encoding that is not read: write PLAIN, a dictionary, or "+
			"%v of %v", e, c.kind, format.DeltaLengthByteArray, format.ByteArray)
	case c.dictionary == nil:
		return errors.New("a page without its dictionary")
	case len(g.data) == 0: // all cells are null
	case g.data[0] > 32:
		return fmt.Errorf("indexes of %d bits", g.data[0])
	default:
		g.indexes = hybrid{b: g.data[1:], width: int(g.data[0])}
	}
	return nil
}

// decodeDelta decodes p.data, which is in DELTA_LENGTH_BYTE_ARRAY. Since the library allocates the
// number of lengths that the data claims, decodeDelta first compares that number with the limit.
func (p *page) decodeDelta() (err error) {
	const name = format.DeltaLengthByteArray
	w := walk{b: p.data}
	block, _, n := w.uvarint(), w.uvarint(), w.uvarint()
	switch {
	case w.err != nil:
		return errPageEnds
	case block > maxDeltaBlock:
		return fmt.Errorf("a page in %v with blocks of %d values", name, block)
	case n > maxDelta:
		return fmt.Errorf("a page of %d values in %v, more than the %d that are read", n, name, maxDelta)
	}
	// The library decodes the lengths at the beginning of the buffer before it moves the values to the
	// beginning, so it can decode the page in place.
	d := new(delta.LengthByteArrayEncoding)
	p.data, p.offsets, err = d.DecodeByteArray(p.data[:0], p.data, nil)
	return err
}

// value returns the next value of the page.
func (p *page) value() ([]byte, error) {
	n := uint32(p.width)
	switch {
	case p.offsets != nil:
		if len(p.offsets) < 2 {
			return nil, errPageEnds
		}
		n = p.offsets[1] - p.offsets[0]
		p.offsets = p.offsets[1:]
	case n == 0:
		if len(p.data) < 4 {
			return nil, errPageEnds
		}
		n = binary.LittleEndian.Uint32(p.data)
		p.data = p.data[4:]
	}
	if uint64(n) > uint64(len(p.data)) {
		return nil, errPageEnds
	}
	v := p.data[:n]
	p.data = p.data[n:]
	return v, nil
}

// entry returns the dictionary entry of the next index.
func (p *page) entry(dictionary [][]byte) ([]byte, error) {
	i, ok := p.indexes.next()
	switch {
	case !ok:
		return nil, errPageEnds
	case uint64(i) >= uint64(len(dictionary)):
		return nil, fmt.Errorf("entry %d of a dictionary of %d", i, len(dictionary))
	}
	return dictionary[i], nil
}

// A hybrid decodes numbers of a fixed width in the RLE/bit-packing hybrid encoding: runs that
// repeat one number, and runs of packed numbers. The library decodes all runs at once, allocates
// the lengths that they claim, and panics if the last packed run lacks its padding.
type hybrid struct {
	b      []byte
	width  int    // bits of a number, at most 32
	left   int    // numbers left in this run
	value  uint32 // the repeated number
	packed []byte // the packed numbers of this run; nil in a run that repeats one number
	bit    int    // offset in bits of the next number in packed
}

// next returns the next number, or false after the last.
func (h *hybrid) next() (uint32, bool) {
	for h.left == 0 {
		if !h.run() {
			return 0, false
		}
	}
	h.left--
	if h.packed == nil {
		return h.value, true
	}
	var word [8]byte
	copy(word[:], h.packed[h.bit/8:])
	v := binary.LittleEndian.Uint64(word[:]) >> (h.bit % 8) & (1<<h.width - 1)
	h.bit += h.width
	return uint32(v), true
}

// run starts decoding the next run of numbers. It returns false if no run follows.
func (h *hybrid) run() bool {
	head, n := binary.Uvarint(h.b)
	if n <= 0 || head > math.MaxInt32 {
		return false
	}
	h.b = h.b[n:]
	if head&1 == 0 {
		size := (h.width + 7) / 8
		if len(h.b) < size {
			return false
		}
		var number [4]byte
		copy(number[:], h.b[:size])
		h.left, h.value, h.packed = int(head>>1), binary.LittleEndian.Uint32(number[:]), nil
		h.b = h.b[size:]
		return true
	}
	groups := min(int(head>>1), maxPage) // no page has more bytes
	h.left = groups * 8
	size := groups * h.width
	if size > len(h.b) { // some writers omit the padding of the last run
		size = len(h.b)
		h.left = size * 8 / h.width
	}
	h.packed, h.bit = h.b[:size:size], 0
	h.b = h.b[size:]
	return true
}
