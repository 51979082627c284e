//ct:public takes public keys, nonces and parts of signatures of MuSig2

package musig2

import (
	"bytes"
	"sort"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// encodings returns the keys in compressed form.
func encodings(keys []*secp256k1.PublicKey) []encoded {
	all := make([]encoded, len(keys))
	for i, key := range keys {
		copy(all[i][:], key.SerializeCompressed())
	}
	return all
}

// byEncoding sorts keys by their encodings. It implements sort.Interface in order to use package
// sort, as the replaced package does: callers see the order in which package sort leaves equal
// keys, and rely on it.
type byEncoding struct {
	keys []*secp256k1.PublicKey
	all  []encoded
}

// Len returns the number of keys.
func (s byEncoding) Len() int { return len(s.keys) }

// Less compares the encodings of the keys i and j.
func (s byEncoding) Less(i, j int) bool { return bytes.Compare(s.all[i][:], s.all[j][:]) < 0 }

// Swap exchanges the keys i and j and their encodings.
func (s byEncoding) Swap(i, j int) {
	s.keys[i], s.keys[j] = s.keys[j], s.keys[i]
	s.all[i], s.all[j] = s.all[j], s.all[i]
}

// sortKeys sorts keys in place ("KeySort" of BIP-327), along with their encodings. If the keys are
// already sorted, it does not write to the slices.
func sortKeys(keys []*secp256k1.PublicKey, all []encoded) {
	if s := (byEncoding{keys, all}); !sort.IsSorted(s) {
		sort.Sort(s)
	}
}
