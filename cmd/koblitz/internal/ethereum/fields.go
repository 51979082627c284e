package ethereum

import "github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"

// This file has a table of the names that the reader knows for each kind of JSON object. Fields
// with other names are not read: the roots and the hash in a block's header show whether its
// transactions are complete.

var (
	txTable         = reading.TableOf[txJSON]()
	withdrawalTable = reading.TableOf[withdrawal]()

	// A block with a field that blockTable lacks may have a header of a later fork. Its hash then
	// covers a field that this package does not know.
	blockTable = reading.NewTable("parentHash", "sha3Uncles", "miner", "stateRoot",
		"transactionsRoot", "receiptsRoot", "logsBloom", "difficulty", "number", "gasLimit", "gasUsed",
		"timestamp", "extraData", "mixHash", "nonce", "baseFeePerGas", "withdrawalsRoot", "blobGasUsed",
		"excessBlobGas", "parentBeaconBlockRoot", "requestsHash", "blockAccessListHash",
		"slotNumber", "hash", "size", "totalDifficulty", "uncles", "transactions", "withdrawals")

	// outerTable is the table of a block that is not in a response, and of a response.
	outerTable = reading.NewTable("jsonrpc", "id", "result", "error").And(blockTable)
)

// beaconFields are fields of the beacon API, the builder API and the engine API. Their blocks lack
// the roots of an execution block's header, so an object with one of these fields is an error.
var beaconFields = []string{"data", "message", "body", "block", "signed_block", "params",
	"execution_payload", "executionPayload", "execution_payload_header", "fee_recipient",
	"feeRecipient"}
