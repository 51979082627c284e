package ethereum

import (
	"bytes"
	"slices"

	"github.com/koblitz-go/koblitz/ethereum/wire"
)

// This file computes the root of a list: the root of the Merkle Patricia trie (Ethereum's yellow
// paper, appendix D) in which the item with index i has the key rlp(i). A block's header contains
// the roots of the lists of its transactions and withdrawals.

// A leaf holds the possible trie nodes of one item. The node depends on how many nibbles of the
// item's key remain after its path leaves the paths of all other keys. That is known only at the
// end of the list. But there are only two or three possibilities, so a leaf stores their hashes in
// place of the item.
type leaf struct {
	key   []byte // all nibbles of the item's key
	nodes [3]reference
	rest  [3]int // number of nibbles of the key that remain, for each of nodes
	n     int
}

// A reference represents a node in its parent node. It is the Keccak-256 of the node's encoding, or
// the encoding itself if that is shorter than 32 bytes.
type reference []byte

// keyOf returns the nibbles of rlp(i), the key of item i.
func keyOf(i int) []byte {
	var b [9]byte
	out := make([]byte, 0, 6)
	for _, c := range wire.AppendUint64(b[:0], uint64(i)) {
		out = append(out, c>>4, c&15)
	}
	return out
}

// sharedPrefix returns the length of the longest common prefix of a and b.
func sharedPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// newLeaf returns the leaf of item i. If a later item exists, only the last nibble of item i's key
// distinguishes it from all others. If item i is the last one, its key differs from all others
// already at the first nibble that no earlier key shares.
func (x *expander) newLeaf(i int, item []byte) *leaf {
	l := &leaf{key: keyOf(i)}
	rests := []int{0, len(l.key) - sharedBefore(i, l.key) - 1}
	if i == 0 {
		rests = []int{0, 1, 2} // if item 128 exists; else if item 1 exists; if item 0 is alone
	}
	for _, rest := range slices.Compact(rests) {
		l.nodes[l.n] = x.pair(l.key[len(l.key)-rest:], true, item)
		l.rest[l.n] = rest
		l.n++
	}
	return l
}

// sharedBefore returns the length in nibbles of the longest prefix that the key of item i shares
// with the key of an earlier item. i must be above 0.
func sharedBefore(i int, key []byte) int {
	least := 1 // smallest index whose key has this length
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
		return 1 // keys from index 128 on begin with 8, as the key 0x80 of index 0 does
	}
	return 0
}

// at returns the reference to the trie node of this leaf whose path is the last nibbles of the key,
// or nil if the leaf has no such node. The parameter rest is the number of these nibbles.
func (l *leaf) at(rest int) reference {
	i := slices.Index(l.rest[:l.n], rest)
	if i < 0 {
		return nil
	}
	return l.nodes[i]
}

// pair returns the reference of a node with two items: a leaf, or an extension. The first item is
// path in hex-prefix form. The second is content, a string for a leaf and a reference for an
// extension. A hash in the result is valid only after Run.
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
	before := buffer[16:16] // room for the bytes before content
	if len(compact) > 1 || compact[0] >= 0x80 {
		before = wire.AppendHead(before, false, len(compact))
	}
	before = append(before, compact...)
	if !isLeaf && len(content) == 32 || isLeaf && (len(content) != 1 || content[0] >= 0x80) {
		before = wire.AppendHead(before, false, len(content))
	}
	size := len(before) + len(content)
	var list [9]byte
	head := wire.AppendHead(list[:0], true, size)
	if len(head)+size < 32 {
		return slices.Concat(head, before, content)
	}
	h := new([32]byte)
	x.laterOf(h, head, before, content)
	return h[:]
}

// root returns the root of the list whose items have the given leaves. ok is false if a leaf is nil
// because its item could not be encoded.
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
		x.Run() // computes the hashes of the nodes one level below
		for _, n := range level {
			n.reference = n.encode(x)
		}
	}
	x.Run()
	ref := top.get()
	if len(ref) < 32 {
		return keccak256(ref), true // the root's encoding is hashed even if it is short
	}
	return [32]byte(ref), true
}

// A trie holds the inner nodes of a list's trie, by their depth in nibbles. The nodes of each depth
// are hashed together.
type trie struct {
	levels [][]*node
}

// A node is a branch node. If path is not empty, an extension node precedes it.
type node struct {
	reference
	path  []byte // nibbles of the extension
	next  child  // child for each value of the nibble after path
	items [16]child
}

// A child is an inner node, a leaf with its reference, or empty.
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

// below returns the subtrie of the given leaves, whose keys share their first nibbles. depth is the
// number of these nibbles.
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

// encode returns the reference of the branch or, if there is one, of the extension before it. It is
// valid after the next Run.
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
	begin := wire.AppendHead(head[:0], true, len(content))
	if len(begin)+len(content) < 32 {
		return slices.Concat(begin, content)
	}
	h := new([32]byte)
	x.laterOf(h, begin, content)
	return h[:]
}
