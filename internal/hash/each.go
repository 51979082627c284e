package hash

// Keccak256Each sets out[i] to the [Keccak256] of messages[i], which may share memory. It panics if
// there are fewer results than messages. The time depends on the number of messages and on their
// lengths, and on nothing else of them; what is hashed here is public.
//
// With vectors of 512 bits eight messages are hashed at a time, of any lengths: if there are many,
// each takes an eighth to a tenth of the time of a call of Keccak256. Without such vectors it makes
// these calls.
func Keccak256Each(out [][32]byte, messages [][]byte) {
	out = out[:len(out):len(out)][:len(messages)]
	if len(messages) > 1 && haveKernels() {
		keccakEach(out, messages)
		return
	}
	for i, msg := range messages {
		Keccak256(&out[i], msg)
	}
}
