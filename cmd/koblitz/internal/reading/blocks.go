package reading

import "fmt"

// Blocks summarizes the blocks of one chain that a reader has read to their end. Reports in JSON
// have it in this form.
type Blocks struct {
	Network string `json:"network"`
	Count   int64  `json:"blocks"`          // number of blocks, without those that were passed over
	First   *int64 `json:"first,omitempty"` // lowest height, or nil if no height is known
	Last    *int64 `json:"last,omitempty"`  // highest height, or nil
	Tip     string `json:"tip,omitempty"`   // hash of the block with height Last, or "" if unknown

	// Ethereum: the number of parts in which each block is linked to another by its parent's hash,
	// of branches, and of headers that nothing vouches for, because their hash is no block's parent.
	Parts     int64 `json:"parts,omitempty"`
	Branches  int64 `json:"branches,omitempty"`
	Unvouched int64 `json:"unvouched,omitempty"`
}

// Add adds one block to b. A negative height and an empty hash mean unknown.
func (b *Blocks) Add(network string, height int64, hash string) {
	one := Blocks{Network: network, Count: 1, Tip: hash}
	if height >= 0 {
		one.First, one.Last = &height, &height
	}
	b.Merge(one)
}

// Merge adds to b blocks that were read later. If two blocks have the same height, or no known
// heights, Merge sets Tip to the later block's hash.
func (b *Blocks) Merge(later Blocks) {
	if later.Count == 0 {
		return
	}
	b.Network = later.Network
	b.Count += later.Count
	b.Parts += later.Parts
	b.Branches += later.Branches
	b.Unvouched += later.Unvouched
	switch {
	case b.First == nil:
		b.First, b.Last, b.Tip = later.First, later.Last, later.Tip
		return
	case later.First == nil:
		return
	case *later.First < *b.First:
		b.First = later.First
	}
	if *later.Last >= *b.Last {
		b.Last, b.Tip = later.Last, later.Tip
	}
}

// String describes the blocks in one line.
func (b Blocks) String() string {
	text := b.Network + ": "
	if b.Count == 1 {
		text += "1 block"
	} else {
		text += fmt.Sprintf("%d blocks", b.Count)
	}
	switch {
	case b.First == nil:
	case *b.First == *b.Last:
		text += fmt.Sprintf(", %d", *b.First)
	default:
		text += fmt.Sprintf(", %d to %d", *b.First, *b.Last)
	}
	if b.Tip != "" {
		text += ", tip " + b.Tip
	}
	if b.Parts > 1 {
		text += fmt.Sprintf(", linked parts: %d", b.Parts)
	}
	if b.Branches > 0 {
		text += fmt.Sprintf(", branches: %d", b.Branches)
	}
	switch {
	case b.Unvouched == 1 && b.Tip != "":
		text += ", whose header nothing vouches for"
	case b.Unvouched > 0:
		text += fmt.Sprintf(", headers that nothing vouches for: %d", b.Unvouched)
	}
	return text
}
