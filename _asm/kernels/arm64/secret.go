package arm64

import "github.com/koblitz-go/koblitz/_asm/listing/arm64"

// ClearRegisters writes the kernel that zeroes all registers that a function may write.
func ClearRegisters(c arm64.Code) {
	for v := range arm64.Vec(32) {
		c.VEOR(v, v, v)
	}
	for r := arm64.R0; r <= arm64.R26; r++ {
		if r.Writable() {
			c.EOR(r, r, r)
		}
	}
	c.RET()
}
