package ethereum

import (
	"bytes"
	"math/big"
	"strings"
	"testing"
)

// TestQuantity checks that numbers have the value of their digits, whatever the case of letters and
// the number of zeros before them, and that everything else is refused.
func TestQuantity(t *testing.T) {
	digits := "0123456789abcdeffedcba98765432100f1e2d3c4b5a69788796a5b4c3d2e1f0"
	var q quantity
	for n := range len(digits) + 1 {
		want, _ := new(big.Int).SetString("0"+digits[:n], 16)
		for _, text := range []string{"0" + digits[:n], strings.ToUpper("0" + digits[:n])} {
			if err := q.UnmarshalJSON([]byte(`"0x` + text + `"`)); err != nil || q == nil ||
				!bytes.Equal(q, want.Bytes()) {
				t.Errorf("%s: %x, %v", text, q, err)
			}
			if got, ok := q.uint64(); ok != want.IsUint64() || ok && got != want.Uint64() {
				t.Errorf("%s: %d, %v", text, got, ok)
			}
		}
	}
	for _, text := range []string{`"0x"`, `"0X1"`, `"1"`, `1`, `""`, `"0xg"`, `"0x1 "`, `"-0x1"`,
		`"0x1` + digits + `"`, `"0x123456789` + digits + `"`} {
		if err := q.UnmarshalJSON([]byte(text)); err == nil || !strings.Contains(err.Error(), text[:1]) ||
			!strings.Contains(err.Error(), " is not a number ") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
