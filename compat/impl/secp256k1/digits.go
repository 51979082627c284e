package secp256k1

import "github.com/koblitz-go/koblitz/internal/ct"

// digits returns number in hexadecimal, and overwrites number with zeros. Its running time does not
// depend on the number, unlike that of encoding/hex, which reads a table at secret indices.
func digits(number *[32]byte) string {
	var text [64]byte
	for i, b := range number {
		text[2*i], text[2*i+1] = digit(b>>4), digit(b&15)
	}
	ct.Wipe(number[:])
	s := string(text[:])
	ct.Wipe(text[:])
	return s
}

// digit returns the hexadecimal digit of d, which must be less than 16.
func digit(d byte) byte {
	//ct:secret d > 9
	letter := (9 - d) >> 7 // 1 if d > 9, otherwise 0
	return '0' + d + letter*('a'-10-'0')
}
