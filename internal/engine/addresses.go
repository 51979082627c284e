package engine

import (
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/hash"
)

// putAddresses writes the Ethereum address (Yellow Paper, appendix F) of each key that the job j
// found. dst has one slot for each row of the block, and the address for row i goes to slot i. The
// slots of rows without a key keep their bytes.
func putAddresses(dst []byte, j *job) {
	// Keys are hashed together, two for each vector lane of the hash, so that fewer calls clear
	// memory for their results.
	var rows [16]int
	var keys [len(rows)][device.KeySize - 1]byte // both coordinates of each key
	n := 0
	put := func() {
		var messages [len(rows)][]byte
		var sums [len(rows)][32]byte
		for i := range n {
			messages[i] = keys[i][:]
		}
		hash.Keccak256Each(sums[:], messages[:n])
		for i, row := range rows[:n] {
			copy(dst[row*device.AddressSize:][:device.AddressSize], sums[i][32-device.AddressSize:])
		}
		n = 0
	}
	for row, p := range j.points {
		if n == len(rows) {
			put()
		}
		rows[n] = row
		p.X.PutBytes((*[32]byte)(keys[n][:32]))
		p.Y.PutBytes((*[32]byte)(keys[n][32:]))
		n++
	}
	put()
}
