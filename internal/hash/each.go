package hash

import "crypto/sha256"

// Keccak256Each sets out[i] to the [Keccak256] of messages[i]. Messages may share memory. It panics
// if out is shorter than messages. The time depends only on the number and the lengths of the
// messages, which must be public.
//
// With vectors of 512 bits it hashes eight messages of any lengths at a time. For many messages,
// each takes an eighth to a tenth of the time of a call of Keccak256. Without such vectors
// Keccak256Each calls Keccak256 for each message.
func Keccak256Each(out [][32]byte, messages [][]byte) {
	out = out[:len(out):len(out)][:len(messages)]
	//ct:unrun-portable for AVX-512, which the other build has
	if len(messages) > 1 && haveKernels() {
		keccakEach(out, messages)
		return
	}
	for i, msg := range messages {
		Keccak256(&out[i], msg)
	}
}

// SHA256Each sets out[i] to the SHA-256 of messages[i]. Messages may share memory with one another
// but not with out. It panics if out is shorter than messages. The time depends only on the number
// and the lengths of the messages, which must be public.
//
// With vectors of 512 bits it hashes sixteen messages of any lengths at a time. For many messages,
// each takes two fifths of the time of a call of [sha256.Sum256], which uses the CPU's SHA-256
// instructions, or half of this time if the message has only one block. Without such vectors, it
// uses these instructions for two messages at a time, which takes little more than half of the time
// of Sum256. Without these instructions SHA256Each calls Sum256 for each message.
func SHA256Each(out [][32]byte, messages [][]byte) { sha256Each(out, messages, false) }

// DoubleSHA256Each sets out[i] to SHA-256(SHA-256(messages[i])), as Bitcoin hashes blocks and
// transactions. Otherwise it is like [SHA256Each].
func DoubleSHA256Each(out [][32]byte, messages [][]byte) { sha256Each(out, messages, true) }

func sha256Each(out [][32]byte, messages [][]byte, double bool) {
	out = out[:len(out):len(out)][:len(messages)]
	//ct:unrun-portable for AVX-512, which the other build has
	if len(messages) > 1 && haveLanes() {
		sha256Many(out, messages, double)
		return
	}
	for i, msg := range messages {
		sha256Alone(&out[i], msg, double)
	}
}

// sha256Alone sets *out to SHA-256(msg), or to SHA-256(SHA-256(msg)) if double is set.
func sha256Alone(out *[32]byte, msg []byte, double bool) {
	*out = sha256.Sum256(msg)
	if double {
		*out = sha256.Sum256(out[:])
	}
}
