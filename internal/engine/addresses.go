package engine

import (
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
)

// putAddresses writes the Ethereum addresses (Yellow Paper, appendix F) of the keys that j has
// found to their places in out, which has one place for each row of the block. It leaves other
// places as they are.
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

// addresses are keys whose hashes are computed together: two for each lane, so that fewer calls
// clear memory for their results.
type addresses struct {
	n      int                          // number of keys
	places [16]int                      // by key, its place in the block
	keys   [16][device.KeySize - 1]byte // both coordinates, without the first byte of the encoding
}

// add adds the key p of the row at a place of the block. a must not be full.
func (a *addresses) add(place int, p *point.Affine) {
	a.places[a.n] = place
	key := &a.keys[a.n]
	p.X.PutBytes((*[32]byte)(key[:32]))
	p.Y.PutBytes((*[32]byte)(key[32:]))
	a.n++
}

// put writes the addresses of the keys to their places in out, and removes the keys.
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
