//ct:public takes public nonces

package musig2

import (
	"errors"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/musig"
	"github.com/koblitz-go/koblitz/internal/point"
)

// NonceSize is the length in bytes of an encoded PublicNonce or AggregateNonce.
const NonceSize = musig.NonceSize

// A PublicNonce is one signer's public nonce: two points of the curve. It does not change. The zero
// value holds no nonce.
type PublicNonce struct {
	_     [0]func() // forbids comparison with ==
	n     musig.Nonce
	valid bool
}

// ParsePublicNonce returns the public nonce that b encodes: 66 bytes, two points in compressed
// form. The error says which bytes are wrong. The time depends on b.
func ParsePublicNonce(b []byte) (*PublicNonce, error) {
	n := new(PublicNonce)
	if err := parseNonce(&n.n, b, "public nonce", false); err != nil {
		return nil, err
	}
	n.valid = true
	return n, nil
}

// IsZero reports whether n holds no nonce: it is nil or a zero value.
func (n *PublicNonce) IsZero() bool { return n == nil || !n.valid }

// Bytes returns the 66 bytes that encode n, or nil if n holds no nonce.
func (n *PublicNonce) Bytes() []byte {
	if n.IsZero() {
		return nil
	}
	b := n.n.Bytes()
	return b[:]
}

// Equal reports whether n and other are the same nonce. It returns false if n or other holds none.
func (n *PublicNonce) Equal(other *PublicNonce) bool {
	return !n.IsZero() && !other.IsZero() && n.n == other.n
}

// An AggregateNonce is the sum of the public nonces of all signers: two points of the curve, each
// of which may be infinity. It does not change. The zero value holds no nonce.
type AggregateNonce struct {
	_     [0]func() // forbids comparison with ==
	n     musig.Nonce
	valid bool
}

// AggregateNonces returns the sum of the public nonces of all signers (NonceAgg). Their order does
// not matter. The time depends on them.
//
// There is an error if there are no nonces. If a nonce is nil or a zero value, the error has its
// index.
func AggregateNonces(nonces ...*PublicNonce) (*AggregateNonce, error) {
	if len(nonces) == 0 {
		return nil, errors.New("musig2: aggregate: no nonces")
	}
	nonces = slices.Clone(nonces) // those that are checked are added up
	for i, n := range nonces {
		if n.IsZero() {
			return nil, fmt.Errorf("musig2: aggregate: public nonce %d: nil or a zero value", i)
		}
	}
	sum := &AggregateNonce{valid: true}
	sum.n.Aggregate(len(nonces), func(i int) *musig.Nonce { return &nonces[i].n })
	return sum, nil
}

// ParseAggregateNonce returns the aggregate nonce that b encodes: 66 bytes, two points in
// compressed form. 33 zero bytes stand for infinity (cpoint_ext). The error says which bytes are
// wrong. The time depends on b.
func ParseAggregateNonce(b []byte) (*AggregateNonce, error) {
	n := new(AggregateNonce)
	if err := parseNonce(&n.n, b, "aggregate nonce", true); err != nil {
		return nil, err
	}
	n.valid = true
	return n, nil
}

// IsZero reports whether n holds no nonce: it is nil or a zero value.
func (n *AggregateNonce) IsZero() bool { return n == nil || !n.valid }

// Bytes returns the 66 bytes that encode n, or nil if n holds no nonce.
func (n *AggregateNonce) Bytes() []byte {
	if n.IsZero() {
		return nil
	}
	b := n.n.Bytes()
	return b[:]
}

// Equal reports whether n and other are the same nonce. It returns false if n or other holds none.
func (n *AggregateNonce) Equal(other *AggregateNonce) bool {
	return !n.IsZero() && !other.IsZero() && n.n == other.n
}

// parseNonce sets n to the nonce that b encodes. The noun names it in errors. If infinity is set,
// 33 zero bytes are accepted.
func parseNonce(n *musig.Nonce, b []byte, noun string, infinity bool) error {
	if len(b) != NonceSize {
		return fmt.Errorf("musig2: %s: %d bytes, want %d", noun, len(b), NonceSize)
	}
	for i := range n {
		at := i * len(musig.Encoded{})
		e := musig.Encoded(b[at:]) // a copy, which the caller cannot change meanwhile
		if infinity && e == (musig.Encoded{}) {
			n[i] = point.Affine{}
			continue
		}
		if e[0] != 2 && e[0] != 3 {
			return fmt.Errorf("musig2: %s: byte %d is %#02x, want 0x02 or 0x03", noun, at, e[0])
		}
		inField, onCurve := n[i].LiftXBytesVartime((*[32]byte)(e[1:]), ct.Choice(e[0]&1))
		if !inField {
			return fmt.Errorf("musig2: %s: x of point %d (bytes %d to %d) is not below the field prime p",
				noun, i+1, at+1, at+32)
		}
		if !onCurve {
			return fmt.Errorf("musig2: %s: x of point %d (bytes %d to %d) is not the x coordinate of "+
				"a point of the curve", noun, i+1, at+1, at+32)
		}
		n[i].Normalize()
	}
	return nil
}
