package wireform

// Limits of a block. The limits from consensus apply at every height: BIP 141 counts every byte of
// an older block four times, which gives the former limit of a megabyte.
const (
	// MaxBlockWeight is consensus: BIP 141.
	MaxBlockWeight = 4_000_000

	// MaxBlockSize is the maximum size in bytes of a serialized block, since a byte weighs at least
	// 1.
	MaxBlockSize = MaxBlockWeight

	// MaxInputs and MaxOutputs follow from the weight: an input has at least 41
	// bytes and an output 9, and each of these weighs 4.
	MaxInputs  = MaxBlockWeight / (4 * 41)
	MaxOutputs = MaxBlockWeight / (4 * 9)

	// MaxWitnessItems is the maximum number of witness items of a transaction. Consensus limits
	// them only by weight: an empty item weighs 1, but takes 24 bytes in memory. The largest number
	// in a mainnet transaction is 500,001 (73be398c…, in block 761249).
	MaxWitnessItems = 1 << 19

	// MaxSpentScripts is the maximum total size in bytes of the scripts that a transaction spends,
	// and of those in a file of spent outputs. Consensus allows a hundred times as much. Scripts
	// normally have 25 to 35 bytes, and this limit allows 343 bytes for each of the most inputs
	// that a block can have.
	MaxSpentScripts = 8 << 20
)

// atMost returns n, or fails if n exceeds most.
func (c *Cursor) atMost(n, most int, what string) int {
	if n > most {
		c.Fail("%d %s are more than a block can have", n, what)
		return 0
	}
	return n
}

// weigh adds the weight of the transaction that begins at start. base is its size without the
// witness.
func (c *Cursor) weigh(start, base int) {
	if c.weight += 3*base + c.At - start; c.weight > MaxBlockWeight {
		c.At = start
		c.Fail("with this transaction the block weighs more than %d", MaxBlockWeight)
	}
}
