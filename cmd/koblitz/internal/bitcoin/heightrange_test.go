package bitcoin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// TestMissingHeights checks that --from and --to report missing files and blocks, and that the
// blocks that exist are still checked.
func TestMissingHeights(t *testing.T) {
	dir := smallNode().write(t) // blocks 0 and 1, and 2 and 3; block 2 has two signatures
	const big = 1<<31 - 1
	for _, c := range []struct {
		span  Range
		valid int
		want  string // expected error; "" means success
	}{
		{Range{0, 3, -1, -1}, 2, ""},
		{Range{3, -1, -1, -1}, 0, ""},
		{Range{-1, 2, -1, -1}, 2, ""},
		{Range{2, 4, -1, -1}, 2, "there is no block 4, which --from and --to ask for; the last one is 3"},
		{Range{2, big, -1, -1}, 2, "there is no block 4"},
		{Range{-1, big, -1, -1}, 2, "there is no block 2147483647"},
		{Range{4, -1, -1, -1}, 0, "there is no block 4"},
		{Range{big, big, -1, -1}, 0, "there is no block 2147483647"},
		{Range{2, -1, -1, 1}, 2, ""},
		{Range{-1, 9, 1, -1}, 2, ""},
		{Range{2, -1, -1, 0}, 0, "no block of these heights is in these files"},
		{Range{-1, 1, 1, -1}, 0, "no block of these heights is in these files"},
	} {
		got := runFolder(t, dir, c.span)
		if got.verdicts != (counts{reading.Valid: c.valid}) || (got.err == nil) != (c.want == "") ||
			got.err != nil && !strings.Contains(got.err.Error(), c.want) {
			t.Errorf("%+v: %v, %v; want %d valid, %q", c.span, got.verdicts, got.err, c.valid, c.want)
		}
	}

	// Now remove the first file and one in the middle. A range that needs the block in the missing
	// middle file must be an error.
	f, one, hash1 := newForkTree()
	n := newTestNode(consensus.Regtest.Magic())
	two, hash2 := f.block(hash1, 2, 0, 1)
	three, hash3 := f.block(hash2, 3)
	n.tip = hash3
	for _, b := range [][]byte{genesis(), one, two, three} {
		n.add(b)
		n.newFile()
	}
	dir = n.write(t)
	for _, number := range []string{"00000", "00002"} {
		for _, kind := range []string{"blk", "rev"} {
			if err := os.Remove(filepath.Join(dir, kind+number+".dat")); err != nil {
				t.Fatal(err)
			}
		}
	}
	for span, want := range map[Range]string{
		{1, 3, -1, -1}: "there is no block 2,",
		{-1, -1, 1, 3}: "there is no blk00002.dat,",
	} {
		got := runFolder(t, dir, span)
		if got.err == nil || !strings.Contains(got.err.Error(), want) {
			t.Errorf("%+v: %v, %v, want %s", span, got.verdicts, got.err, want)
		}
	}
	for _, span := range []Range{WholeRange(), {-1, -1, 1, -1}, {-1, -1, 3, 3}, {-1, -1, 1, 1}} {
		if got := runFolder(t, dir, span); got.err != nil {
			t.Errorf("%+v: %v", span, got.err)
		}
	}
}
