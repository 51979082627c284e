package bitcoin

import (
	"fmt"

	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/jsonfile"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// What a block may have here. Those of consensus hold at every height: BIP 141
// counts every byte before it four times, which is the megabyte that there was.
const (
	// maxBlockWeight is consensus: BIP 141.
	maxBlockWeight = 4_000_000

	// maxBlockSize is the most bytes of a serialized block, since no byte weighs
	// less than 1.
	maxBlockSize = maxBlockWeight

	// maxInputs and maxOutputs follow from the weight: an input has at least 41
	// bytes and an output 9, and each of these weighs 4.
	maxInputs  = maxBlockWeight / (4 * 41)
	maxOutputs = maxBlockWeight / (4 * 9)

	// maxWitnessItems is the most items of a transaction's witnesses together.
	// Consensus knows no limit but the weight, of which an empty item takes 1; in
	// memory it takes 24 bytes. The most that a transaction of mainnet has had is
	// 500,001 (73be398c…, in block 761249).
	maxWitnessItems = 1 << 19

	// maxSpentScripts is the most bytes of the scripts that a transaction spends,
	// and of those in a file of spent outputs. Consensus allows a hundred times
	// as many; they have 25 to 35 bytes each as a rule, and this is 343 for each of
	// as many inputs as a block can have.
	maxSpentScripts = 8 << 20

	// maxText is the most bytes of a transaction in JSON without white space. One
	// that fills a block takes at most 18 million: the digits of its hex, and of
	// its scripts and witnesses twice more, and some 600 bytes for each input.
	maxText = 20 << 20

	// maxWaiting is the most blocks that may come before their parents. Bitcoin
	// Core asks for blocks up to 1,024 ahead of the last one that connects.
	maxWaiting = 1 << 15
)

// textLimits are those of a transaction in JSON: the lists in it are its inputs
// and outputs, and those farther inside are witnesses.
var textLimits = jsonfile.Limits{Bytes: maxText, Items: maxInputs + maxOutputs,
	Inner: maxWitnessItems}

// atMost refuses a number of things that no block has room for.
func (c *cursor) atMost(n, most int, what string) int {
	if n > most {
		c.fail("%d %s are more than a block can have", n, what)
		return 0
	}
	return n
}

// weigh adds a transaction that begins at start, and of whose bytes base are not
// its witness, to the weight of what the cursor has read.
func (c *cursor) weigh(start, base int) {
	if c.weight += 3*base + c.i - start; c.weight > maxBlockWeight {
		c.i = start
		c.fail("with this transaction the block weighs more than %d", maxBlockWeight)
	}
}

// How much memory a transaction takes, at most.
const (
	// for as long as it is held: wire.TxIn, the output it spends, pointers to them
	perInput        = 192
	perOutput       = 48
	perItem         = 24
	perInputScratch = 192 // while one of its inputs is judged: the copies that the library makes of it
	perItemScratch  = 104 // the engine's stack, as it grows, and a copy of it

	perBatch = 128 << 10 // for all transactions together: what is hashed at once
)

// spentScripts is the number of bytes of the scripts that t spends.
func (t *transaction) spentScripts() (n int) {
	for i := range t.spent {
		n += len(t.spent[i].script)
	}
	return n
}

// overSpent is the error for a transaction that spends more than maxSpentScripts.
func (t *transaction) overSpent() *verdict {
	where := t.where
	where.Tx = t.id.String()
	return &verdict{Where: where, Kind: "transaction", Decided: rows.Malformed,
		Reason: fmt.Sprintf("the scripts that it spends have %d bytes, more than the %d that are kept "+
			"for a transaction", t.spentScripts(), maxSpentScripts)}
}

// memory returns bounds on the bytes that tx takes for as long as it is held, and
// more of them while one of its inputs is judged, apart from its scripts.
func memory(tx *wire.MsgTx) (held, scratch int) {
	items, scripts := 0, 0
	for _, in := range tx.TxIn {
		items += len(in.Witness)
		scripts += len(in.SignatureScript)
	}
	for _, out := range tx.TxOut {
		scripts += len(out.PkScript)
	}
	held = perInput*len(tx.TxIn) + perOutput*len(tx.TxOut) + perItem*items
	scratch = perInputScratch*len(tx.TxIn) + 2*perOutput*len(tx.TxOut) + perItemScratch*items +
		3*scripts
	return held, scratch
}
