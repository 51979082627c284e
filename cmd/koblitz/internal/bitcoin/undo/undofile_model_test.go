package undo

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/framing"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A storedUndo is a record of a test's file, as its model knows it.
type storedUndo struct {
	undoText
	inputs int // of its transaction, or 0 if the block spends nothing
	sum    []byte
	at     int64
	broken bool // its content cannot be parsed
	taken  bool // Find has returned it
}

// checksum returns the checksum of a record for a block with the parent prev.
func checksum(prev uint16, undo string) []byte {
	hash := undoText{prev: prev}.parent()
	return chainhash.DoubleHashB(append(hash[:], undo...))
}

// An undoModel is a file of records and a list of them.
type undoModel struct {
	t       *testing.T
	u       *File
	records []*storedUndo
}

// newUndoModel writes a file with the records that the bytes of data choose: intact ones, often
// several that are equal, and ones with wrong checksums or a content that cannot be parsed.
func newUndoModel(t *testing.T, data []byte, key [8]byte) *undoModel {
	m := &undoModel{t: t}
	var file []byte
	for ; len(data) >= 2; data = data[2:] {
		a, b := data[0], data[1]
		r := &storedUndo{undoText: undoText{uint16(a % 4), "\x00"}, inputs: int(a / 4 % 4),
			at: int64(len(file))}
		if r.inputs > 0 {
			r.undo = undoOf(r.inputs, uint64(1+b%3))
		}
		r.sum = checksum(r.prev, r.undo)
		switch b / 3 % 8 {
		case 0:
			r.sum[b%32] ^= 1 << (a % 8)
		case 1: // another content than at the time of the checksum
			if r.inputs > 0 {
				r.undo = undoOf(r.inputs, uint64(5+b%3))
			}
		case 2:
			r.broken = true
			r.undo += "\x00"
		}
		file = append(file, bitcointest.Record(consensus.Regtest.Magic(), []byte(r.undo))...)
		file = append(file, r.sum...)
		m.records = append(m.records, r)
	}
	framing.Unmask(file, key, 0)
	m.u = openFile(t, file, int64(len(file)), key)
	noError(m.u.Err)
	return m
}

// find looks for the records of a block with the given parent and number of inputs.
func (m *undoModel) find(prev uint16, inputs int, all bool) {
	m.t.Helper()
	block := undoText{prev, "\x00"}
	if inputs > 0 {
		block.undo = undoOf(inputs, 1)
	}
	got, gotNear := block.find(m.t, m.u, all)
	var want []int64
	near, texts := int64(-1), map[string]bool{}
	for _, r := range m.records {
		if r.broken || r.inputs != inputs || r.taken && !all {
			continue
		}
		if sum := checksum(prev, r.undo); !bytes.Equal(r.sum, sum) {
			// Records of blocks that spend nothing are looked up by 8 bytes of their checksum.
			if near < 0 && !r.taken && (inputs > 0 || bytes.Equal(r.sum[:8], sum[:8])) {
				near = r.at
			}
			continue
		}
		if r.taken = true; !texts[r.undo] {
			texts[r.undo] = true
			want = append(want, r.at)
		}
		if !all {
			break
		}
	}
	if !slices.Equal(got, want) || gotNear != near {
		m.t.Fatalf("parent %d, %d inputs, all %v: %v, near %d; want %v, near %d", prev, inputs, all, got,
			gotNear, want, near)
	}
}

// stray checks the error about records that belong to no block.
func (m *undoModel) stray() {
	m.t.Helper()
	isCopy := func(r *storedUndo) bool {
		return slices.ContainsFunc(m.records, func(s *storedUndo) bool {
			return s.taken && s.undo == r.undo && bytes.Equal(s.sum, r.sum)
		})
	}
	var left, broken *storedUndo
	for _, r := range m.records {
		switch {
		case r.broken && broken == nil:
			broken = r
		case !r.broken && !r.taken && !isCopy(r) && left == nil:
			left = r
		}
	}
	err := m.u.Stray()
	if left == nil && broken == nil {
		if err != nil {
			m.t.Fatalf("%v, want no error", err)
		}
		return
	}
	var f *reading.Error
	if !errors.As(err, &f) || f.File != m.u.Name {
		m.t.Fatalf("error %v", err)
	}
	if broken != nil && (left == nil || broken.at < left.at) {
		if f.Offset != broken.at || !strings.Contains(err.Error(), "not what a block spends") {
			m.t.Fatalf("%v, want a broken record at byte %d", err, broken.at)
		}
		return
	}
	if f.Offset != left.at || !strings.Contains(err.Error(), "the checksum of the record is wrong") {
		m.t.Fatalf("%v, want a record at byte %d", err, left.at)
	}
}

// FuzzFile writes a file of undo records, looks for those of random blocks, also several times, and
// asks for stray records in between. The results must be those of a list of the records.
func FuzzFile(f *testing.F) {
	r := rand.New(rand.NewPCG(71, 71))
	for i := range 40 {
		data := make([]byte, 20+2*i)
		for k := range data {
			data[k] = byte(r.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		data = data[:min(len(data), 200)]
		half := len(data) / 2
		var key [8]byte
		if len(data)%4 >= 2 {
			key = [8]byte{7, 0x51, 3, 0xff, 9, 8, 2, 0x31}
		}
		m := newUndoModel(t, data[:half], key)
		for _, b := range data[half:] {
			if b >= 240 {
				m.stray()
			} else {
				m.find(uint16(b%4), int(b/4%4), b&16 != 0)
			}
		}
		m.stray()
	})
}
