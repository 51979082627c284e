//ct:public hashes public messages

package batch

import (
	"slices"

	"github.com/koblitz-go/koblitz/internal/hash"
)

// AppendSHA256 appends the SHA-256 (FIPS 180-4) of each message to dst, in the order of the
// messages, and returns the extended slice. The messages can share memory with one another, but not
// with the memory between the length and the capacity of dst.
//
// A CPU with 512-bit vectors (AVX-512F) hashes sixteen messages at a time by SHA-256, and eight by
// Keccak-256. The messages can have different lengths. With many messages, a SHA-256 takes about
// two fifths of the time of [crypto/sha256.Sum256], and a Keccak-256 an eighth of the time of a
// single Keccak-256. Other CPUs with SHA-256 instructions (SHA-NI) hash two messages at a time by
// SHA-256, in little more than half of the time of Sum256 each. All other CPUs hash one message
// after the other.
//
// The time depends only on the number of messages and on their lengths. Copies of the messages
// remain in memory: hash no secrets with this function.
func AppendSHA256(dst [][32]byte, messages [][]byte) [][32]byte {
	return appendEach(dst, messages, hash.SHA256Each)
}

// AppendDoubleSHA256 appends SHA-256(SHA-256(message)) for each message to dst, as [AppendSHA256]
// does for SHA-256. Bitcoin identifies blocks and transactions by this hash.
func AppendDoubleSHA256(dst [][32]byte, messages [][]byte) [][32]byte {
	return appendEach(dst, messages, hash.DoubleSHA256Each)
}

// AppendKeccak256 appends the Keccak-256 of each message to dst, as [AppendSHA256] does. Keccak-256
// is the hash of Ethereum ("The Keccak reference", version 3.0, with a capacity of 512 bits). It is
// not SHA3-256 (FIPS 202), which pads messages in another way.
func AppendKeccak256(dst [][32]byte, messages [][]byte) [][32]byte {
	return appendEach(dst, messages, hash.Keccak256Each)
}

// appendEach extends dst by one hash for each message, and returns the extended slice. It calls
// hashAll, which sets digests[i] to the hash of messages[i].
func appendEach(dst [][32]byte, messages [][]byte,
	hashAll func(digests [][32]byte, messages [][]byte)) [][32]byte {
	n := len(dst)
	dst = slices.Grow(dst, len(messages))[:n+len(messages)]
	hashAll(dst[n:], messages)
	return dst
}
