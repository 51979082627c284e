package engine

import (
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
)

// putAddresses writes the Ethereum address (Yellow Paper, appendix F) of each key that the job j
// found. out has one slot for each row of the block, and the key of row i goes to slot i. The slots
// of rows without a key keep their bytes.
func putAddresses(out []byte, j *Job) {
	var group addresses
	for place, p := range j.Points {
		if group.n == len(group.keys) {
			group.put(out)
		}
		group.add(place, p)
	}
	group.put(out)
}

// addresses collects keys whose hashes are computed together: two keys for each vector lane of the
// hash, so that fewer calls clear memory for their results.
type addresses struct {
	n      int                          // number of keys
	places [16]int                      // the row in the block of each key
	keys   [16][device.KeySize - 1]byte // both coordinates of each key
}

// add adds the key p of the row with number place in the block. The collection a must not be full.
func (a *addresses) add(place int, p *point.Affine) {
	a.places[a.n] = place
	key := &a.keys[a.n]
	p.X.PutBytes((*[32]byte)(key[:32]))
	p.Y.PutBytes((*[32]byte)(key[32:]))
	a.n++
}

// put writes the address of each collected key to the key's slot in out, and empties the
// collection.
func (a *addresses) put(out []byte) {
	var messages [len(a.keys)][]byte
	var sums [len(a.keys)][32]byte
	for i := range a.n {
		messages[i] = a.keys[i][:]
	}
	hash.Keccak256Each(sums[:], messages[:a.n])
	for i, place := range a.places[:a.n] {
		copy(out[place*device.AddressSize:][:device.AddressSize], sums[i][32-device.AddressSize:])
	}
	a.n = 0
}
