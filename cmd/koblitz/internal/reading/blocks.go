package reading

// Blocks summarizes the blocks of one chain that a reader has read to their end.
type Blocks struct {
	Network string `json:"network"`
	Count   int64  `json:"count"` // number of blocks, without those that were passed over
	Heights bool   `json:"heights"`
	First   int64  `json:"first"` // lowest height, if Heights is true
	Last    int64  `json:"last"`  // highest height, if Heights is true
	Tip     string `json:"tip"`   // hash of the block with height Last, or "" if unknown

	// Ethereum: the number of blocks whose parent was not read, and of those without a child. The
	// latter are the blocks whose header nothing vouches for.
	Roots  int64 `json:"roots,omitempty"`
	Leaves int64 `json:"leaves,omitempty"`
}

// Add adds one block to b. A negative height and an empty hash mean unknown.
func (b *Blocks) Add(network string, height int64, hash string) {
	one := Blocks{Network: network, Count: 1, Tip: hash}
	if height >= 0 {
		one.Heights, one.First, one.Last = true, height, height
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
	b.Roots += later.Roots
	b.Leaves += later.Leaves
	switch {
	case !b.Heights:
		b.Heights, b.First, b.Last, b.Tip = later.Heights, later.First, later.Last, later.Tip
		return
	case !later.Heights:
		return
	}
	b.First = min(b.First, later.First)
	if later.Last >= b.Last {
		b.Last, b.Tip = later.Last, later.Tip
	}
}
