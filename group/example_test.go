package group_test

import (
	"crypto/sha256"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/schnorr"
)

// The verification of BIP-340 from its parts: s·G − e·P must be the point with the
// x coordinate R of the signature and an even y coordinate. The challenge e is a hash
// modulo n. (Programs call schnorr.Verify.)
func ExampleScalar_SetBytesReduced() {
	key := koblitz.GenerateKey()
	public := key.XOnlyPublicKey()
	message := []byte("the message")
	signature, err := schnorr.Sign(key, message, nil)
	if err != nil {
		panic(err)
	}

	tag := sha256.Sum256([]byte("BIP0340/challenge"))
	h := sha256.New()
	for _, part := range [][]byte{tag[:], tag[:], signature[:32], public.Bytes(), message} {
		h.Write(part)
	}
	e, err := new(group.Scalar).SetBytesReduced(h.Sum(nil))
	if err != nil {
		panic(err)
	}
	s, err := new(group.Scalar).SetBytes(signature[32:]) // refuses s ≥ n
	if err != nil {
		panic(err)
	}
	p, err := new(group.Point).SetXOnlyPublicKey(public)
	if err != nil {
		panic(err)
	}
	r := new(group.Point).DoubleScalarBaseMultVartime(s, e.Negate(e), p)
	evenR := append([]byte{2}, signature[:32]...) // compressed, with an even y coordinate
	fmt.Println(string(r.Bytes()) == string(evenR))
	fmt.Println(schnorr.Verify(public, message, signature))
	// Output:
	// true
	// true
}
