package hash

// Keccak256Each sets out[i] to the [Keccak256] of messages[i]. It panics if there are fewer
// results than messages. The time depends on the lengths alone; what is hashed here is public.
func Keccak256Each(out [][32]byte, messages [][]byte) {
	out = out[:len(messages)]
	for i, msg := range messages {
		Keccak256(&out[i], msg)
	}
}
