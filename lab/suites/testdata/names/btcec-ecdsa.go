package ecdsa

import "github.com/btcsuite/btcd/btcec/v2"

// These errors are found by what they are returned for.
var (
	errNoHeaderMagic = VerifyLowS(make([]byte, MinSigLen))
	errHighS         = VerifyLowS(highS())
)

// highS is a signature with r = 1 and s = −1.
func highS() []byte {
	s := new(btcec.ModNScalar).SetInt(1)
	b := s.Negate().Bytes()
	return append([]byte{0x30, 38, 2, 1, 1, 2, 33, 0}, b[:]...)
}
