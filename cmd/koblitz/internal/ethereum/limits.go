package ethereum

import (
	"github.com/ethereum/go-ethereum/rlp"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/jsonfile"
)

// Limits of a block here. Data over a limit is malformed and is never held in memory as a whole.
const (
	// maxTransaction is the maximum size in bytes of an encoded transaction. Since EIP-7825 a
	// transaction may use 2^24 gas, and the cheapest data byte, zero, costs 4 gas (EIP-2028; 10
	// since EIP-7623), so 2^22 bytes are possible. Earlier transactions of mainnet have less than a
	// quarter of that.
	maxTransaction = 4 << 20

	// maxText is the maximum size in bytes of a transaction in JSON without white space: two digits
	// for each byte, plus the field names.
	maxText = 10 << 20

	// maxItems is the maximum number of entries in a transaction's lists (addresses and
	// authorizations; in JSON also storage keys). The cheapest entry costs 1,900 gas (EIP-2930), so
	// more entries would need a block of 62 million gas for one transaction.
	maxItems = 1 << 15

	// maxHeldBytes and maxHeld limit the bytes and the number of transactions in JSON that are held
	// back until the number and time of their block are known. Nodes write those before the
	// transactions. A block has at most 8 MiB in RLP (EIP-7934), usually a tenth of that, and
	// 16,384 transactions take at least 344 million gas.
	maxHeldBytes = 16 << 20
	maxHeld      = 1 << 14

	// maxHeader is the maximum size in bytes of a header in RLP. Mainnet's headers have about 600
	// bytes; proof-of-authority chains store lists of signers in them.
	maxHeader = 64 << 10

	// maxBlock is the maximum size in bytes of a block in RLP. It costs no memory; a larger item is
	// not a block.
	maxBlock = 256 << 20
)

var textLimits = jsonfile.Limits{Bytes: maxText, Items: maxItems, Inner: maxItems}

// These constants bound the memory of a transaction until it is reported. It is held both as read
// and decoded. An authorization has at least 27 bytes and takes 128 when decoded, more while its
// list grows. In JSON every byte takes two digits, and the encoded transaction is held too. Short
// transactions are copied to be hashed.
const (
	perByte  = 12      // for a transaction of authorizations alone
	perData  = 3       // for other transactions
	perLists = 8 << 20 // for all lists together
	perItem  = 400     // JSON: per list entry
	perPiece = 1 << 10

	perCopies = 256 // for the prefixes of its hashed parts
	perLeaf   = 120 // for a transaction's part of the trie at the end of its block
)

// encodedSize returns a bound on the memory in bytes for n encoded bytes.
func encodedSize(n int64) int64 { return min(perByte*n, perData*n+perLists) }

// listsFit reports whether each list in an encoded list has at most maxItems entries. Encodings too
// short to exceed that are not examined.
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
	return true // decoding reports what is not a list
}
