package ethereum

import (
	"github.com/ethereum/go-ethereum/rlp"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/jsonfile"
)

// What a block may have here. What is over a limit is malformed; none of it is
// ever held as a whole.
const (
	// maxTransaction is the most bytes of an encoded transaction. Since EIP-7825
	// one may use 2^24 gas, and a zero byte of its data, the cheapest byte there
	// is, takes 4 (EIP-2028; since EIP-7623 it takes 10): 2^22 bytes. No
	// transaction of mainnet before that had a quarter of it.
	maxTransaction = 4 << 20

	// maxText is the most bytes of a transaction in JSON without white space: two
	// digits for each byte, and the names of the fields.
	maxText = 10 << 20

	// maxItems is the most entries of a transaction's lists (addresses and
	// authorizations; in JSON also storage keys). The cheapest entry takes 1,900
	// gas (EIP-2930): more would take a block of 62 million gas each.
	maxItems = 1 << 15

	// maxHeldBytes and maxHeld are the most bytes and transactions of blocks in
	// JSON that are held back until the number and the time of their block are
	// known, which nodes write before the transactions. A block has at most 8 MiB
	// in RLP (EIP-7934), as a rule a tenth of it, and 16,384 transactions take
	// at least 344 million gas.
	maxHeldBytes = 16 << 20
	maxHeld      = 1 << 14

	// maxHeader is the most bytes of a block's header in RLP. On mainnet they have
	// about 600; chains with proof of authority put lists of signers there.
	maxHeader = 64 << 10

	// maxBlock is the most bytes of a block in RLP. Nothing is held for it: a file
	// with more is something else.
	maxBlock = 256 << 20
)

var textLimits = jsonfile.Limits{Bytes: maxText, Items: maxItems, Inner: maxItems}

// How much memory a transaction takes until it is reported, at most. It is there
// as it was read and decoded, and an authorization, of at least 27 bytes, takes
// 128 when it is decoded and more while the list of them grows. In JSON there are
// two digits for a byte, and the same transaction encoded. Short ones are copied to be hashed.
const (
	perByte  = 12      // for the bytes of a transaction of authorizations alone
	perData  = 3       // for others, and
	perLists = 8 << 20 // for all lists together
	perItem  = 400     // JSON: for an entry of a list
	perPiece = 1 << 10

	perCopies = 256 // for what stands before the parts of it that are hashed
	perLeaf   = 120 // for a transaction's part in the trie, when its block ends
)

// encodedSize is a bound on the memory that n encoded bytes take.
func encodedSize(n int64) int64 { return min(perByte*n, perData*n+perLists) }

// listsFit reports whether the lists in an encoded list are no longer than
// maxItems each. A shorter encoding cannot be over it.
func listsFit(list []byte) bool {
	if len(list) < 20*maxItems {
		return true
	}
	content, _, err := rlp.SplitList(list)
	for err == nil && len(content) > 0 {
		var kind rlp.Kind
		var field []byte
		if kind, field, content, err = rlp.Split(content); err == nil && kind == rlp.List {
			if n, err := rlp.CountValues(field); err == nil && n > maxItems {
				return false
			}
		}
	}
	return true // what is no list at all is found by whoever decodes it
}
