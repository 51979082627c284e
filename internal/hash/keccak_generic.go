//ct:unrun-portable for AVX-512, which the other build has

package hash

// absorbGeneric xors blocks[j] into Keccak state number j, whose lane (x, y) is state[x + 5y][j],
// and applies Keccak-f[1600] to the result, for eight states. If bit 1<<j of keep is not set, state
// j counts as all zeros.
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
