// Package ethereumtest computes roots of Merkle Patricia tries for tests.
package ethereumtest

//ci:untested The tests of Ethereum's blocks run it.

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
)

// A Trie maps keys in hexadecimal, so that each digit is a nibble, to values. It computes its root
// directly from the yellow paper's definition (appendix D, functions c and n). It implements
// go-ethereum's types.ListHasher. The package trie of go-ethereum depends on its databases, which
// take long to compile.
type Trie map[string][]byte

// Reset removes all values.
func (t Trie) Reset() { clear(t) }

// Update sets the value of key.
func (t Trie) Update(key, value []byte) error {
	t[hex.EncodeToString(key)] = bytes.Clone(value)
	return nil
}

// Hash returns the root of t.
func (t Trie) Hash() common.Hash {
	if len(t) == 0 {
		return types.EmptyRootHash
	}
	return crypto.Keccak256Hash(node(t, 0))
}

// node returns the encoding of the node whose subtrie holds values. All keys share their first
// hexadecimal digits, and depth is the number of these digits.
func node(values map[string][]byte, depth int) []byte {
	prefix := ""
	for key := range values {
		prefix = key
	}
	for key := range values {
		for !strings.HasPrefix(key, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	embedded := func(node []byte) any {
		if len(node) < 32 {
			return rlp.RawValue(node)
		}
		return crypto.Keccak256(node)
	}
	var fields []any
	switch {
	case len(values) == 1:
		fields = []any{hexPrefix(prefix[depth:], 2), values[prefix]}
	case len(prefix) > depth:
		fields = []any{hexPrefix(prefix[depth:], 0), embedded(node(values, len(prefix)))}
	default:
		for _, digit := range "0123456789abcdef" {
			below := map[string][]byte{}
			for key, value := range values {
				if rune(key[depth]) == digit {
					below[key] = value
				}
			}
			if len(below) == 0 {
				fields = append(fields, []byte{})
			} else {
				fields = append(fields, embedded(node(below, depth+1)))
			}
		}
		fields = append(fields, []byte{})
	}
	b, err := rlp.EncodeToBytes(fields)
	if err != nil {
		panic(err)
	}
	return b
}

// hexPrefix returns the digits in hex-prefix form. flag is 2 for a leaf and 0 for an extension.
func hexPrefix(digits string, flag int) []byte {
	if len(digits)%2 == 1 {
		return common.Hex2Bytes(fmt.Sprint(flag+1) + digits)
	}
	return common.Hex2Bytes(fmt.Sprint(flag) + "0" + digits)
}
