package hash

// Sixteen is the largest number of hashes that are computed at a time.
const Sixteen = 16

// Challenges sets out[j] to the [Challenge] of row j, for j < n ≤ Sixteen. A row holds the nonce
// point, the key and the message, 32 bytes each. The other 32 bytes of each row, the rows from n on
// and their results have no meaning, before or after the call.
//
// With vectors of 512 bits, sixteen rows take a quarter of the time of sixteen calls of Challenge,
// which use the CPU's SHA-256 instructions. Without such vectors, Challenges uses these
// instructions for two rows at a time.
func Challenges(out *[Sixteen][32]byte, rows *[Sixteen * RowSize]byte, n int) {
	//ct:secret rows[64]&1 == 1
	_ = out[:n]
	if n > 0 && haveLanes() { //ct:unrun-portable for AVX-512, which the other build has
		taggedRows(out, rows, challengeState(), n)
		return
	}
	for j := range n {
		row := rows[j*RowSize:]
		Challenge(&out[j], (*[32]byte)(row), (*[32]byte)(row[32:]), row[64:96])
	}
}

// SharedSecrets sets out[j] to the [SharedSecret] of point j and k, for j < n ≤ Sixteen. The other
// results have no meaning. It uses more stack than secret.Do wipes; call it under secret.DoDeep.
func SharedSecrets(out *[Sixteen][32]byte, points *[Sixteen][33]byte, k uint32, n int) {
	//ct:secret points[0][32]&1 == 1
	_ = out[:n]
	if n > 0 && haveLanes() { //ct:unrun-portable for AVX-512, which the other build has
		sharedSecrets(out, points, k, n)
		return
	}
	for j := range n {
		SharedSecret(&out[j], &points[j], k)
	}
}
