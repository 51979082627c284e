package wireform

// These are limits on a block. Those from consensus rules apply at every height: BIP 141 counts
// every byte of an older block four times, so its weight limit implies the former limit of a
// megabyte.
const (
	// MaxBlockWeight is the maximum weight of a block (BIP 141).
	MaxBlockWeight = 4_000_000

	// MaxBlockSize is the maximum size in bytes of a serialized block. It equals the weight limit,
	// since a byte weighs at least 1.
	MaxBlockSize = MaxBlockWeight

	// MaxInputs and MaxOutputs follow from the weight limit: an input has at least 41 bytes and an
	// output at least 9, and each of these bytes weighs 4.
	MaxInputs  = MaxBlockWeight / (4 * 41)
	MaxOutputs = MaxBlockWeight / (4 * 9)

	// MaxWitnessItems is the maximum number of witness items of a transaction. Consensus rules
	// limit the items only by weight: an empty item weighs 1, but takes 24 bytes in memory. The
	// largest number in a mainnet transaction is 500,001 (73be398c…, in block 761249).
	MaxWitnessItems = 1 << 19

	// MaxSpentScripts is the maximum total size in bytes of the scripts that a transaction spends.
	// Consensus rules allow a hundred times as much. A script normally has 25 to 35 bytes. This
	// limit allows 343 bytes for each of the MaxInputs inputs.
	MaxSpentScripts = 8 << 20
)

// atMost returns n if n is at most limit. Otherwise it makes the cursor fail and returns 0. label
// names the counted things in the error.
func (c *Cursor) atMost(n, limit int, label string) int {
	if n > limit {
		c.Fail("%d %s are more than a block can have", n, label)
		return 0
	}
	return n
}

// weigh adds the weight of the transaction that begins at start and ends at the cursor. base is the
// transaction's size in bytes without the witness.
func (c *Cursor) weigh(start, base int) {
	if c.weight += 3*base + c.At - start; c.weight > MaxBlockWeight {
		c.At = start
		c.Fail("with this transaction the block weighs more than %d", MaxBlockWeight)
	}
}
