package framing

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A fileModel is a file that is written piece by piece, with what reading it must give.
type fileModel struct {
	form Form
	tail int
	rnd  *rand.Rand
	raw  []byte // the file

	pieces []piece
}

// A piece is a part of the file.
type piece struct {
	kind   pieceKind
	at     int // its offset in the file
	size   int // of a record: of its content
	length int // in bytes
	badAt  int // of a piece that is no record: where the error must be, from at on
}

type pieceKind int

const (
	isRecord pieceKind = iota + 1
	isGarbage
	isZeros
)

// bytes appends n bytes such that none is zero in the file, and none is the first byte of a magic.
func (m *fileModel) bytes(n int) {
	first := m.form.Network.Magic()[0]
	for range n {
		key := m.form.Key[len(m.raw)%8]
		b := first
		for b == first || b == key {
			b = byte(m.rnd.Uint32())
		}
		m.raw = append(m.raw, b^key)
	}
}

func (m *fileModel) add(kind pieceKind, at, size, badAt int) {
	m.pieces = append(m.pieces, piece{kind, at, size, len(m.raw) - at, badAt})
}

// record appends a record with n bytes of content. Its head states the given size.
func (m *fileModel) record(n int, stated uint32, magic [4]byte) (at int) {
	at = len(m.raw)
	head := binary.LittleEndian.AppendUint32(magic[:], stated)
	for _, b := range head {
		m.raw = append(m.raw, b^m.form.Key[len(m.raw)%8])
	}
	m.bytes(n + m.tail)
	return at
}

// piece appends a piece that the bytes a and b choose.
func (m *fileModel) piece(a, b byte) {
	n, magic := int(m.form.Least)+int(b), m.form.Network.Magic()
	if a>>4 == 15 {
		n = 3000 + 300*int(b)
	}
	switch at := len(m.raw); a % 16 {
	default:
		m.add(isRecord, m.record(n, uint32(n), magic), n, 0)
	case 8, 9: // garbage
		if n = 1 + int(b)%20*int(1+a>>4*40); a>>4 > 11 { // the next head lies across two windows
			n = windowSize*(1+int(b)/128) - int(b)%12
		}
		m.bytes(n)
		m.add(isGarbage, at, 0, 0)
	case 10, 11:
		m.raw = append(m.raw, make([]byte, 1+int(b)*int(a>>4))...)
		m.add(isZeros, at, 0, 0)
	case 12: // a record with a bit of its magic changed
		magic[b%4] ^= 1 << (b / 4 % 8)
		m.add(isGarbage, m.record(n, uint32(n), magic), 0, 0)
	case 13: // a size that no record has
		size := m.form.Least - 1
		if b%2 == 0 {
			size = m.form.Most + 1 + uint32(b)
		}
		m.add(isGarbage, m.record(n, size, magic), 0, 4)
	case 14: // a record that states more bytes than the file will have
		m.add(isGarbage, m.record(n, m.form.Most-uint32(b), magic), 0, 0)
	case 15: // a record that states fewer bytes than follow
		less := 1 + int(b)/2
		m.add(isRecord, m.record(n+less, uint32(n), magic), n, 0)
		p := &m.pieces[len(m.pieces)-1]
		p.length -= less
		m.pieces = append(m.pieces, piece{isGarbage, p.at + p.length, 0, less, 0})
	}
}

// cut shortens the file to n bytes.
func (m *fileModel) cut(n int) {
	m.raw = m.raw[:n]
	for i, p := range m.pieces {
		if p.at+p.length > n {
			m.pieces = m.pieces[:i+1]
			if p = (piece{p.kind, p.at, p.size, n - p.at, p.badAt}); p.kind == isRecord {
				p.kind = isGarbage
			}
			if p.length < HeadSize {
				p.badAt = 0
			}
			if m.pieces[i] = p; p.length == 0 {
				m.pieces = m.pieces[:i]
			}
			return
		}
	}
}

// expected returns the records that reading must find, and the offset that the error at the end
// must state, or -1 if there must be no error.
func (m *fileModel) expected() (records []piece, badAt int) {
	badAt = -1
	for i := 0; i < len(m.pieces); i++ {
		p := m.pieces[i]
		if p.kind == isRecord {
			records = append(records, p)
			continue
		}
		if p.kind == isZeros {
			n := p.length
			for ; i+1 < len(m.pieces) && m.pieces[i+1].kind == isZeros; i++ {
				n += m.pieces[i+1].length
			}
			if n >= HeadSize || p.at+n == len(m.raw) {
				continue // zeros begin no gap
			}
		}
		if badAt < 0 {
			badAt = p.at + p.badAt
		}
	}
	return records, badAt
}

// A brokenFile returns errBroken for bytes from the offset good on.
type brokenFile struct {
	r    *bytes.Reader
	good int
}

var errBroken = errors.New("the disk is broken")

func (f *brokenFile) ReadAt(b []byte, at int64) (int, error) {
	if at+int64(len(b)) > int64(f.good) {
		return 0, errBroken
	}
	return f.r.ReadAt(b, at)
}

// read compares what a Walk finds in the file with the model. If broken is set, reading may end
// early, with errBroken.
func (m *fileModel) read(t *testing.T, file io.ReaderAt, broken bool) {
	t.Helper()
	want, badAt := m.expected()
	w := NewWalk(m.form, file, int64(len(m.raw)))
	w.Tail = int64(m.tail)
	for i := 0; ; i++ {
		at, size, err := w.Next()
		if err == nil && i < len(want) && int(at) == want[i].at && int(size) == want[i].size {
			b, err := w.Bytes(at, HeadSize+int(size))
			if err == nil && !bytes.Equal(b, m.raw[at:][:HeadSize+int(size)]) {
				t.Fatalf("record %d at %d has another content", i, at)
			} else if err != nil && !(broken && errors.Is(err, errBroken)) {
				t.Fatalf("record %d at %d: %v", i, at, err)
			} else if err != nil {
				return
			}
			continue
		}
		var f *reading.Error
		if isFile := errors.As(err, &f); isFile && (f.File != "f" || f.Offset < 0 ||
			f.Offset > int64(len(m.raw)) || f.Err == nil) {
			t.Fatalf("error %#v", f)
		}
		switch {
		case broken && errors.Is(err, errBroken) && f != nil:
		case err == nil || i != len(want):
			t.Fatalf("record %d of %d: at %d, %d bytes, %v\n%+v", i, len(want), at, size, err,
				m.pieces)
		case badAt < 0:
			if err != io.EOF {
				t.Fatalf("%v, want no error\n%+v", err, m.pieces)
			}
		case f == nil || f.Offset != int64(badAt):
			t.Fatalf("%v, want byte %d\n%+v", err, badAt, m.pieces)
		}
		return
	}
}

// FuzzWalk writes files of records, garbage, zeros and records with damaged heads, cuts them, and
// reads them. The Walk must find the records of the model, and state where the first gap is. With
// an input that fails it must return the records before that.
func FuzzWalk(f *testing.F) {
	r := rand.New(rand.NewPCG(61, 61))
	for i := range 60 {
		data := make([]byte, 12+2*i)
		for k := range data {
			data[k] = byte(r.Uint32())
		}
		f.Add(data)
	}
	for b := range byte(12) { // the head of the record after the gap lies around a window's end
		for kind := range byte(4) {
			f.Add([]byte{b, 0, kind, 0, 0, 0, 0xc8, b, 0, 9})
		}
		f.Add([]byte{b, 0, 13, 0, 0, 0, 8, 0, 0, 0}) // a gap before a record that is cut in its tail
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 6 {
			return
		}
		data = data[:min(len(data), 120)]
		m := fileModel{form: OfBlocks("f", consensus.Regtest, [8]byte{}),
			rnd: rand.New(rand.NewPCG(uint64(data[0]), uint64(data[1])))}
		if data[2]&1 != 0 { // a rev*.dat file
			m.form.Least, m.form.Most, m.tail = 1, 16<<20, 32
		}
		first := m.form.Network.Magic()[0]
		for i := range m.form.Key {
			if data[2]&2 != 0 {
				for m.form.Key[i] == 0 || m.form.Key[i] == first {
					m.form.Key[i] = byte(m.rnd.Uint32())
				}
			}
		}
		for rest := data[6:]; len(rest) >= 2; rest = rest[2:] {
			m.piece(rest[0], rest[1])
		}
		if data[2]&12 == 12 {
			m.cut(m.rnd.IntN(len(m.raw) + 1))
		}
		m.read(t, bytes.NewReader(m.raw), false)
		m.read(t, &brokenFile{bytes.NewReader(m.raw), m.rnd.IntN(len(m.raw) + 1)}, true)
	})
}
