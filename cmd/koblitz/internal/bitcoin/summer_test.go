package bitcoin

import (
	"fmt"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/inputs"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
	"github.com/koblitz-go/koblitz/cmd/koblitz/sample"
)

// unitsOf returns what becomes of pieces: at once, as a batch does it, or one after the other, with
// nothing computed before it is asked for.
func unitsOf(pieces []inputs.Piece, together bool) (all []string) {
	emit := func(u *rows.Unit) { all = append(all, fmt.Sprintf("%+v", *u)) }
	if together {
		(&inputs.Batch{Pieces: pieces}).Expand(emit)
		return all
	}
	x := inputs.Expander{Emit: emit}
	for _, p := range pieces {
		p.Expand(&x)
	}
	return all
}

// piecesOf returns the pieces of all batches of a reader.
func piecesOf(t *testing.T, r rows.Reader) (all [][]inputs.Piece) {
	t.Helper()
	defer r.Close()
	for {
		b, err := r.Next()
		if err != nil {
			return all
		}
		all = append(all, b.(*inputs.Batch).Pieces)
	}
}

// TestExpandTogether: what becomes of inputs does not depend on which others are in their batch. So
// it is for a block of mainnet, with what it spends known and not, for a folder of Core's, and for
// the first blocks.
func TestExpandTogether(t *testing.T) {
	block, spent := unpack(t, sample.Block), readSpent(t, unpack(t, sample.Spent))
	folder, err := OpenDirectory("testdata/core", ample())
	if err != nil {
		t.Fatal(err)
	}
	readers := map[string]func() []rows.Reader{
		"block": func() []rows.Reader {
			return []rows.Reader{RawBlock(source("b", block), false, spent, onMainnet)}
		},
		"block alone": func() []rows.Reader {
			return []rows.Reader{RawBlock(source("b", block), false, nil, onMainnet)}
		},
		"folder": func() (all []rows.Reader) {
			for _, f := range folder.Inputs() {
				all = append(all, f.Open(0, nil))
			}
			return all
		},
		"first blocks": func() []rows.Reader {
			return []rows.Reader{NewChain(ample()).File(source("blk00000.dat", firstBlocks(t)))}
		},
	}
	for name, open := range readers {
		var got, want []string
		for _, r := range open() {
			for _, pieces := range piecesOf(t, r) {
				got = append(got, unitsOf(pieces, true)...)
			}
		}
		for _, r := range open() {
			for _, pieces := range piecesOf(t, r) {
				want = append(want, unitsOf(pieces, false)...)
			}
		}
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s: %d units, want %d", name, len(got), len(want))
		}
	}
}
