package undo

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/framing"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// An undoText is a record for a rev*.dat file of a test.
type undoText struct {
	prev uint16 // first bytes of the parent's hash; the other bytes are 0
	undo string
}

func (r undoText) parent() chainhash.Hash { return chainhash.Hash{byte(r.prev), byte(r.prev >> 8)} }

// undoOf returns a record for one transaction with n inputs. Each spends an output of the given
// amount.
func undoOf(n int, amount uint64) string {
	undo := append([]byte{1}, sizeOf(n)...)
	for range n {
		undo = append(undo, coinOf(0, "", amount, 6, "")...)
	}
	return string(undo)
}

// undoFileOf writes the records to a file and opens it. It also returns the offset of each record.
func undoFileOf(t *testing.T, records ...undoText) (u *File, offsets []int64) {
	t.Helper()
	var file []byte
	for _, r := range records {
		offsets = append(offsets, int64(len(file)))
		prev := r.parent()
		file = append(file, recordOf(consensus.Regtest.Magic(), []byte(r.undo))...)
		file = append(file, chainhash.DoubleHashB(append(prev[:], r.undo...))...)
	}
	name := filepath.Join(t.TempDir(), "rev00000.dat")
	if err := os.WriteFile(name, file, 0o600); err != nil {
		t.Fatal(err)
	}
	u = OpenFile(name, [8]byte{}, consensus.Regtest)
	t.Cleanup(func() { u.Close() })
	if u.Err != nil {
		t.Fatal(u.Err)
	}
	return u, offsets
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
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		at = append(at, int64(f.At))
	}
	return at, near
}

// TestFindUndo checks that Find finds the records of blocks in any order, among other records of
// the same shape (the same numbers of inputs).
func TestFindUndo(t *testing.T) {
	records := []undoText{{1, undoOf(2, 10)}, {2, undoOf(2, 10)}, {1, undoOf(2, 11)},
		{3, undoOf(3, 5)}, {1, undoOf(2, 10)}, {2, "\x00"}, {4, undoOf(2, 7)}}
	want := func(what string, got []int64, near int64, wantNear int64, want ...int64) {
		t.Helper()
		if !slices.Equal(got, want) || near != wantNear {
			t.Errorf("%s: %v, near %d; want %v, near %d", what, got, near, want, wantNear)
		}
	}
	u, at := undoFileOf(t, records...)
	got, near := records[0].find(t, u, true)
	want("all", got, near, at[1], at[0], at[2])
	got, near = records[1].find(t, u, false)
	want("one", got, near, -1, at[1])
	got, near = records[1].find(t, u, false)
	want("one that is taken", got, near, at[6])
	got, near = records[1].find(t, u, true)
	want("all, one that is taken", got, near, at[6], at[1])
	got, near = undoText{9, undoOf(3, 1)}.find(t, u, false)
	want("another parent", got, near, at[3])
	got, near = undoText{9, undoOf(4, 1)}.find(t, u, false)
	want("another shape", got, near, -1)
	got, near = records[5].find(t, u, false)
	want("an empty one", got, near, -1, at[5])
	got, near = undoText{3, "\x00"}.find(t, u, false)
	want("an empty one of another parent", got, near, -1)

	u, at = undoFileOf(t, records...)
	for i, next := range []int64{at[0], at[2], at[4]} { // must be found in the order of the file
		got, _ = records[0].find(t, u, false)
		want(fmt.Sprint("one by one ", i), got, -1, -1, next)
	}
	got, near = records[0].find(t, u, false)
	want("after all", got, near, at[1])
	// After the earlier records have been found for their blocks, the search must begin after these
	// records.
	records[1].find(t, u, false)
	first := slices.IndexFunc(u.records, func(r Record) bool { return int64(r.At) == at[0] })
	if next := u.records[u.records[first].next]; int64(next.At) != at[6] {
		t.Errorf("the next one is at %d, not %d", next.At, at[6])
	}
	records[6].find(t, u, false)
	if u.records[first].next != uint32(first+5) {
		t.Errorf("the next one is %d, not %d", u.records[first].next, first+5)
	}
}

// TestFindUndoTrials checks that Find stops after maxTrials records if a file has more records of
// the same shape (the same numbers of inputs) than that.
func TestFindUndoTrials(t *testing.T) {
	var records []undoText
	for i := range maxTrials + 1 {
		records = append(records, undoText{uint16(i / maxTrials), undoOf(1, uint64(i+1))})
	}
	last := len(records) - 1
	u, at := undoFileOf(t, records...)
	if got, near := records[last].find(t, u, false); len(got) > 0 || near != at[0] {
		t.Errorf("%v, near %d", got, near)
	}
	records[0].find(t, u, false)
	if got, _ := records[last].find(t, u, false); !slices.Equal(got, at[last:]) {
		t.Errorf("%v, not %d", got, at[last])
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

// TestStrayUndo checks that Stray returns an error if records belong to no block.
func TestStrayUndo(t *testing.T) {
	var shapes []undoText
	for n := range 9 {
		shapes = append(shapes, undoText{1, undoOf(n+1, 10)})
	}
	some := []undoText{{1, undoOf(2, 10)}, {1, undoOf(2, 10)}, {1, undoOf(2, 11)}, {1, "\x07"}}
	for name, c := range map[string]struct {
		records []undoText
		take    []int
		left    int // index of the record that the error names, or -1
		words   string
	}{
		"none":              {nil, nil, -1, ""},
		"all taken":         {shapes, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}, -1, ""},
		"none taken":        {shapes, nil, 0, "of that number (and 8 more)"},
		"all but the third": {shapes, []int{0, 1, 3, 4, 5, 6, 7, 8}, 2, "of that number"},
		"all but two":       {shapes, []int{0, 1, 2, 3, 5, 6, 7}, 4, "of that number (and 1 more)"},
		"the last two":      {shapes, []int{0, 1, 2, 3, 4, 5, 6}, 7, "of that number (and 1 more)"},
		"a twin":            {some[:2], []int{0}, -1, ""},
		"twins":             {some[:2], nil, 0, "of that number (and 1 more)"},
		"another one":       {some[:3], []int{0}, 2, "of that number"},
		"no undo record":    {some, []int{0, 0, 0}, 3, "not what a block spends: byte 0: the"},
		"two of these":      {[]undoText{some[3], {1, "\x01"}}, nil, 0, "not what a block spends"},
		"one before it":     {some, []int{0}, 2, "of that number"},
		"one behind it":     {[]undoText{some[3], some[0]}, nil, 0, "not what a block spends"},
	} {
		u, at := undoFileOf(t, c.records...)
		for _, i := range c.take {
			if got, _ := c.records[i].find(t, u, false); len(got) != 1 {
				t.Fatalf("%s: %d: %v", name, i, got)
			}
		}
		err := u.Stray()
		if c.left < 0 {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		e, ok := err.(*reading.Error)
		if !ok || e.Offset != at[c.left] || e.File != u.Name ||
			!strings.Contains(err.Error(), c.words) ||
			!strings.HasSuffix(c.words, "number") == strings.HasSuffix(err.Error(), "of that number") {
			t.Errorf("%s: %v, want %q at byte %d", name, err, c.words, at[c.left])
		}
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
	// The files are sparse: parts that were not written read as zeros.
	sparse := func(head string, size int64) *File {
		name := filepath.Join(t.TempDir(), "rev00000.dat")
		if err := os.WriteFile(name, []byte(head), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(name, size); err != nil {
			t.Fatal(err)
		}
		u := OpenFile(name, [8]byte{}, consensus.Regtest)
		t.Cleanup(func() { u.Close() })
		return u
	}
	u = sparse("", math.MaxUint32+1)
	if u.Err == nil || !strings.Contains(u.Err.Error(), "4294967296 bytes: no rev*.dat file") {
		t.Error(u.Err)
	}
	head := string(recordOf(consensus.Regtest.Magic(), nil)[:4])
	for size, words := range map[int64]string{maxUndo: "not what a block spends: byte 1: 16777215",
		maxUndo + 1: "a record of 16777217 bytes, and the limit is 16777216"} {
		u = sparse(head+string([]byte{byte(size), byte(size >> 8), byte(size >> 16), byte(size >> 24)}),
			8+size+32)
		if u.Err != nil || u.bad.err == nil || !strings.HasPrefix(u.bad.err.Error(), words) {
			t.Errorf("%d: %v, %v", size, u.Err, u.bad.err)
		}
		if err := u.Stray(); err == nil || !strings.Contains(err.Error(), words) {
			t.Error(err)
		}
	}
	// Here the file becomes shorter after it was opened.
	u, at := undoFileOf(t, undoText{1, undoOf(1, 1)}, undoText{2, undoOf(1, 2)})
	if err := os.Truncate(u.Name, at[1]+10); err != nil {
		t.Fatal(err)
	}
	want := &reading.Error{File: u.Name, Offset: at[1], Err: framing.ErrShorter}
	prev := chainhash.Hash{2}
	s, _, _ := shapeOf([]byte(undoOf(1, 2)))
	if _, _, err := u.Find(&prev, s, 1, false); err == nil || err.Error() != want.Error() {
		t.Error(err)
	}
	u.records[slices.IndexFunc(u.records, func(r Record) bool { return r.At == 0 })].taken = true
	if err := u.Stray(); err == nil || err.Error() != want.Error() {
		t.Error(err)
	}
}
