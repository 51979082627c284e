package rows

// Blocks summarizes the blocks of one chain that were read to their end.
type Blocks struct {
	Network string `json:"network"`
	Count   int64  `json:"count"` // without those that were passed over
	Heights bool   `json:"heights"`
	First   int64  `json:"first"` // the lowest height, if Heights
	Last    int64  `json:"last"`  // the highest height, if Heights
	Tip     string `json:"tip"`   // hash of the block of that height, or empty if it is not known
}

// Add adds one block. A negative height and an empty hash are unknown.
func (b *Blocks) Add(network string, height int64, hash string) {
	one := Blocks{Network: network, Count: 1, Tip: hash}
	if height >= 0 {
		one.Heights, one.First, one.Last = true, height, height
	}
	b.Merge(one)
}

// Merge adds blocks that were read after those of b. Between two blocks with the same height, or
// without known heights, the later one sets Tip.
func (b *Blocks) Merge(later Blocks) {
	if later.Count == 0 {
		return
	}
	b.Network = later.Network
	b.Count += later.Count
	switch {
	case !later.Heights:
		if !b.Heights {
			b.Tip = later.Tip
		}
		return
	case !b.Heights:
		b.Heights, b.First, b.Last, b.Tip = true, later.First, later.Last, later.Tip
		return
	}
	b.First = min(b.First, later.First)
	if later.Last >= b.Last {
		b.Last, b.Tip = later.Last, later.Tip
	}
}

// BlocksOf returns the blocks that end in batch b.
func BlocksOf(b Batch) Blocks {
	if r, ok := b.(interface{ Blocks() Blocks }); ok {
		return r.Blocks()
	}
	return Blocks{}
}
