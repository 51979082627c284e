package ecdsa

import "github.com/btcsuite/btcd/btcec/v2"

// The package's unexported errors, obtained from a call that returns them.
var (
	errNoHeaderMagic = VerifyLowS(make([]byte, MinSigLen))
	errHighS         = VerifyLowS(highS())
)

// highS returns a signature with r = 1 and s = −1.
func highS() []byte {
	s := new(btcec.ModNScalar).SetInt(1)
	b := s.Negate().Bytes()
	return append([]byte{0x30, 38, 2, 1, 1, 2, 33, 0}, b[:]...)
}
