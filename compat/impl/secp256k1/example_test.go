package secp256k1_test

import (
	"fmt"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

func ExamplePrivKeyFromBytes() {
	key := secp256k1.PrivKeyFromBytes([]byte{1})
	fmt.Printf("%x\n", key.PubKey().SerializeCompressed())
	// Output: 0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798
}

func ExampleAddNonConst() {
	var g, sum secp256k1.JacobianPoint
	secp256k1.ScalarBaseMultNonConst(new(secp256k1.ModNScalar).SetInt(1), &g)
	secp256k1.AddNonConst(&g, &g, &sum)
	sum.ToAffine()
	fmt.Println(sum.X)
	// Output: c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5
}
