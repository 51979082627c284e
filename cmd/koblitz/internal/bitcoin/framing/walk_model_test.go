package framing

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A fileModel is a file that is written piece by piece.
type fileModel struct {
	form Form
	tail int
	rnd  *rand.Rand
	raw  []byte
}

// bytes appends n bytes.
func (m *fileModel) bytes(n int) {
	for range n {
		m.raw = append(m.raw, byte(m.rnd.Uint32()))
	}
}

// record appends a record with n bytes of content. Its head states the given size.
func (m *fileModel) record(n int, stated uint32, magic [4]byte) {
	for _, b := range binary.LittleEndian.AppendUint32(magic[:], stated) {
		m.raw = append(m.raw, b^m.form.Key[len(m.raw)%8])
	}
	m.bytes(n + m.tail)
}

// piece appends a piece that the bytes a and b choose.
func (m *fileModel) piece(a, b byte) {
	n, magic := int(m.form.Least)+int(b), m.form.Network.Magic()
	if a>>4 == 15 {
		n = 3000 + 300*int(b)
	}
	switch a % 16 {
	default:
		m.record(n, uint32(n), magic)
	case 8, 9: // garbage
		if n = 1 + int(b)%20*int(1+a>>4*40); a>>4 > 11 { // the next head lies across two windows
			n = windowSize*(1+int(b)/128) - int(b)%12
		}
		m.bytes(n)
	case 10, 11:
		m.raw = append(m.raw, make([]byte, 1+int(b)*int(a>>4))...)
	case 12: // a record with a bit of its magic changed
		magic[b%4] ^= 1 << (b / 4 % 8)
		m.record(n, uint32(n), magic)
	case 13: // a size that no record has
		size := m.form.Least - 1
		if b%2 == 0 {
			size = m.form.Most + 1 + uint32(b)
		}
		m.record(n, size, magic)
	case 14: // a record that states more bytes than the file will have
		m.record(n, m.form.Most-uint32(b), magic)
	case 15: // a record that states fewer bytes than follow
		m.record(n+1+int(b)/2, uint32(n), magic)
	}
}

// A place is a record of a file, and the size of its content.
type place struct{ at, size int }

// head returns the size of the record that begins at an offset. If none does, it returns the offset
// of the mistake.
func (m *fileModel) head(at int) (size, badAt int, ok bool) {
	if len(m.raw)-at < HeadSize {
		return 0, at, false
	}
	head := bytes.Clone(m.raw[at:][:HeadSize])
	for i := range head {
		head[i] ^= m.form.Key[(at+i)%8]
	}
	magic, stated := m.form.Network.Magic(), binary.LittleEndian.Uint32(head[4:])
	switch {
	case string(head[:4]) != string(magic[:]):
		return 0, at, false
	case stated < m.form.Least || stated > m.form.Most:
		return 0, at + 4, false
	}
	size = int(stated)
	return size, at, at+HeadSize+size+m.tail <= len(m.raw)
}

// expected returns the records that reading must find, byte by byte, and the offset that the error
// at the end must state, or -1 if there must be no error.
func (m *fileModel) expected() (records []place, badAt int) {
	badAt = -1
	for at := 0; at < len(m.raw); {
		zeros := len(m.raw[at:]) - len(bytes.TrimLeft(m.raw[at:], "\x00"))
		if zeros >= HeadSize || at+zeros == len(m.raw) {
			at += zeros // zeros begin no gap
			continue
		}
		size, bad, ok := m.head(at)
		if ok {
			records = append(records, place{at, size})
			at += HeadSize + size + m.tail
			continue
		}
		if badAt < 0 {
			badAt = bad
		}
		for at++; at < len(m.raw); at++ {
			if _, _, ok := m.head(at); ok {
				break
			}
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
	var got []place
	for {
		at, size, err := w.Next()
		var b []byte
		if err == nil {
			got = append(got, place{int(at), int(size)})
			b, err = w.Bytes(at, HeadSize+int(size))
		}
		if err == nil && bytes.Equal(b, m.raw[at:][:HeadSize+int(size)]) {
			continue
		}
		var f *reading.Error
		isFile := errors.As(err, &f)
		switch {
		case broken && errors.Is(err, errBroken):
			if len(got) > len(want) || !slices.Equal(got, want[:len(got)]) {
				t.Fatalf("records %v, want %v", got, want)
			}
		case !slices.Equal(got, want):
			t.Fatalf("records %v, want %v; %v", got, want, err)
		case badAt < 0 && err != io.EOF, badAt >= 0 && (!isFile || f.Offset != int64(badAt)),
			isFile && (f.File != "f" || f.Err == nil):
			t.Fatalf("%v, want an error at byte %d", err, badAt)
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
		for i := range m.form.Key {
			if data[2]&2 != 0 {
				m.form.Key[i] = byte(m.rnd.Uint32())
			}
		}
		for rest := data[6:]; len(rest) >= 2; rest = rest[2:] {
			m.piece(rest[0], rest[1])
		}
		if data[2]&12 == 12 {
			m.raw = m.raw[:m.rnd.IntN(len(m.raw)+1)]
		}
		m.read(t, bytes.NewReader(m.raw), false)
		m.read(t, &brokenFile{bytes.NewReader(m.raw), m.rnd.IntN(len(m.raw) + 1)}, true)
	})
}
