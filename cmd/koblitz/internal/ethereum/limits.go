package ethereum

import "github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"

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

	// maxItems is the maximum number of entries in the lists of a transaction in JSON (addresses,
	// storage keys and authorizations). The cheapest entry costs 1,900 gas (EIP-2930), so more
	// entries would need a block of 62 million gas for one transaction.
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

var textLimits = reading.Limits{Bytes: maxText, Items: maxItems, Inner: maxItems}

// These constants bound the memory of a transaction until it is reported. In RLP it is held as it
// was read, with the message that is signed and, if it is short, copies to be hashed. In JSON every
// byte takes two digits; the lists are decoded, and the encoded transaction is held too.
const (
	perByte  = 3   // bytes per encoded byte
	perItem  = 400 // bytes per list entry in JSON
	perPiece = 1 << 10

	perCopies = 256     // bytes for the prefixes of the hashed parts
	perLeaf   = 120     // bytes for a transaction's part of the trie at the end of its block
	perLinks  = 2 << 10 // bytes for the Links at the end of a block
)
