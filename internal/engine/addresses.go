package engine

import (
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
)

// putAddresses sets out, which has the places of all rows of a block, to the Ethereum addresses
// (Yellow Paper, appendix F) of the keys that j has found. Other places stay as they are.
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

// addresses are keys whose hashes are computed together: twice as many as there are lanes, since a
// call has to make its memory ready.
type addresses struct {
	n      int // how many there are
	places [16]int
	keys   [16][device.KeySize - 1]byte // without the byte that says how they are encoded
}

// add adds the key p of the row at a place of the block. There is room for it.
func (a *addresses) add(place int, p *point.Affine) {
	a.places[a.n] = place
	key := &a.keys[a.n]
	p.X.PutBytes((*[32]byte)(key[:32]))
	p.Y.PutBytes((*[32]byte)(key[32:]))
	a.n++
}

// put puts the addresses of the keys at their places, and removes the keys.
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
