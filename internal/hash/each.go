package hash

import "crypto/sha256"

// Keccak256Each sets out[i] to the [Keccak256] of messages[i], which may share memory. It panics if
// there are fewer results than messages. The time depends on the number of messages and on their
// lengths, and on nothing else of them; what is hashed here is public.
//
// With vectors of 512 bits eight messages are hashed at a time, of any lengths: if there are many,
// each takes an eighth to a tenth of the time of a call of Keccak256. Without such vectors it makes
// these calls.
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

// SHA256Each sets out[i] to the SHA-256 of messages[i], which may share memory with one another but
// not with out. It panics if there are fewer results than messages. The time depends on the number
// of messages and on their lengths, and on nothing else of them; what is hashed here is public.
//
// With vectors of 512 bits sixteen messages are hashed at a time, of any lengths: if there are
// many, each takes two fifths of the time of a call of [sha256.Sum256], which uses the CPU's own
// instructions for SHA-256, and a half if it has only a block. Without such vectors it makes these
// calls.
func SHA256Each(out [][32]byte, messages [][]byte) { sha256Each(out, messages, false) }

// DoubleSHA256Each does what [SHA256Each] does for the SHA-256 of the SHA-256 of each message: the
// hash by which Bitcoin names blocks and transactions.
func DoubleSHA256Each(out [][32]byte, messages [][]byte) { sha256Each(out, messages, true) }

func sha256Each(out [][32]byte, messages [][]byte, double bool) {
	out = out[:len(out):len(out)][:len(messages)]
	//ct:unrun-portable for AVX-512, which the other build has
	if len(messages) > 1 && haveKernels() {
		s := sha256Lanes{out: out, messages: messages, double: double}
		s.run()
		return
	}
	for i, msg := range messages {
		sha256Alone(&out[i], msg, double)
	}
}

// sha256Alone sets out to the SHA-256 of a message, or with double to the SHA-256 of that.
func sha256Alone(out *[32]byte, msg []byte, double bool) {
	*out = sha256.Sum256(msg)
	if double {
		*out = sha256.Sum256(out[:])
	}
}
