package bitcoin

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// garbage returns, by name, byte strings to put between records. Some look like a record's start.
func garbage() map[string][]byte {
	rnd := rand.New(rand.NewPCG(7, 8))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = 1 + byte(rnd.IntN(255))
		}
		return b
	}
	first := consensus.Regtest.Magic()
	magic := first[:]
	head := func(size uint32) []byte {
		return binary.LittleEndian.AppendUint32(bytes.Clone(magic), size)
	}
	return map[string][]byte{
		"a byte":          {1},
		"seven bytes":     random(7),
		"eight bytes":     random(8),
		"a window":        random(4096),
		"windows":         random(3*4096 - 3),
		"a magic":         magic,
		"magics":          bytes.Repeat(magic, 3),
		"a size of 80":    head(wireform.HeaderSize),
		"a long size":     head(wireform.MaxBlockSize + 1),
		"a size too long": head(3_000_000),
		"zeros within":    slices.Concat(random(5), make([]byte, 5000), random(3)),
		"part of a magic": append(random(2), magic[:3]...),
	}
}

// TestGaps puts garbage between records and checks that all blocks are found. The error must state
// the offset of the garbage, the offset at which reading resumed, and the number of further gaps.
func TestGaps(t *testing.T) {
	all := garbage()
	for i, name := range slices.Sorted(maps.Keys(all)) {
		junk := all[name]
		for j, key := range [][8]byte{{}, {0x51, 0x12, 0xff, 0, 9, 8, 0xaa, 0x31}} {
			for k, kind := range []string{"blk", "rev"} {
				n := smallNode()
				n.key = key
				if kind != "blk" && strings.Contains(name, "size") {
					continue // other strings in these files have the same size
				}
				files, file := n.blk, "blk00001.dat"
				if kind == "rev" {
					files, file = n.rev, "rev00001.dat"
				}
				at := n.undoAt[n.tip]
				if kind != "rev" {
					parts := records(files[1])
					at = len(files[1]) - len(parts[len(parts)-1])
				}
				last, next := bytes.Clone(files[1][at:]), at+len(junk)
				for m, twice := range []bool{false, true} {
					if (i+2*j+k+m)%oneIn(4) != 0 {
						continue // by default, each string is put once into each kind of file
					}
					files[1] = slices.Concat(files[1][:at], junk, last)
					want := fmt.Sprintf("; reading went on with the record at byte %d", next)
					if twice {
						files[1] = append(files[1], 1, 2, 3, 4, 5, 6, 7, 8, 9)
						want += " (and 1 more places where no record begins)"
					}
					got := runFolder(t, n.write(t), WholeRange())
					if got.verdicts != (counts{reading.Valid: 2}) || len(got.bad) > 0 || got.err == nil ||
						!strings.Contains(got.err.Error(), fmt.Sprintf("%s: at byte %d", file, at)) &&
							!strings.Contains(got.err.Error(), fmt.Sprintf("%s: at byte %d", file, at+4)) ||
						!strings.HasSuffix(got.err.Error(), want) {
						t.Errorf("%s in %s, key %x, twice %v: %v, %v; want %s", name, kind, key, twice,
							got.verdicts, got.err, want)
					}
				}
			}
		}
	}
}

// TestGapsAtEnds checks that if a record claims to be longer than the rest of the file, the records
// inside its range are still found. It also checks that a gap at the end of the file, which no
// record follows, is reported.
func TestGapsAtEnds(t *testing.T) {
	n := smallNode()
	n.key = [8]byte{}
	read := func(file []byte) tally {
		dir := n.write(t)
		if err := os.WriteFile(filepath.Join(dir, "blk00001.dat"), file, 0o600); err != nil {
			t.Fatal(err) // replaces the file by one without zeros at its end
		}
		return runFolder(t, dir, WholeRange())
	}
	long := bytes.Clone(n.blk[1][:200])
	putSize(long, 0, 3_000_000)
	got := read(append(long, n.blk[1]...))
	const want = "at byte 0: the file ends in the middle of a "
	const on = "; reading went on with the record at byte 200"
	if got.verdicts != (counts{reading.Valid: 2}) || got.err == nil ||
		!strings.Contains(got.err.Error(), want) || !strings.HasSuffix(got.err.Error(), on) {
		t.Errorf("a long record: %v, %v; want %s, %s", got.verdicts, got.err, want, on)
	}
	// The file has two records that claim too large a size. At the second one, the reader
	// already knows the file's size.
	got = read(slices.Concat(long, records(n.blk[1])[0], long, records(n.blk[1])[1]))
	if got.verdicts != (counts{reading.Valid: 2}) || got.err == nil ||
		!strings.HasSuffix(got.err.Error(), on+" (and 1 more places where no record begins)") {
		t.Errorf("two long records: %v, %v", got.verdicts, got.err)
	}
	// Here a record that claims too large a size comes before the last record of the file.
	got = read(append(bytes.Clone(long), records(n.blk[1])[0]...))
	if got.verdicts != (counts{reading.Valid: 2}) || got.err == nil ||
		!strings.HasSuffix(got.err.Error(), on) {
		t.Errorf("a long record before the last one: %v, %v", got.verdicts, got.err)
	}
	got = read(append(bytes.Clone(n.blk[1]), long[:100]...))
	if got.verdicts != (counts{reading.Valid: 2}) || got.err == nil ||
		strings.Contains(got.err.Error(), "went on") ||
		strings.Contains(got.err.Error(), "more places") {
		t.Errorf("a part of a record: %v, %v", got.verdicts, got.err)
	}
}
