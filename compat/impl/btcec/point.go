package btcec

import (
	"fmt"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// ParseJacobian returns the point that the 33 bytes of point encode: a compressed public key, or
// infinity if the first byte is 0, even if other bytes are not. If they encode no point, it returns
// a secp256k1.Error. The running time depends on the input.
func ParseJacobian(point []byte) (secp256k1.JacobianPoint, error) {
	var p secp256k1.JacobianPoint
	if len(point) != secp256k1.PubKeyBytesLenCompressed {
		return p, secp256k1.Error{
			Err:         secp256k1.ErrPubKeyInvalidLen,
			Description: fmt.Sprintf("invalid nonce: invalid length: %v", len(point)),
		}
	}
	b := [secp256k1.PubKeyBytesLenCompressed]byte(point) // read point once: it may change
	if b[0] == 0 {
		return p, nil
	}
	key, err := secp256k1.ParsePubKey(b[:])
	if err != nil {
		return p, err
	}
	key.AsJacobian(&p)
	return p, nil
}

// JacobianToByteSlice returns the point in compressed form, 33 bytes. If X and Y are both 0, it
// returns zeros.
func JacobianToByteSlice(point secp256k1.JacobianPoint) []byte {
	var infinity secp256k1.JacobianPoint
	if point.X == infinity.X && point.Y == infinity.Y {
		return make([]byte, secp256k1.PubKeyBytesLenCompressed)
	}
	point.ToAffine()
	return secp256k1.NewPublicKey(&point.X, &point.Y).SerializeCompressed()
}

// GeneratorJacobian sets jacobian to the generator G, with Z = 1.
func GeneratorJacobian(jacobian *secp256k1.JacobianPoint) {
	var one secp256k1.ModNScalar
	one.SetInt(1)
	secp256k1.ScalarBaseMultNonConst(&one, jacobian)
}
