package musig2

import (
	"bytes"
	"sort"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// encodings returns the keys in compressed form.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2
func encodings(keys []*secp256k1.PublicKey) []encoded {
	all := make([]encoded, len(keys))
	for i, key := range keys {
		copy(all[i][:], key.SerializeCompressed())
	}
	return all
}

// byEncoding are keys with their encodings. It does what package sort asks for, so that of
// equal keys each ends where callers of that package's Sort have always found it.
type byEncoding struct {
	keys []*secp256k1.PublicKey
	all  []encoded
}

// Len returns how many keys there are.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2
func (s byEncoding) Len() int { return len(s.keys) }

// Less compares encodings.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2
func (s byEncoding) Less(i, j int) bool { return bytes.Compare(s.all[i][:], s.all[j][:]) < 0 }

// Swap swaps keys and encodings.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2
func (s byEncoding) Swap(i, j int) {
	s.keys[i], s.keys[j] = s.keys[j], s.keys[i]
	s.all[i], s.all[j] = s.all[j], s.all[i]
}

// sortKeys sorts the keys in place ("KeySort" of BIP-327), along with their encodings. Keys
// that are sorted are not written to.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2
func sortKeys(keys []*secp256k1.PublicKey, all []encoded) {
	if s := (byEncoding{keys, all}); !sort.IsSorted(s) {
		sort.Sort(s)
	}
}

// keysHash returns the hash of all keys ("HashKeys" of BIP-327).
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2
func keysHash(all []encoded) []byte {
	joined := make([]byte, 0, len(all)*len(encoded{}))
	for i := range all {
		joined = append(joined, all[i][:]...)
	}
	var h [32]byte
	tagged(&h, KeyAggTagList, joined)
	return h[:]
}

// secondKey returns the index of the first key that is not the first one ("GetSecondKey" of
// BIP-327), or −1 if all are the same.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2
func secondKey(all []encoded) int {
	for i := range all {
		if all[i] != all[0] {
			return i
		}
	}
	return -1
}
