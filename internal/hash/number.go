package hash

// MinSize is the length in bytes of the shortest hash that this module's ECDSA functions accept:
// that of SHA-1, the shortest hash in use with ECDSA.
const MinSize = 20

// Leftmost sets b to the leftmost 256 bits of a hash, the number that ECDSA signs (SEC 1 version 2,
// section 4.1.3, step 5). A shorter hash is padded with zeros at the front. The time depends only
// on the length of the hash.
//
// A package that replaces another library must accept the same hashes as that library, so it may
// bypass MinSize with Leftmost: it passes the 32 bytes for a hash of any length to package ecdsa.
// Signatures, verdicts and recovered keys are then those of SEC 1 for the hash itself. An empty
// hash becomes zero, for which anyone can make signatures under any key. No other code may bypass
// MinSize.
func Leftmost(b *[32]byte, hash []byte) {
	*b = [32]byte{}
	if len(hash) >= len(b) {
		copy(b[:], hash)
	} else {
		copy(b[len(b)-len(hash):], hash)
	}
}
