package frost_test

import (
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/x/frost"
)

// Participants 0 and 2 of 3 sign for a key that a dealer has split.
func Example() {
	const t, n = 2, 3
	shares, commitment, err := frost.Deal(koblitz.GenerateKey(), t, n)
	if err != nil {
		fmt.Println(err)
		return
	}
	key, err := commitment.PublicKey()
	if err != nil {
		fmt.Println(err)
		return
	}
	ids := []uint32{0, 2}
	signers, err := frost.NewSigners(t, n, ids,
		[]*koblitz.PublicKey{shares[0].PublicKey(), shares[2].PublicKey()}, key)
	if err != nil {
		fmt.Println(err)
		return
	}

	// Round 1: each signer sends its public nonce to the coordinator, who adds them.
	first, err1 := frost.GenerateNonce(nil)
	second, err2 := frost.GenerateNonce(nil)
	if err1 != nil || err2 != nil {
		fmt.Println(err1, err2)
		return
	}
	nonces := []*frost.PublicNonce{first.Public(), second.Public()}
	sum, err := frost.AggregateNonces(nonces)
	if err != nil {
		fmt.Println(err)
		return
	}

	// Round 2: each signer sends its partial signature.
	session, err := frost.NewSession(signers, sum, nil, []byte("message"))
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err1 := session.Sign(first, 0, shares[0])
	b, err2 := session.Sign(second, 2, shares[2])
	if err1 != nil || err2 != nil {
		fmt.Println(err1, err2)
		return
	}
	if err := session.VerifyPartials(nonces, [][]byte{a, b}); err != nil {
		fmt.Println(err) // names the signers whose partial signatures are wrong
	}
	signature, err := session.Aggregate([][]byte{a, b})
	fmt.Println(schnorr.Verify(key.XOnlyPublicKey(), []byte("message"), signature), err)
	// Output: true <nil>
}
