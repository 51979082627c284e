package secp256k1

import (
	"fmt"
	"io"
	"math/big"
)

var curveParams = Params()

var endoNegLambda = hexToModNScalar(
	"ac9c52b33fa3cf1f5ad9e3fd77ed9ba4a880b9fc8ec739c2e0cfc810b51283cf")

// number returns the number in hexadecimal digits, with or without a sign.
func number(digits string) *big.Int {
	n := new(big.Int)
	if _, err := fmt.Sscanf(digits+" ", "%x", n); err != nil && digits != "" {
		panic(err)
	}
	return n
}

func fromHex(digits string) *big.Int { return number(digits) }

func hexToFieldVal(digits string) *FieldVal {
	f := new(FieldVal)
	f.SetByteSlice(number(digits).Bytes())
	return f
}

func hexToModNScalar(digits string) *ModNScalar {
	n, s := number(digits), new(ModNScalar)
	s.SetByteSlice(new(big.Int).Abs(n).Bytes())
	if n.Sign() < 0 {
		s.Negate()
	}
	return s
}

func bigAffineToJacobian(x, y *big.Int, p *JacobianPoint) {
	p.X.SetByteSlice(x.Bytes())
	p.Y.SetByteSlice(y.Bytes())
	p.Z.SetInt(1)
}

func isOnCurve(x, y *FieldVal) bool { return NewPublicKey(x, y).IsOnCurve() }

func generatePrivateKey(random io.Reader) (*PrivateKey, error) {
	return GeneratePrivateKeyFromRand(random)
}

func makeError(kind ErrorKind, text string) Error { return Error{Err: kind, Description: text} }

func scalarBaseMultNonConstFast(k *ModNScalar, p *JacobianPoint) { ScalarBaseMultNonConst(k, p) }

func scalarBaseMultNonConstSlow(k *ModNScalar, p *JacobianPoint) { ScalarBaseMultNonConst(k, p) }
