package ethereum

import "github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"

// These constants limit what the readers accept. Data over a limit is malformed.
const (
	// maxTransaction is the maximum size in bytes of an encoded transaction. Since EIP-7825 a
	// transaction may use 2^24 gas, and the cheapest data byte, zero, costs 4 gas (EIP-2028; 10
	// since EIP-7623), so 2^22 bytes are possible. Earlier transactions of mainnet have less than a
	// quarter of that.
	maxTransaction = 4 << 20

	// maxText is the maximum size in bytes of a transaction in JSON without white space. It has
	// room for two digits for each byte of the transaction, and the field names.
	maxText = 10 << 20

	// maxItems is the maximum number of entries in the lists of a block's transactions in JSON
	// (addresses, storage keys and authorizations). The cheapest entry costs 1,900 gas (EIP-2930),
	// so more entries would need a block of 124 million gas for them alone.
	maxItems = 1 << 16

	// maxTransactions is the maximum number of a block's transactions. That many plain transfers
	// (21,000 gas each) take 344 million gas.
	maxTransactions = 1 << 14

	// maxBlock is the maximum size in bytes of a block in RLP, and maxList that of its list of
	// transactions in JSON. Blocks of mainnet have at most 8 MiB in RLP (EIP-7934), usually a tenth
	// of that.
	maxBlock = 16 << 20
	maxList  = 24 << 20

	// maxHeaderField is the maximum length in characters of a header's field in JSON.
	maxHeaderField = 4 << 10
)

var (
	textLimits = reading.Limits{Bytes: maxText, Items: maxItems, Inner: maxItems}
	listLimits = reading.Limits{Bytes: maxList, Items: maxTransactions, Inner: maxItems}
	// withdrawalLimits limits a block's list of withdrawals, which has at most 16 on mainnet.
	withdrawalLimits = reading.Limits{Bytes: 1 << 20, Items: 1 << 14, Inner: 1 << 14}
)

const (
	perItem = 400 // bytes for an entry of a transaction's lists in JSON
	perRow  = 600 // bytes for a transaction's item, and a part of the trie at the end of the block
)
