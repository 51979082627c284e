package ellswift

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
	"github.com/koblitz-go/koblitz/internal/swiftec"
)

// Create returns a random encoding of the public key of key, as [Encode] does. It draws the
// encoding from a hash of the private key and aux. So the encoding hides the public key even if aux
// is constant or known, as long as the private key is neither.
//
// aux is randomness of 32 bytes. If it is nil, Create takes fresh bytes from crypto/rand. The same
// key and the same aux give the same encoding.
//
// Create returns an error if key is nil, a zero value or zeroized, or if aux has another length.
// The time depends on the public key and on the encoding, but not on the private key.
func Create(key *koblitz.PrivateKey, aux []byte) ([]byte, error) {
	random, err := auxiliary(aux)
	if err != nil {
		return nil, err
	}
	var s stream
	secret.DoDeep(func() {
		var d scalar.Scalar
		var b [32]byte
		if !(*keys.Private)(key).Load(&d) {
			err = koblitz.ErrZeroKey
			return
		}
		d.PutBytes(&b)
		d.Wipe()
		//ct:secret b[31]&1 == 1
		hash.Tagged(&s.seed, "koblitz/ellswift/create", b[:], random[:])
		ct.Wipe(b[:])
	})
	if err != nil {
		return nil, err
	}
	// The number of draws depends on the seed, which tells nothing about the key: it is a hash.
	ct.DeclassifyBytes(s.seed[:])
	p := (*keys.Private)(key).Public()
	if p == nil { //ct:unrun when another goroutine zeroizes the key meanwhile
		return nil, koblitz.ErrZeroKey
	}
	return encode(p.Affine(), &s), nil
}

var errFault = errors.New("ellswift: a fault in the computation")

// auxiliary returns the 32 bytes of aux, or 32 bytes from crypto/rand if aux is nil.
func auxiliary(aux []byte) (random [32]byte, err error) {
	switch {
	case aux == nil:
		rand.Read(random[:])
	case len(aux) != len(random):
		err = fmt.Errorf("ellswift: aux: %d bytes, want %d", len(aux), len(random))
	default:
		copy(random[:], aux)
	}
	return random, err
}

// SharedSecret returns the secret that key's owner shares with the owner of another key, 32 bytes,
// after both have sent an encoding of their public key (v2_ecdh of BIP-324). ours is the encoding
// that this party has sent, and theirs the one that it has received, 64 bytes each. The party that
// initiated the connection sets initiating; the other one does not. The caller should overwrite the
// secret after use.
//
// The secret is a hash of both encodings, the initiator's first, and of the x coordinate of the
// product of key and the point that theirs encodes, with the tag bip324_ellswift_xonly_ecdh. The
// product is never infinity. SharedSecret does not check that ours encodes the public key of key.
//
// There is an error if key is nil, a zero value or zeroized, if an encoding has another length, or
// after a fault of the machine that changed the key or the peer's point during the call. A later
// fault gives another secret, which reveals nothing. The time depends on the encodings and on
// initiating, but not on key or the secret.
func SharedSecret(
	key *koblitz.PrivateKey, ours, theirs []byte, initiating bool,
) ([]byte, error) {
	return AppendSharedSecret(nil, key, ours, theirs, initiating)
}

// AppendSharedSecret appends the 32 bytes of SharedSecret to dst and returns the extended slice. It
// does not allocate if dst has the capacity. If there is an error, it returns dst unchanged.
func AppendSharedSecret(
	dst []byte, key *koblitz.PrivateKey, ours, theirs []byte, initiating bool,
) (out []byte, err error) {
	if err := checkLength("ours", ours); err != nil {
		return dst, err
	}
	if err := checkLength("theirs", theirs); err != nil {
		return dst, err
	}
	// Copy the encodings: the secret must be bound to the encoding that gave the peer's point.
	initiator, responder := [Size]byte(theirs), [Size]byte(ours)
	var peer swiftec.X
	peer.SetBytes(&initiator)
	if initiating {
		initiator, responder = responder, initiator
	}
	out = slices.Grow(dst, 32)
	secret.DoDeep(func() {
		var d scalar.Scalar
		if !(*keys.Private)(key).Load(&d) {
			d.Wipe()
			err = koblitz.ErrZeroKey
			return
		}
		var x [32]byte
		ok := peer.Mult(&x, &d) && (*keys.Private)(key).Unchanged(&d)
		d.Wipe()
		if !ok { //ct:unrun no case makes a fault
			ct.Wipe(x[:])
			err = errFault
			return
		}
		//ct:secret x[31]&1 == 1
		hash.Ellswift(&x, &initiator, &responder, &x)
		//ct:secret x[31]&1 == 1
		out = append(out, x[:]...)
		ct.Wipe(x[:])
	})
	if err != nil {
		return dst, err
	}
	return out, nil
}
