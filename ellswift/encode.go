//ct:public encodes public keys

package ellswift

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/swiftec"
)

// Size is the length of an encoding in bytes.
const Size = 64

// Encode returns a random encoding of key: u and t, 32 bytes each, big-endian. All encodings of the
// key are equally likely, up to a negligible difference.
//
// aux is randomness of 32 bytes. If it is nil, Encode takes fresh bytes from crypto/rand. The same
// key and the same aux give the same encoding. Someone who knows both recognises it, so aux must be
// fresh and secret. [Create] does not need that, but the private key.
//
// Encode returns an error if key is nil or a zero value, or if aux has another length. The time
// depends on key and on the encoding.
func Encode(key *koblitz.PublicKey, aux []byte) ([]byte, error) {
	p := (*keys.Public)(key).Affine()
	if p == nil {
		return nil, koblitz.ErrZeroKey
	}
	random, err := auxiliary(aux)
	if err != nil {
		return nil, err
	}
	var s stream
	hash.Tagged(&s.seed, "koblitz/ellswift/encode", key.Bytes(), random[:])
	return encode(p, &s), nil
}

// encode returns the encoding of p that the stream determines. It is the algorithm of BIP-324's
// xelligatorswift: it draws u and one of the eight branches of the inverse map until this branch
// has a t for u. One draw of four succeeds. Exactly one branch leads to each pair (u, t), except
// for a negligible part of them, so all pairs are equally likely (ePrint 2022/759).
//
// u is not reduced modulo p, because an observer expects 32 uniformly random bytes.
func encode(p *point.Affine, s *stream) []byte {
	var branches [32]byte
	for draw := 0; ; draw++ {
		if draw%len(branches) == 0 {
			s.next(&branches)
		}
		var b [Size]byte
		s.next((*[32]byte)(b[:]))
		if complete(&b, p, int(branches[draw%len(branches)])) {
			return b[:]
		}
	}
}

// complete sets the second half of b to a t with which the u in its first half encodes p, and
// reports whether the given branch has one. If u or t is 0, complete returns false, because Decode
// replaces 0 by 1. Each case has a probability of about 2^-256.
//
// The branches with and without bit 2 lead to t and −t. BIP-324, which encodes only the x
// coordinate, leaves the choice to that bit. Here the parity of y decides, as in libsecp256k1.
func complete(b *[Size]byte, p *point.Affine, branch int) bool {
	var u, t field.Element
	u.SetBytes((*[32]byte)(b[:]))
	if u.IsZero().Bool() || !swiftec.Inverse(&t, &u, &p.X, branch) || t.IsZero().Bool() {
		return false
	}
	// t and −t encode the same x coordinate, and one of them is odd.
	t.CondNeg(&t, t.IsOdd()^p.Y.IsOdd())
	t.PutBytes((*[32]byte)(b[32:]))
	return true
}

// A stream is a sequence of blocks of 32 random bytes: SHA-256 of the seed and the number of the
// block.
type stream struct {
	seed   [32]byte
	blocks uint32
}

// next sets b to the next block.
func (s *stream) next(b *[32]byte) {
	var in [36]byte
	copy(in[:], s.seed[:])
	binary.BigEndian.PutUint32(in[32:], s.blocks)
	s.blocks++
	*b = sha256.Sum256(in[:])
}

// Decode returns the public key that b encodes: the key with the x coordinate that XSwiftEC of
// BIP-324 returns for u and t, the two halves of b, and with an odd y coordinate if t mod p is odd.
//
// Every b of 64 bytes encodes a key. Decode returns an error if b has another length. The time
// depends on b.
func Decode(b []byte) (*koblitz.PublicKey, error) {
	if err := checkLength("encoding", b); err != nil {
		return nil, err
	}
	encoding := [Size]byte(b) // x and the parity come from the same bytes, even if b changes
	var x swiftec.X
	x.SetBytes(&encoding)
	var p point.Affine
	var t field.Element
	x.Put(&p.X)
	t.SetBytes((*[32]byte)(encoding[32:]))
	p.LiftXVartime(&p.X, t.IsOdd())
	k := new(koblitz.PublicKey)
	(*keys.Public)(k).SetAffine(&p)
	return k, nil
}

// checkLength returns an error if b, which has the given name, is no encoding.
func checkLength(name string, b []byte) error {
	if len(b) != Size {
		return fmt.Errorf("ellswift: %s: %d bytes, want %d", name, len(b), Size)
	}
	return nil
}
