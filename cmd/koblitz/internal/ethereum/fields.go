package ethereum

import "github.com/koblitz-go/koblitz/cmd/koblitz/internal/jsonfile"

// This file has one table of field names for each kind of JSON object that this package reads:
// objects of JSON-RPC (the execution APIs with the additions of go-ethereum, Reth, Nethermind,
// Erigon and Besu), of the engine API and of the beacon API. docs/check-formats.md lists the fields
// in the tables that the reader ignores.

var (
	accessTable        = jsonfile.NewTable("address", "storageKeys")
	authorizationTable = jsonfile.NewTable("chainId", "address", "nonce", "yParity", "v", "r", "s")

	txTable = jsonfile.NewTable("type", "chainId", "nonce", "gasPrice", "maxPriorityFeePerGas",
		"maxFeePerGas", "gas", "to", "value", "input", "maxFeePerBlobGas", "blobVersionedHashes",
		"yParity", "v", "r", "s", "from", "hash",
		"data", "raw", "transactionIndex", "blockHash", "blockNumber", "blockTimestamp",
		"creates", "publicKey", "standardV", "condition").
		With("accessList", accessTable).With("authorizationList", authorizationTable)
)

// These are the tables of field names of JSON-RPC and of the engine API.
var (
	// withdrawalTable is also used for the beacon API, in which the field validatorIndex is named
	// validator_index.
	withdrawalTable = jsonfile.NewTable("index", "validatorIndex", "validator_index", "address",
		"amount")
	blobsTable = jsonfile.NewTable("commitments", "proofs", "blobs")

	blockTable = jsonfile.NewTable("parentHash", "sha3Uncles", "miner", "stateRoot",
		"transactionsRoot", "receiptsRoot", "logsBloom", "difficulty", "number", "gasLimit", "gasUsed",
		"timestamp", "extraData", "mixHash", "nonce", "baseFeePerGas", "withdrawalsRoot", "blobGasUsed",
		"excessBlobGas", "parentBeaconBlockRoot", "requestsHash", "blockAccessListHash", "balHash",
		"slotNumber", "hash", "blockAccessList", "size", "totalDifficulty", "uncles", "author").
		With("transactions", txTable).With("withdrawals", withdrawalTable)

	payloadTable = jsonfile.NewTable("parentHash", "feeRecipient", "stateRoot", "receiptsRoot",
		"logsBloom", "prevRandao", "blockNumber", "gasLimit", "gasUsed", "timestamp", "extraData",
		"baseFeePerGas", "blockHash", "blobGasUsed", "excessBlobGas", "blockAccessList", "slotNumber").
		With("transactions", txTable).With("withdrawals", withdrawalTable)

	// builtTable is the table of the field names in engine_getPayload's response.
	builtTable = jsonfile.NewTable("blockValue", "executionRequests", "shouldOverrideBuilder",
		"witness").
		With("executionPayload", payloadTable).
		With("blobsBundle", blobsTable)

	answerTable = jsonfile.Answer(jsonfile.NewTable().And(blockTable, payloadTable, builtTable))
	callTable   = jsonfile.NewTable("jsonrpc", "id", "method").With("params", payloadTable)
)

// These are the tables of field names of the beacon API. Blinded blocks, which lack their payload,
// are refused.
var (
	headerTable = jsonfile.NewTable("slot", "proposer_index", "parent_root", "state_root",
		"body_root")
	signedHeaderTable = jsonfile.NewTable("signature").With("message", headerTable)
	checkpointTable   = jsonfile.NewTable("epoch", "root")
	voteTable         = jsonfile.NewTable("slot", "index", "beacon_block_root").
				With("source", checkpointTable).With("target", checkpointTable)
	indexedVoteTable = jsonfile.NewTable("attesting_indices", "signature").With("data", voteTable)

	beaconPayloadTable = jsonfile.NewTable("parent_hash", "fee_recipient", "state_root",
		"receipts_root", "logs_bloom", "prev_randao", "block_number", "gas_limit", "gas_used",
		"timestamp", "extra_data", "base_fee_per_gas", "block_hash", "blob_gas_used",
		"excess_blob_gas").
		With("transactions", txTable).With("withdrawals", withdrawalTable)

	requestsTable = jsonfile.NewTable().
			With("deposits", requestTable(0)).With("withdrawals", requestTable(1)).
			With("consolidations", requestTable(2))

	bodyTable = jsonfile.NewTable("randao_reveal", "graffiti", "blob_kzg_commitments",
		"execution_payload_header").
		With("eth1_data", jsonfile.NewTable("deposit_root", "deposit_count", "block_hash")).
		With("proposer_slashings", jsonfile.NewTable().
			With("signed_header_1", signedHeaderTable).With("signed_header_2", signedHeaderTable)).
		With("attester_slashings", jsonfile.NewTable().
			With("attestation_1", indexedVoteTable).With("attestation_2", indexedVoteTable)).
		With("attestations", jsonfile.NewTable("aggregation_bits", "committee_bits", "signature").
			With("data", voteTable)).
		With("deposits", jsonfile.NewTable("proof").With("data",
			jsonfile.NewTable("pubkey", "withdrawal_credentials", "amount", "signature"))).
		With("voluntary_exits", jsonfile.NewTable("signature").With("message",
			jsonfile.NewTable("epoch", "validator_index"))).
		With("sync_aggregate", jsonfile.NewTable("sync_committee_bits", "sync_committee_signature")).
		With("bls_to_execution_changes", jsonfile.NewTable("signature").With("message",
			jsonfile.NewTable("validator_index", "from_bls_pubkey", "to_execution_address"))).
		With("execution_payload", beaconPayloadTable).
		With("execution_requests", requestsTable)

	beaconBlockTable = jsonfile.NewTable("slot", "proposer_index", "parent_root", "state_root").
				With("body", bodyTable)
	signedBlockTable = jsonfile.NewTable("signature").With("message", beaconBlockTable)

	// contentsTable is the table of the field names of an object that holds a block and its blobs.
	contentsTable = jsonfile.NewTable("kzg_proofs", "blobs").
			With("block", beaconBlockTable).With("signed_block", signedBlockTable)

	// dataTable is the table of the field names in the data of a beacon response. Block builders
	// return a payload alone or with its blobs.
	dataTable = jsonfile.NewTable().With("execution_payload", beaconPayloadTable).
			With("blobs_bundle", blobsTable).
			And(signedBlockTable, beaconBlockTable, contentsTable, beaconPayloadTable)

	beaconAnswerTable = jsonfile.NewTable("version", "execution_optimistic", "finalized",
		"execution_payload_blinded", "execution_payload_value", "consensus_block_value").
		With("data", dataTable)
)

// outerTable is the table of the field names of the outermost object of a file. It has the fields
// of every object that can be outermost.
var outerTable = jsonfile.NewTable().And(answerTable, callTable, blockTable, payloadTable,
	builtTable, beaconAnswerTable, dataTable, bodyTable)
