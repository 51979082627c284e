package group_test

import (
	"fmt"

	"github.com/koblitz-go/koblitz/group"
)

// A Schnorr proof of knowledge of the discrete logarithm x of X. The prover
// holds x and r and multiplies in constant time; the verifier holds nothing
// secret.
func Example() {
	x, r := group.RandomScalar(), group.RandomScalar()
	public := new(group.Point).ScalarBaseMult(x)
	commitment := new(group.Point).ScalarBaseMult(r)

	challenge := new(group.Scalar).SetUint64(0x1234) // a protocol hashes what was said so far

	response := new(group.Scalar).Mul(challenge, x)
	response.Add(response, r)

	// response·G − challenge·X is the commitment.
	minus := new(group.Scalar).Neg(challenge)
	check := new(group.Point).DoubleScalarBaseMultVartime(response, minus, public)
	fmt.Println(check.Equal(commitment))
	// Output: true
}
