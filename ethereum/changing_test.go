package ethereum_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/ethereum"
	"github.com/koblitz-go/koblitz/internal/changing"
)

// TestChangingBytes calls every exported function that takes bytes of a caller with bytes that
// change as soon as they are read again.
func TestChangingBytes(t *testing.T) {
	c := changing.NewCalls(t)
	for _, n := range []int{3, 32, 300} {
		first, second := bytes.Repeat([]byte{1}, n), bytes.Repeat([]byte{2}, n)
		c.Check("ethereum.PersonalHash message", first, second, func(b, _ []byte) any {
			return ethereum.PersonalHash(b)
		})
		c.Check("ethereum.ValidatorHash data", first, second, func(b, _ []byte) any {
			return ethereum.ValidatorHash(common.Address{1}, b)
		})
	}
	typed := func(name, value string) []byte {
		return fmt.Appendf(nil, `{"types":{"EIP712Domain":[{"name":"name","type":"string"}],`+
			`"A":[{"name":%q,"type":"uint256"}]},"primaryType":"A","domain":{"name":"n"},`+
			`"message":{%q:%q}}`, name, name, value)
	}
	c.Check("ethereum.TypedDataHash data", typed("v", "1000"), typed("w", "2000"),
		func(b, _ []byte) any { return fmt.Sprint(ethereum.TypedDataHash(b)) })

	key := private(t, repeated(1))
	var sigs [2][]byte
	for i := range sigs {
		sig, err := ethereum.Sign(key, common.Hash(repeated(byte(i))), nil)
		if err != nil {
			t.Fatal(err)
		}
		sigs[i] = sig[:]
	}
	for form := ethereum.YParity; form <= ethereum.Compact; form++ {
		var encoded [2][]byte
		for i := range encoded {
			var err error
			if encoded[i], err = ethereum.Signature(sigs[i]).AppendForm(nil, form); err != nil {
				t.Fatal(err)
			}
		}
		c.Check("ethereum.ParseSignature b", encoded[0], encoded[1], func(b, _ []byte) any {
			return fmt.Sprint(ethereum.ParseSignature(b, form))
		})
	}
	c.Check("ethereum.Sign o.Entropy", repeated(2), repeated(3), func(b, _ []byte) any {
		return fmt.Sprint(ethereum.Sign(key, common.Hash{}, &ecdsa.SignOptions{Entropy: b}))
	})
	c.Complete("../api", "ethereum")
}
