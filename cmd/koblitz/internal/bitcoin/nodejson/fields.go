package nodejson

import "github.com/koblitz-go/koblitz/cmd/koblitz/internal/jsonfile"

// The tables of the objects that Bitcoin Core prints, in older releases too. docs/check-bitcoin.md
// lists the fields in them that are not checked.
var (
	scriptTable       = jsonfile.NewTable("asm", "hex")
	outputScriptTable = jsonfile.NewTable("asm", "desc", "hex", "address", "type",
		"reqSigs", "addresses") // the last two before version 22

	inputTable = jsonfile.NewTable("coinbase", "txid", "vout", "txinwitness", "sequence").
			With("scriptSig", scriptTable).
			With("prevout", jsonfile.NewTable("generated", "height", "value").
				With("scriptPubKey", outputScriptTable))

	outputTable = jsonfile.NewTable("value", "n").With("scriptPubKey", outputScriptTable)

	// txTable is the table of a transaction in a block, aloneTable that of one in
	// getrawtransaction.
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

	// outerTable is the table of an outermost object: an answer or a block.
	outerTable = jsonfile.NewTable().And(blockTable, answerTable)
)
