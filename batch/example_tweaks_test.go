package batch_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
)

// The public keys of the first children of an account's extended public key, by BIP-32 (CKDpub).
func ExampleTweakRows_AddVartime() {
	// The key and the chain code of m/0H in BIP-32's test vector 1.
	key, _ := hex.DecodeString("035a784662a4a20a65bf6aab9ae98a6c068a81c52e4b032c0fb5400c706cfccc56")
	chain, _ := hex.DecodeString("47fdacbd0f1097043b78c63c20c34ef4ed9a111d980047ad16282c7ae6236141")

	const n = 1000
	hashes := make([]byte, 0, 64*n)
	mac := hmac.New(sha512.New, chain)
	for i := range uint32(n) {
		mac.Reset()
		mac.Write(key)
		mac.Write(binary.BigEndian.AppendUint32(nil, i))
		hashes = mac.Sum(hashes) // 32 bytes of the tweak, and 32 of the child's chain code
	}
	verdicts, children := make([]batch.Verdict, n), make([]byte, 65*n)
	_, err := batch.TweakRows{
		Keys:   batch.Same(key),
		Tweaks: batch.Strided(hashes, 32, 64),
	}.AddVartime(context.Background(), children, verdicts, nil)
	if err != nil {
		panic(err)
	}
	for i, verdict := range verdicts[:3] {
		if verdict != batch.Valid { // there is no child i; BIP-32 proceeds with i + 1
			continue
		}
		child, chainCode := children[65*i:][:65], hashes[64*i+32:][:32]
		fmt.Printf("%d: %02x%x, %x…\n", i, 2+child[64]&1, child[1:33], chainCode[:4])
	}
	// Output:
	// 0: 033171c5f58a4504363dba2ca6cb7d6275f743bc8dada02dffef75912eaeeacf13, fcf758fc…
	// 1: 03501e454bf00751f24b1b489aa925215d66af2234e3891c3b21a52bedb3cd711c, 2a785763…
	// 2: 03d7d82ba2a4ba35f9306b801f76b69ef36f29a7525ec5c1e6c5ccdcd496e7ee17, 5fcc9eb0…
}

// The check of a taproot output that is spent by a script path (BIP-341).
func ExampleTweakCheckRows_Verify() {
	key := koblitz.GenerateKey().XOnlyPublicKey()
	root := sha256.Sum256([]byte("the root of a tree of scripts"))
	tag := sha256.Sum256([]byte("TapTweak"))
	tweak := sha256.Sum256(slices.Concat(tag[:], tag[:], key.Bytes(), root[:]))
	output, err := key.TweakAdd(tweak[:])
	if err != nil {
		panic(err)
	}
	parity := output.Bytes()[0] & 1

	verdicts := make([]batch.Verdict, 2)
	valid, err := batch.TweakCheckRows{
		Keys:     batch.Same(key.Bytes()),
		Tweaks:   batch.Same(tweak[:]),
		Outputs:  batch.Same(output.XOnlyPublicKey().Bytes()),
		Parities: batch.Packed([]byte{parity, 1 - parity}, 1),
	}.Verify(context.Background(), verdicts, nil)
	fmt.Println(verdicts, valid, err)
	// Output: [valid invalid] 1 <nil>
}
