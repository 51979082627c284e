package hash

// absorbGeneric adds blocks[j] to the Keccak state j, whose lane at x, y is state[x + 5y][j], and
// applies Keccak-f[1600] to the sum, for eight states. If bit 1<<j of keep is not set, the old
// state j is replaced by zeros first.
//
//ct:unrun-portable for AVX-512, which the other build has
func absorbGeneric(
	state *[25][keccakLanes]uint64, blocks *[keccakLanes]*[keccakRate]byte, keep uint64,
) {
	for j, block := range blocks {
		var a [25]uint64
		if keep>>j&1 == 1 {
			for i := range a {
				a[i] = state[i][j]
			}
		}
		keccakAbsorb(&a, block)
		keccakPermute(&a)
		for i := range a {
			state[i][j] = a[i]
		}
	}
}
