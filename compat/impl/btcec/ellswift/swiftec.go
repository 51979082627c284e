//ct:public encodes and decodes public keys

package ellswift

import (
	"crypto/rand"
	"errors"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/swiftec"
)

// ErrPointNotOnCurve is never returned, since every encoding decodes to a point.
var ErrPointNotOnCurve = errors.New("point does not exist on secp256k1 curve")

// XSwiftEC returns the x coordinate that the pair (u, t) encodes ("XSwiftEC" of BIP-324),
// normalized. It changes its arguments: it sets an argument that is 0 to 1, and doubles t if u³ + 7
// = −t². The error is always nil. The running time depends on u and t.
func XSwiftEC(u, t *secp256k1.FieldVal) (*secp256k1.FieldVal, error) {
	var r swiftec.X
	r.Decode((*field.Element)(u), (*field.Element)(t))
	x := new(field.Element)
	r.Put(x)
	return (*secp256k1.FieldVal)(x), nil
}

// XSwiftECInv returns the t for which the pair (u, t) encodes the x coordinate x ("XSwiftECInv" of
// BIP-324), normalized. It returns nil if the case caseNum has no t. Only the three lowest bits of
// caseNum count. The running time depends on all arguments.
func XSwiftECInv(u, x *secp256k1.FieldVal, caseNum int) *secp256k1.FieldVal {
	t := new(field.Element)
	if !swiftec.Inverse(t, (*field.Element)(u), (*field.Element)(x), caseNum) {
		return nil
	}
	return (*secp256k1.FieldVal)(t)
}

// XElligatorSwift returns a random u and a t for which the pair (u, t) encodes the x coordinate x,
// both normalized. The error is always nil. The running time depends on x.
func XElligatorSwift(x *secp256k1.FieldVal) (u, t *secp256k1.FieldVal, err error) {
	for {
		var b [32]byte
		var choice [1]byte
		rand.Read(b[:])
		rand.Read(choice[:])
		ct.DeclassifyBytes(b[:]) // u is part of the public encoding
		ct.DeclassifyBytes(choice[:])
		u := new(secp256k1.FieldVal)
		u.SetBytes(&b)
		u.Normalize()
		if t := XSwiftECInv(u, x, int(choice[0]&7)); t != nil {
			return u, t, nil
		}
	}
}
