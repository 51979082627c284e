package ecdh

import (
	"errors"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// SharedX returns the x coordinate of key·peer, 32 bytes, big-endian (SEC 1 version 2, section
// 3.3.1). The caller should overwrite the result after use.
//
// SharedX returns an error if either key is nil or a zero value, or if the private key is zeroized.
// There is also an error after a fault of the machine that changed a key during the call. The time
// does not depend on the private key or the result.
func SharedX(key *koblitz.PrivateKey, peer *koblitz.PublicKey) ([]byte, error) {
	return AppendSharedX(nil, key, peer)
}

// AppendSharedX appends the 32 bytes of SharedX to dst and returns the extended slice. It does not
// allocate if dst has the capacity. If there is an error, it returns dst unchanged.
func AppendSharedX(dst []byte, key *koblitz.PrivateKey, peer *koblitz.PublicKey) ([]byte, error) {
	return appendShared(dst, key, (*keys.Public)(peer).Affine(), false)
}

// SharedXOnly works like SharedX, for a peer with an x-only key (BIP-340). The x coordinate of
// key·peer is the same for both points with the peer's x coordinate, and for key and its negative.
// So both parties compute the same bytes from each other's x-only keys. Nostr calls the result the
// shared point (NIP-04 and NIP-44).
func SharedXOnly(key *koblitz.PrivateKey, peer *koblitz.XOnlyPublicKey) ([]byte, error) {
	//ct:secret !key.IsZero() && key.Bytes()[31]&1 == 1
	return AppendSharedXOnly(nil, key, peer)
}

// AppendSharedXOnly appends the 32 bytes of SharedXOnly to dst and returns the extended slice. It
// does not allocate if dst has the capacity. If there is an error, it returns dst unchanged.
func AppendSharedXOnly(
	dst []byte, key *koblitz.PrivateKey, peer *koblitz.XOnlyPublicKey,
) ([]byte, error) {
	return appendShared(dst, key, (*keys.XOnly)(peer).Affine(), false)
}

// SharedSHA256 returns the SHA-256 of the compressed encoding of key·peer (33 bytes, SEC 1 version
// 2, section 2.3.3), like secp256k1_ecdh of libsecp256k1 by default, and as Lightning's BOLT 8
// specifies. It is 32 bytes, and the caller should overwrite it after use.
//
// There is an error if either key is nil or a zero value, if the private key is zeroized, or after
// a fault, as for [SharedX]. The time does not depend on the private key or the result.
func SharedSHA256(key *koblitz.PrivateKey, peer *koblitz.PublicKey) ([]byte, error) {
	return AppendSharedSHA256(nil, key, peer)
}

// AppendSharedSHA256 appends the 32 bytes of SharedSHA256 to dst and returns the extended slice. It
// does not allocate if dst has the capacity. If there is an error, it returns dst unchanged.
func AppendSharedSHA256(
	dst []byte, key *koblitz.PrivateKey, peer *koblitz.PublicKey,
) ([]byte, error) {
	return appendShared(dst, key, (*keys.Public)(peer).Affine(), true)
}

var errFault = errors.New("ecdh: a fault in the computation")

// appendShared appends to dst the x coordinate of key·peer, or the hash of that point. peer is a
// point of the curve, or nil.
func appendShared(
	dst []byte, key *koblitz.PrivateKey, peer *point.Affine, hashed bool,
) (out []byte, err error) {
	out = slices.Grow(dst, 32)
	secret.DoDeep(func() {
		var d scalar.Scalar
		if !(*keys.Private)(key).Load(&d) || peer == nil {
			d.Wipe()
			err = koblitz.ErrZeroKey
			return
		}
		var r point.Jacobian
		ecmult.ScalarMult(&r, &d, peer)
		var a point.Affine
		a.SetJacobian(&r) // r is finite: 0 < d < n, and n is prime
		//ct:secret a.Y.IsOdd().Bool()
		r.Wipe()
		// After a fault that changed the key or the peer, the result could reveal the key.
		ok := a.IsOnCurve().Reveal() && (*keys.Private)(key).Unchanged(&d)
		d.Wipe()
		if !ok { //ct:unrun no case makes a fault
			a.Wipe()
			err = errFault
			return
		}
		var b [33]byte
		b[0] = 0x02 | byte(a.Y.IsOdd())
		a.X.PutBytes((*[32]byte)(b[1:]))
		//ct:secret b[32]&1 == 1
		a.Wipe()
		if hashed {
			out = hash.AppendCompressed(out, &b)
		} else {
			out = append(out, b[1:]...)
		}
		ct.Wipe(b[:])
	})
	if err != nil {
		return dst, err
	}
	return out, nil
}
