package ethereum

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/ethereum/go-ethereum/rlp"
)

// The root of a list is that of a Merkle Patricia trie (Ethereum's yellow paper,
// appendix D) in which the item with index i has the key rlp(i). A header names
// the roots of its block's transactions and of its withdrawals.

// A leaf is what the root of a list needs of one item: its node, which depends
// on how much of the item's key is left where it branches off from the others.
// That is known only when the list has ended, but there are two or three
// possibilities only, whose hashes take the place of the item.
type leaf struct {
	key   []byte // in nibbles
	nodes [3]reference
	rest  [3]int // nibbles of the key that are left in nodes
	n     int
}

// A reference stands for a node in the one above it: the Keccak-256 of its
// encoding, or the encoding itself if that is shorter than 32 bytes.
type reference []byte

// keyOf returns the nibbles of rlp(i).
func keyOf(i int) []byte {
	var b [9]byte
	out := make([]byte, 0, 6)
	for _, c := range rlp.AppendUint64(b[:0], uint64(i)) {
		out = append(out, c>>4, c&15)
	}
	return out
}

// sharedPrefix is the length of the longest prefix that a and b share.
func sharedPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// newLeaf is the leaf of item i. If more items follow, it parts with one of them
// at the last nibble of its key; the last item parts with those before it where
// its key has the first new nibble.
func (x *expander) newLeaf(i int, item []byte) *leaf {
	l := &leaf{key: keyOf(i)}
	rests := []int{0, len(l.key) - sharedBefore(i, l.key) - 1}
	if i == 0 {
		rests = []int{0, 1, 2} // with an item 128, with an item 1, alone
	}
	for _, rest := range slices.Compact(rests) {
		l.nodes[l.n] = x.pair(l.key[len(l.key)-rest:], true, item)
		l.rest[l.n] = rest
		l.n++
	}
	return l
}

// sharedBefore is the length of the longest prefix that the key of i > 0 shares
// with that of a smaller number.
func sharedBefore(i int, key []byte) int {
	least := 1 // with a key of this length
	switch len(key) {
	case 4:
		least = 128
	case 6:
		least = 256
	}
	for n := len(key) - 1; n > 0; n-- {
		shift := 4 * (len(key) - n)
		if low := max(i>>shift<<shift, least); low < i && sharedPrefix(key, keyOf(low)) >= n {
			return n
		}
	}
	if i >= 128 {
		return 1 // the key of 0 is 80
	}
	return 0
}

// at returns the node for a key of which rest nibbles are left.
func (l *leaf) at(rest int) reference {
	i := slices.Index(l.rest[:l.n], rest)
	if i < 0 {
		return nil
	}
	return l.nodes[i]
}

// pair is a node of two items, a leaf or an extension: the nibbles in the
// hex-prefix form, and what follows them, which is a string or, of an extension,
// a reference. A hash is there after run.
func (x *expander) pair(path []byte, isLeaf bool, content []byte) reference {
	flag := byte(0)
	if isLeaf {
		flag = 2
	}
	var buffer [48]byte
	compact := buffer[:0:16]
	if len(path)%2 == 1 {
		compact = append(compact, (flag+1)<<4|path[0])
		path = path[1:]
	} else {
		compact = append(compact, flag<<4)
	}
	for i := 0; i < len(path); i += 2 {
		compact = append(compact, path[i]<<4|path[i+1])
	}
	before := buffer[16:16] // before content
	if len(compact) > 1 || compact[0] >= 0x80 {
		before = appendHead(before, 0x80, len(compact))
	}
	before = append(before, compact...)
	if !isLeaf && len(content) == 32 || isLeaf && (len(content) != 1 || content[0] >= 0x80) {
		before = appendHead(before, 0x80, len(content))
	}
	size := len(before) + len(content)
	var list [9]byte
	head := appendHead(list[:0], 0xc0, size)
	if len(head)+size < 32 {
		return slices.Concat(head, before, content)
	}
	h := new([32]byte)
	x.laterOf(h, head, before, content)
	return h[:]
}

// str is a string in RLP.
func str(b []byte) []byte {
	if len(b) == 1 && b[0] < 0x80 {
		return b
	}
	return append(appendHead(nil, 0x80, len(b)), b...)
}

// listOf is a list in RLP of items that are encoded already.
func listOf(items ...[]byte) []byte {
	content := bytes.Join(items, nil)
	return append(appendHead(nil, 0xc0, len(content)), content...)
}

// appendHead appends what stands before n bytes of a string (0x80) or a list (0xc0).
func appendHead(b []byte, kind byte, n int) []byte {
	if n < 56 {
		return append(b, kind+byte(n))
	}
	size := (bits.Len(uint(n)) + 7) / 8
	b = append(b, kind+55+byte(size))
	for i := size - 1; i >= 0; i-- {
		b = append(b, byte(n>>(8*i)))
	}
	return b
}

// root is the root of the list with these leaves, or false if one of them is
// nil: an item that could not be encoded.
func (x *expander) root(leaves []*leaf) (root [32]byte, ok bool) {
	if len(leaves) == 0 {
		return keccak256([]byte{0x80}), true
	}
	if slices.Contains(leaves, nil) {
		return root, false
	}
	sorted := slices.Clone(leaves)
	slices.SortFunc(sorted, func(a, b *leaf) int { return bytes.Compare(a.key, b.key) })
	var t trie
	top := t.below(sorted, 0)
	for _, level := range slices.Backward(t.levels) {
		x.Run() // the hashes of what is below
		for _, n := range level {
			n.reference = n.encode(x)
		}
	}
	x.Run()
	ref := top.get()
	if len(ref) < 32 {
		return keccak256(ref), true // a root is hashed in any case
	}
	return [32]byte(ref), true
}

// A trie is the nodes of a list by how many nibbles are above them: those of one level are hashed
// together.
type trie struct {
	levels [][]*node
}

// A node is an extension, if there is a path, or a branch.
type node struct {
	reference
	path  []byte // in nibbles
	next  child  // behind path
	items [16]child
}

// A child is a node, or a leaf, whose reference is there already, or nothing.
type child struct {
	leaf reference
	node *node
}

func (c child) get() reference {
	if c.node != nil {
		return c.node.reference
	}
	return c.leaf
}

// below is what is over leaves that share the first depth nibbles of their
// keys.
func (t *trie) below(leaves []*leaf, depth int) child {
	first, last := leaves[0], leaves[len(leaves)-1]
	if len(leaves) == 1 {
		return child{leaf: first.at(len(first.key) - depth)}
	}
	n := new(node)
	for len(t.levels) <= depth {
		t.levels = append(t.levels, nil)
	}
	t.levels[depth] = append(t.levels[depth], n)
	if shared := sharedPrefix(first.key, last.key); shared > depth {
		n.path, n.next = first.key[depth:shared], t.below(leaves, shared)
		return child{node: n}
	}
	for len(leaves) > 0 {
		nibble := leaves[0].key[depth]
		k := 1
		for k < len(leaves) && leaves[k].key[depth] == nibble {
			k++
		}
		n.items[nibble] = t.below(leaves[:k], depth+1)
		leaves = leaves[k:]
	}
	return child{node: n}
}

// encode is what stands for an extension or a branch, after the next run.
func (n *node) encode(x *expander) reference {
	if len(n.path) > 0 {
		return x.pair(n.path, false, n.next.get())
	}
	var buffer [17 * 33]byte
	content := buffer[:0]
	for _, item := range n.items {
		switch ref := item.get(); len(ref) {
		case 0:
			content = append(content, 0x80)
		case 32:
			content = append(append(content, 0x80+32), ref...)
		default:
			content = append(content, ref...)
		}
	}
	content = append(content, 0x80) // no key ends here
	var head [9]byte
	begin := appendHead(head[:0], 0xc0, len(content))
	if len(begin)+len(content) < 32 {
		return slices.Concat(begin, content)
	}
	h := new([32]byte)
	x.laterOf(h, begin, content)
	return h[:]
}
