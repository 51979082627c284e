package hash

// MinSize is the length in bytes of the shortest hash that ECDSA signs and verifies
// here: that of SHA-1, the shortest hash that ECDSA has ever been used with.
const MinSize = 20

// Leftmost sets b to the leftmost 256 bits of a hash, the number that ECDSA signs
// (SEC 1 version 2, section 4.1.3, step 5). A hash of fewer bits is a number too, and
// zeros before it do not change it. The time depends on the length alone.
//
// Leftmost is also the way round MinSize, for a package that stands in for another
// library and must accept the same hashes. It hands package ecdsa the 32 bytes that
// Leftmost makes of a hash of any length: their number is that of the hash, so that
// signatures, verdicts and recovered keys are those of SEC 1 for the hash itself. An
// empty hash becomes zero then, for which everyone can make signatures under any key.
// Nothing else may go round MinSize.
func Leftmost(b *[32]byte, hash []byte) {
	*b = [32]byte{}
	if len(hash) >= len(b) {
		copy(b[:], hash)
	} else {
		copy(b[len(b)-len(hash):], hash)
	}
}
