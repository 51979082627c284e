package wireform

// What a block may have here. Those of consensus hold at every height: BIP 141
// counts every byte before it four times, which is the megabyte that there was.
const (
	// MaxBlockWeight is consensus: BIP 141.
	MaxBlockWeight = 4_000_000

	// MaxBlockSize is the most bytes of a serialized block, since no byte weighs
	// less than 1.
	MaxBlockSize = MaxBlockWeight

	// MaxInputs and MaxOutputs follow from the weight: an input has at least 41
	// bytes and an output 9, and each of these weighs 4.
	MaxInputs  = MaxBlockWeight / (4 * 41)
	MaxOutputs = MaxBlockWeight / (4 * 9)

	// MaxWitnessItems is the most items of a transaction's witnesses together.
	// Consensus knows no limit but the weight, of which an empty item takes 1; in
	// memory it takes 24 bytes. The most that a transaction of mainnet has had is
	// 500,001 (73be398c…, in block 761249).
	MaxWitnessItems = 1 << 19

	// MaxSpentScripts is the most bytes of the scripts that a transaction spends,
	// and of those in a file of spent outputs. Consensus allows a hundred times
	// as many; they have 25 to 35 bytes each as a rule, and this is 343 for each of
	// as many inputs as a block can have.
	MaxSpentScripts = 8 << 20
)

// atMost refuses a number of things that no block has room for.
func (c *Cursor) atMost(n, most int, what string) int {
	if n > most {
		c.Fail("%d %s are more than a block can have", n, what)
		return 0
	}
	return n
}

// weigh adds a transaction that begins at start, and of whose bytes base are not
// its witness, to the weight of what the cursor has read.
func (c *Cursor) weigh(start, base int) {
	if c.weight += 3*base + c.At - start; c.weight > MaxBlockWeight {
		c.At = start
		c.Fail("with this transaction the block weighs more than %d", MaxBlockWeight)
	}
}
