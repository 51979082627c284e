package ethereum

import (
	"github.com/ethereum/go-ethereum/rlp"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/jsonfile"
)

// These constants limit what the reader accepts in a block. Data over a limit is malformed and is
// never held in memory as a whole.
const (
	// maxTransaction is the maximum size in bytes of an encoded transaction. Since EIP-7825 a
	// transaction may use 2^24 gas, and the cheapest data byte, zero, costs 4 gas (EIP-2028; 10
	// since EIP-7623), so 2^22 bytes are possible. Earlier transactions of mainnet have less than a
	// quarter of that.
	maxTransaction = 4 << 20

	// maxText is the maximum size in bytes of a transaction in JSON without white space. It has
	// room for two digits for each byte of the transaction, and the field names.
	maxText = 10 << 20

	// maxItems is the maximum number of entries in a transaction's lists (addresses and
	// authorizations; in JSON also storage keys). The cheapest entry costs 1,900 gas (EIP-2930), so
	// more entries would need a block of 62 million gas for one transaction.
	maxItems = 1 << 15

	// maxHeldBytes and maxHeld limit the bytes and the number of transactions in JSON that are held
	// back until the number and time of their block are known. Nodes write these two fields before
	// the transactions, so holding back is rare. A block has at most 8 MiB in RLP (EIP-7934),
	// usually a tenth of that, and 16,384 transactions take at least 344 million gas.
	maxHeldBytes = 16 << 20
	maxHeld      = 1 << 14

	// maxHeader is the maximum size in bytes of a header in RLP. Mainnet's headers have about 600
	// bytes; proof-of-authority chains store lists of signers in them.
	maxHeader = 64 << 10

	// maxBlock is the maximum size in bytes of a block in RLP. The reader treats a larger item as
	// an error. It holds no block as a whole, so the limit may be large.
	maxBlock = 256 << 20
)

var textLimits = jsonfile.Limits{Bytes: maxText, Items: maxItems, Inner: maxItems}

// These constants bound the memory of a transaction until it is reported. It is held both as read
// and decoded. An authorization has at least 27 bytes when encoded and takes 128 when decoded, or
// more while the list of authorizations grows. In JSON every byte takes two digits, and the encoded
// transaction is held too. Short transactions are copied to be hashed.
const (
	perByte  = 12      // bytes per encoded byte, if the transaction has only authorizations
	perData  = 3       // bytes per encoded byte of other transactions
	perLists = 8 << 20 // bytes for all lists of a transaction together
	perItem  = 400     // bytes per list entry in JSON
	perPiece = 1 << 10

	perCopies = 256     // bytes for the prefixes of the hashed parts
	perLeaf   = 120     // bytes for a transaction's part of the trie at the end of its block
	perLinks  = 2 << 10 // bytes for the Links at the end of a block
)

// encodedSize returns an upper bound on the memory, in bytes, that a transaction of n encoded bytes
// takes.
func encodedSize(n int64) int64 { return min(perByte*n, perData*n+perLists) }

// listsFit reports whether each list inside the encoded list has at most maxItems entries. It does
// not examine encodings that are too short to have more.
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
	return true // the decoder reports items that are not lists
}
