package batch

import (
	"reflect"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/engine"
)

// TestEquationUsed: with recovery ids there is an equation for all rows, and
// without one of them there is none to be tried and lost.
func TestEquationUsed(t *testing.T) {
	k, err := koblitz.NewPrivateKey([]byte("thirty-two bytes of a secret key"))
	if err != nil {
		t.Fatal(err)
	}
	const n = 400
	hash := make([]byte, 32)
	key := k.PublicKey().Bytes()
	sigs := make([][]byte, n)
	for i := range sigs {
		hash[0], hash[1] = byte(i), byte(i>>8)
		if sigs[i], err = ecdsa.SignRecoverable(k, hash); err != nil {
			t.Fatal(err)
		}
	}
	b := NewECDSA(n)
	for _, without := range []int{-1, 0, n - 1, -1} {
		for name, verify := range map[string]func() bool{
			"Verify": b.Verify,
			"VerifyEach": func() bool {
				for _, v := range b.VerifyEach(nil) {
					if v != Valid {
						return false
					}
				}
				return true
			},
		} {
			b.Reset()
			b.equation = engine.Equation{}
			for i, sig := range sigs {
				hash[0], hash[1] = byte(i), byte(i>>8)
				if i == without {
					b.AddBytes(key, hash, sig[:64])
				} else {
					b.AddRecoverableBytes(key, hash, sig)
				}
			}
			if !verify() {
				t.Errorf("%s, row %d without an id: not valid", name, without)
			}
			if used := !reflect.DeepEqual(&b.equation, &engine.Equation{}); used != (without < 0) {
				t.Errorf("%s, row %d without an id: equation used: %v", name, without, used)
			}
		}
	}
}
