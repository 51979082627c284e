package bitcoin

import (
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// TestMissingHeights checks that --from and --to report missing files and blocks, and that the
// blocks that exist are still checked. In the folders, block 2 has two signatures.
func TestMissingHeights(t *testing.T) {
	whole := smallNode().write(t) // blocks 0 and 1, and 2 and 3
	pruned := smallNode().write(t)
	remove(pruned, "blk00000.dat", "rev00000.dat")
	// One block in each file, without the first file and one in the middle.
	n := smallNode()
	blocks := append(records(n.blk[0]), records(n.blk[1])...)
	n = newTestNode(n.magic)
	for _, b := range blocks {
		n.add(b[8:])
		n.newFile()
	}
	holes := n.write(t)
	remove(holes, "blk00000.dat", "rev00000.dat", "blk00002.dat", "rev00002.dat")
	const big = 1<<31 - 1
	for _, c := range []struct {
		dir   string
		span  Range
		valid int
		want  string // expected error; "" means success
	}{
		{whole, Range{0, 3, -1, -1}, 2, ""},
		{whole, Range{3, -1, -1, -1}, 0, ""},
		{whole, Range{-1, 2, -1, -1}, 2, ""},
		{whole, Range{2, 4, -1, -1}, 2,
			"there is no block 4, which --from and --to ask for; the last one is 3"},
		{whole, Range{2, big, -1, -1}, 2, "there is no block 4"},
		{whole, Range{-1, big, -1, -1}, 2, "there is no block 2147483647"},
		{whole, Range{4, -1, -1, -1}, 0, "there is no block 4"},
		{whole, Range{big, big, -1, -1}, 0, "there is no block 2147483647"},
		{pruned, WholeRange(), 2, ""}, // the heights come from the coinbases
		{pruned, Range{2, 2, -1, -1}, 2, ""},
		{pruned, Range{3, 3, -1, -1}, 0, ""},
		{holes, Range{1, 3, -1, -1}, 0, "there is no block 2,"},
		{holes, Range{-1, -1, 1, 3}, 0, "there is no blk00002.dat,"},
		{holes, WholeRange(), 0, ""},
		{holes, Range{-1, -1, 1, -1}, 0, ""},
		{holes, Range{-1, -1, 3, 3}, 0, ""},
		{holes, Range{-1, -1, 1, 1}, 0, ""},
	} {
		got := runFolder(t, c.dir, c.span)
		if got.verdicts != (counts{reading.Valid: c.valid}) || (got.err == nil) != (c.want == "") ||
			got.err != nil && !strings.Contains(got.err.Error(), c.want) {
			t.Errorf("%+v: %v, %v; want %d valid, %q", c.span, got.verdicts, got.err, c.valid, c.want)
		}
	}
}

func TestParseBorder(t *testing.T) {
	for s, want := range map[string][2]int{"0": {0, -1}, "800000": {800000, -1},
		"blk01234.dat": {-1, 1234}, "blk123456.dat": {-1, 123456}} {
		if h, f, err := ParseBorder(s); err != nil || int(h) != want[0] || f != want[1] {
			t.Errorf("%s: %d, %d, %v", s, h, f, err)
		}
	}
	for _, s := range []string{"", "-1", "-0", "+1", "2147483648", "1e3", "blk1.dat", "rev00001.dat",
		"9999999999", "0x10", "blk00001.dat.gz"} {
		if _, _, err := ParseBorder(s); err == nil {
			t.Errorf("%q is taken", s)
		}
	}
}
