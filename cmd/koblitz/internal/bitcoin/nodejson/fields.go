package nodejson

import "github.com/koblitz-go/koblitz/cmd/koblitz/internal/jsonfile"

// These tables hold the names of the fields in the objects that Bitcoin Core prints, including
// names that only older releases use. docs/check-bitcoin.md lists the fields that are not checked.
var (
	scriptTable       = jsonfile.NewTable("asm", "hex")
	outputScriptTable = jsonfile.NewTable("asm", "desc", "hex", "address", "type",
		"reqSigs", "addresses") // releases before version 22 print the last two

	inputTable = jsonfile.NewTable("coinbase", "txid", "vout", "txinwitness", "sequence").
			With("scriptSig", scriptTable).
			With("prevout", jsonfile.NewTable("generated", "height", "value").
				With("scriptPubKey", outputScriptTable))

	outputTable = jsonfile.NewTable("value", "n").With("scriptPubKey", outputScriptTable)

	// txTable has the names of the fields of a transaction in a block, and aloneTable those of a
	// transaction in a getrawtransaction response.
	txTable = jsonfile.NewTable("txid", "hash", "version", "size", "vsize", "weight", "locktime",
		"hex", "fee").With("vin", inputTable).With("vout", outputTable)
	aloneTable = jsonfile.NewTable("in_active_chain", "blockhash", "confirmations", "time",
		"blocktime").And(txTable)

	blockTable = jsonfile.NewTable("hash", "confirmations", "strippedsize", "size", "weight",
		"height", "version", "versionHex", "merkleroot", "time", "mediantime", "nonce", "bits",
		"target", "difficulty", "chainwork", "nTx", "previousblockhash", "nextblockhash").
		With("tx", txTable).
		With("coinbase_tx", jsonfile.NewTable("version", "locktime", "sequence", "coinbase", "witness"))

	answerTable = jsonfile.Answer(blockTable)

	// outerTable has the names of the fields of an outermost object, which is a JSON-RPC response
	// or a block.
	outerTable = jsonfile.NewTable().And(blockTable, answerTable)
)
