package engine

import (
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/hash"
)

// putAddresses writes the Ethereum address (Yellow Paper, appendix F) of the key of each Valid row.
// dst has one slot for each row. The slots of other rows keep their bytes.
func putAddresses(dst []byte, rows []row) {
	// Sixteen keys are hashed at a time, two for each vector lane of the hash. Every call of put
	// clears memory for its results, and larger groups need fewer calls.
	var list [16]int
	var keys [len(list)][device.KeySize - 1]byte // both coordinates of each key
	n := 0
	put := func() {
		var messages [len(list)][]byte
		var sums [len(list)][32]byte
		for i := range n {
			messages[i] = keys[i][:]
		}
		hash.Keccak256Each(sums[:], messages[:n])
		for i, k := range list[:n] {
			copy(dst[k*device.AddressSize:][:device.AddressSize], sums[i][32-device.AddressSize:])
		}
		n = 0
	}
	for k := range rows {
		if rows[k].verdict != Valid {
			continue
		}
		if n == len(list) {
			put()
		}
		list[n] = k
		rows[k].p.X.PutBytes((*[32]byte)(keys[n][:32]))
		rows[k].p.Y.PutBytes((*[32]byte)(keys[n][32:]))
		n++
	}
	put()
}
