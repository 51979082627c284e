package undo

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/framing"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// noError panics if the setup of a test failed.
func noError(err error) {
	if err != nil {
		panic(err)
	}
}

// An undoText is a record for a rev*.dat file of a test.
type undoText struct {
	prev uint16 // first bytes of the parent's hash; the other bytes are 0
	undo string
}

func (r undoText) parent() chainhash.Hash { return chainhash.Hash{byte(r.prev), byte(r.prev >> 8)} }

// undoOf returns a record for one transaction with n inputs. Each spends an output of the given
// amount.
func undoOf(n int, amount uint64) string {
	undo := append([]byte{1}, bitcointest.Size(n)...)
	for range n {
		undo = append(undo, bitcointest.RawCoin(0, "", amount, 6, "")...)
	}
	return string(undo)
}

// undoFileOf writes the records to a file and opens it. It also returns the offset of each record.
func undoFileOf(t *testing.T, records ...undoText) (u *File, offsets []int64) {
	t.Helper()
	var file []byte
	for _, r := range records {
		offsets = append(offsets, int64(len(file)))
		file = append(file, bitcointest.Record(consensus.Regtest.Magic(), []byte(r.undo))...)
		file = append(file, checksum(r.prev, r.undo)...)
	}
	u = openFile(t, file, int64(len(file)), [8]byte{})
	noError(u.Err)
	return u, offsets
}

// openFile writes a file of the given size, which begins with head and continues with zeros, and
// opens it. The zeros take no space on most disks.
func openFile(t *testing.T, head []byte, size int64, key [8]byte) *File {
	name := filepath.Join(t.TempDir(), "rev00000.dat")
	noError(os.WriteFile(name, head, 0o600))
	noError(os.Truncate(name, size))
	u := OpenFile(name, key, consensus.Regtest)
	t.Cleanup(func() { u.Close() })
	return u
}

// find calls Find for the block to which record r belongs, and returns the offsets of the records
// found.
func (r undoText) find(t *testing.T, u *File, all bool) (at []int64, near int64) {
	t.Helper()
	s, txs, bad := shapeOf([]byte(r.undo))
	if bad != nil {
		t.Fatal(bad)
	}
	prev := r.parent()
	found, near, err := u.Find(&prev, s, txs, all)
	noError(err)
	for _, f := range found {
		at = append(at, int64(f.At))
	}
	return at, near
}

// TestFindUndoFar checks that Find finds a record behind more than maxTrials others of the same
// shape (the same numbers of inputs) that no block has taken, and the records around it, as long as
// it may read more.
func TestFindUndoFar(t *testing.T) {
	var records []undoText
	for i := range 3 * maxTrials {
		records = append(records, undoText{uint16(i), undoOf(1, uint64(i+1))})
	}
	for _, all := range []bool{false, true} {
		u, at := undoFileOf(t, records...)
		for _, i := range []int{2 * maxTrials, 2*maxTrials + 1, 2*maxTrials - 1, 3*maxTrials - 1, 0} {
			if got, near := records[i].find(t, u, all); !slices.Equal(got, at[i:][:1]) {
				t.Errorf("record %d, all %v: found %v, near %d, want %d", i, all, got, near, at[i])
			}
		}
		u.more = 0
		if got, near := records[maxTrials+10].find(t, u, all); len(got) > 0 || near < 0 {
			t.Errorf("all %v: found %v, near %d", all, got, near)
		}
	}
}

// TestFindUndoBudget checks that blocks without a record make Find read no more than it may, and
// pass over no more records that other blocks have taken.
func TestFindUndoBudget(t *testing.T) {
	records := slices.Repeat([]undoText{{1, undoOf(1, 1)}}, maxTrials+1)
	for _, taken := range []bool{false, true} {
		u, at := undoFileOf(t, records...)
		for i := range records {
			u.records[i].taken = taken
		}
		other := undoText{2, records[0].undo}
		for range 2 * maxReadings * int(at[1]) / framing.HeadSize {
			other.find(t, u, false)
		}
		if info, err := u.f.Stat(); err != nil || u.more > 0 || u.more < -info.Size()/maxTrials {
			t.Errorf("taken %v: %d bytes are left; %v", taken, u.more, err)
		}
	}
}

// TestFindUndoSiblings checks that the records of a long file are found in order if all its blocks
// have siblings, so that Find looks for further records of each.
func TestFindUndoSiblings(t *testing.T) {
	var records []undoText
	for i := range maxTrials + 10 {
		records = append(records, undoText{uint16(i), undoOf(1, 1)})
	}
	u, at := undoFileOf(t, records...)
	for i := range records {
		if got, _ := records[i].find(t, u, true); !slices.Equal(got, at[i:][:1]) {
			t.Fatalf("record %d: found %v, not %d", i, got, at[i])
		}
	}
}

// TestFindUndoWork checks that Find returns few of many records that fit a block, and that it tries
// a record for at most maxTrials blocks.
func TestFindUndoWork(t *testing.T) {
	var records []undoText
	for i := range 20 {
		records = append(records, undoText{uint16(i % 2), undoOf(1, uint64(i+1))})
	}
	u, at := undoFileOf(t, records...)
	got, near := records[0].find(t, u, true)
	if len(got) != maxFound || got[0] != at[20-2*maxFound] || near != at[1] {
		t.Errorf("found %v, near %d", got, near)
	}
	other := undoText{9, records[0].undo}
	for i := range maxTrials {
		got, near := other.find(t, u, false)
		want := at[1]
		if i == maxTrials-1 {
			want = -1
		}
		if len(got) > 0 || near != want {
			t.Errorf("block %d: found %v, near %d, want near %d", i, got, near, want)
		}
	}
	if next := u.records[0].next; next != 20 {
		t.Errorf("the next record is %d", next)
	}
}

// TestUndoFileErrors checks that files that cannot be read give the right errors.
func TestUndoFileErrors(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "rev00007.dat")
	u := OpenFile(missing, [8]byte{}, consensus.Regtest)
	if u.Err == nil || !strings.HasPrefix(u.Err.Error(), missing+": no such file") ||
		u.Close() != nil || u.Stray() != u.Err {
		t.Error(u.Err)
	}
	u = openFile(t, nil, math.MaxUint32+1, [8]byte{})
	if u.Err == nil || !strings.Contains(u.Err.Error(), "4294967296 bytes: no rev*.dat file") {
		t.Error(u.Err)
	}
	magic := consensus.Regtest.Magic()
	for size, words := range map[int64]string{maxUndo: "not what a block spends: byte 1: 16777215",
		maxUndo + 1: "a record of 16777217 bytes, and the limit is 16777216"} {
		head := binary.LittleEndian.AppendUint32(magic[:], uint32(size))
		u = openFile(t, head, 8+size+32, [8]byte{})
		if u.Err != nil || u.bad == nil || !strings.HasPrefix(u.bad.Err.Error(), words) {
			t.Errorf("%d: %v, %v", size, u.Err, u.bad)
		}
		if err := u.Stray(); err == nil || !strings.Contains(err.Error(), words) {
			t.Error(err)
		}
	}
	// Here the file becomes shorter after it was opened.
	u, at := undoFileOf(t, undoText{1, undoOf(1, 1)}, undoText{2, undoOf(1, 2)})
	noError(os.Truncate(u.Name, at[1]+10))
	want := &reading.Error{File: u.Name, Offset: at[1], Err: framing.ErrShorter}
	prev := chainhash.Hash{2}
	s, _, _ := shapeOf([]byte(undoOf(1, 2)))
	if _, _, err := u.Find(&prev, s, 1, false); err == nil || err.Error() != want.Error() {
		t.Error(err)
	}
}

// TestChanged checks that a record that changes after Find has compared its checksum is an error.
func TestChanged(t *testing.T) {
	record := undoText{1, undoOf(2, 5)}
	u, _ := undoFileOf(t, record)
	prev := record.parent()
	s, txs, _ := shapeOf([]byte(record.undo))
	found, _, err := u.Find(&prev, s, txs, false)
	if err != nil || len(found) != 1 {
		t.Fatalf("%d records, %v", len(found), err)
	}
	if _, err := u.Read(found[0]); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(u.Name, os.O_WRONLY, 0)
	noError(err)
	defer f.Close()
	_, err = f.WriteAt([]byte{0xee}, int64(found[0].At)+framing.HeadSize+5)
	noError(err)
	if _, err := u.Read(found[0]); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("%v", err)
	}
}
