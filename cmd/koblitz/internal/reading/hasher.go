package reading

import "sync"

// A Hasher collects messages of one hash function and hashes them together, which takes a fraction
// of the time (see the library's package hashes). A reader registers messages while it parses, and
// computes all digests before it needs the first one.
type Hasher struct {
	// Copies holds the messages that LaterOf has copied, until Release. Callers may append
	// other data that they need until then.
	Copies []byte

	sum      func(dst [][32]byte, messages [][]byte) [][32]byte
	messages [][]byte
	to       []*[32]byte // destinations of the digests
	digests  [][32]byte
}

const (
	// maxCopies is the maximum capacity in bytes of Copies in a pooled Hasher, enough for a batch
	// of Ethereum transactions. maxMessages is the maximum capacity of the Hasher's list of
	// messages.
	maxCopies   = 1536 << 10
	maxMessages = 1 << 10
)

// hashers holds empty Hashers with their memory, for reuse by NewHasher.
var hashers = sync.Pool{New: func() any { return new(Hasher) }}

// NewHasher returns an empty Hasher. sum is a function of package hashes: it appends the digests of
// messages to dst.
func NewHasher(sum func(dst [][32]byte, messages [][]byte) [][32]byte) *Hasher {
	h := hashers.Get().(*Hasher)
	h.sum = sum
	return h
}

// Release makes h's memory available to later calls of NewHasher. The caller must no longer use h
// or its Copies.
func (h *Hasher) Release() {
	if cap(h.Copies) <= maxCopies && cap(h.messages) <= maxMessages {
		h.forget()
		h.Copies = h.Copies[:0]
		hashers.Put(h)
	}
}

// forget empties h except for Copies.
func (h *Hasher) forget() {
	clear(h.messages)
	clear(h.to)
	h.messages, h.to = h.messages[:0], h.to[:0]
}

// Later makes the next Run set *dst to the digest of message. The caller must not change message
// before that Run.
func (h *Hasher) Later(dst *[32]byte, message []byte) {
	h.messages = append(h.messages, message)
	h.to = append(h.to, dst)
}

// LaterOf copies parts and makes the next Run set *dst to the digest of their concatenation.
func (h *Hasher) LaterOf(dst *[32]byte, parts ...[]byte) {
	begin := len(h.Copies)
	for _, p := range parts {
		h.Copies = append(h.Copies, p...)
	}
	h.Later(dst, h.Copies[begin:])
}

// Run computes the digests of all messages registered since the last Run. It leaves Copies
// unchanged.
func (h *Hasher) Run() {
	h.digests = h.sum(h.digests[:0], h.messages)
	for i, to := range h.to {
		*to = h.digests[i]
	}
	h.forget()
}
