package ethereum

import (
	"slices"
	"sync"

	"golang.org/x/crypto/sha3"

	"github.com/koblitz-go/koblitz/internal/hash"
)

// A hasher computes Keccak-256, of many messages at once where their hashes are not needed at
// once: eight in the lanes of vectors take little more time than one.
type hasher struct {
	messages [][]byte
	to       []*[32]byte
	digests  [][32]byte
	copies   []byte // of messages that came in parts, and what else lives as long
}

const (
	// maxTogether is the most bytes of a message that is hashed with others, and of an encoded
	// transaction that is copied: longer ones are rare, and would take too much memory.
	maxTogether = 256 << 10

	// maxCopies is the most bytes of copies that a hasher in hashers has, enough for a batch, and
	// maxMessages the most messages.
	maxCopies   = 6 * batchBytes
	maxMessages = 8 * batchPieces
)

// hashers are without messages, and have memory for some.
var hashers = sync.Pool{New: func() any { return new(hasher) }}

// release gives the hasher's memory to others.
func (h *hasher) release() {
	if cap(h.copies) > maxCopies || cap(h.messages) > maxMessages {
		return
	}
	clear(h.messages[:cap(h.messages)])
	clear(h.to[:cap(h.to)])
	h.messages, h.to, h.copies = h.messages[:0], h.to[:0], h.copies[:0]
	hashers.Put(h)
}

// sum is the Keccak-256 of parts, one after the other.
func (h *hasher) sum(parts ...[]byte) (digest [32]byte) {
	if len(parts) == 1 {
		hash.Keccak256(&digest, parts[0])
		return digest
	}
	k := sha3.NewLegacyKeccak256()
	for _, p := range parts {
		k.Write(p)
	}
	k.Sum(digest[:0])
	return digest
}

// later has run set *to to the Keccak-256 of a message, which must not change until then.
func (h *hasher) later(to *[32]byte, message []byte) {
	if len(message) > maxTogether {
		*to = h.sum(message)
		return
	}
	h.messages = append(h.messages, message)
	h.to = append(h.to, to)
}

// laterOf is later for a message in parts, one after the other, which may change.
func (h *hasher) laterOf(to *[32]byte, parts ...[]byte) {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	if size > maxTogether {
		*to = h.sum(parts...)
		return
	}
	begin := len(h.copies)
	for _, p := range parts {
		h.copies = append(h.copies, p...)
	}
	h.later(to, h.copies[begin:])
}

// run computes all hashes that were asked for.
func (h *hasher) run() {
	n := len(h.messages)
	h.digests = slices.Grow(h.digests[:0], n)[:n]
	hash.Keccak256Each(h.digests, h.messages)
	for i, to := range h.to {
		*to = h.digests[i]
	}
	h.messages, h.to = h.messages[:0], h.to[:0]
}
