package ethereum

import (
	"bytes"
	"slices"

	"golang.org/x/crypto/sha3"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ethereum/wire"
)

// This file computes the root of a list: the root of the Merkle Patricia trie (Ethereum's yellow
// paper, appendix D) in which the item with index i has the key rlp(i). A block's header contains
// the roots of the lists of its transactions and withdrawals.

// keccak256 returns the Keccak-256 of message.
func keccak256(message []byte) (digest [32]byte) {
	k := sha3.NewLegacyKeccak256()
	k.Write(message)
	k.Sum(digest[:0])
	return digest
}

// A leaf is an item of a list with the nibbles of its key.
type leaf struct{ key, item []byte }

// root returns the root of a list.
func root(items [][]byte) [32]byte {
	if len(items) == 0 {
		return keccak256([]byte{0x80})
	}
	var leaves []leaf
	for i, item := range items {
		var key []byte
		for _, c := range wire.AppendUint64(nil, uint64(i)) {
			key = append(key, c>>4, c&15)
		}
		leaves = append(leaves, leaf{key, item})
	}
	slices.SortFunc(leaves, func(a, b leaf) int { return bytes.Compare(a.key, b.key) })
	return keccak256(node(leaves, 0))
}

// node returns the encoding of the trie node whose subtrie holds the leaves. Their keys are sorted
// and share their first nibbles; depth is the number of these nibbles.
func node(leaves []leaf, depth int) []byte {
	first, last := leaves[0], leaves[len(leaves)-1]
	if len(leaves) == 1 {
		return pair(first.key[depth:], 2, wire.AppendString(nil, first.item))
	}
	shared := depth
	for first.key[shared] == last.key[shared] {
		shared++
	}
	if shared > depth {
		next := node(leaves, shared)
		return pair(first.key[depth:shared], 0, appendReference(nil, next, keccak256(next)))
	}
	var children [16][]byte
	for nibble := range children {
		n := 0
		for n < len(leaves) && leaves[n].key[depth] == byte(nibble) {
			n++
		}
		if n > 0 {
			children[nibble] = node(leaves[:n], depth+1)
			leaves = leaves[n:]
		}
	}
	var branch []byte
	for i, hash := range batch.AppendKeccak256(nil, children[:]) {
		branch = appendReference(branch, children[i], hash)
	}
	return wire.WrapList(append(branch, 0x80), 0) // no key ends here
}

// appendReference appends the reference to a node in its parent node: the node's encoding, or its
// Keccak-256 if that is shorter. A nil node is empty.
func appendReference(dst, node []byte, hash [32]byte) []byte {
	switch {
	case node == nil:
		return append(dst, 0x80)
	case len(node) < len(hash):
		return append(dst, node...)
	}
	return wire.AppendString(dst, hash[:])
}

// pair returns the encoding of a node with two items: path in hex-prefix form, and content. flag is
// 2 for a leaf and 0 for an extension.
func pair(path []byte, flag byte, content []byte) []byte {
	compact := []byte{flag << 4}
	if len(path)%2 == 1 {
		compact[0] = (flag+1)<<4 | path[0]
		path = path[1:]
	}
	for i := 0; i < len(path); i += 2 {
		compact = append(compact, path[i]<<4|path[i+1])
	}
	return wire.WrapList(append(wire.AppendString(nil, compact), content...), 0)
}
