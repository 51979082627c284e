package reading

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"github.com/koblitz-go/koblitz/hashes"
)

// TestHasher checks three things: each digest goes to its destination, with any number of runs; the
// parts given to LaterOf may change before Run; and Copies is kept.
func TestHasher(t *testing.T) {
	h := NewHasher(hashes.AppendSHA256)
	defer h.Release()
	h.Run() // runs with no messages registered
	message, part := []byte("whole"), []byte("part")
	for round := range 3 {
		var whole, parts [32]byte
		h.Later(&whole, message)
		h.LaterOf(&parts, part, []byte("s"))
		clear(part)
		h.Run()
		copy(part, "part")
		if whole != sha256.Sum256(message) || parts != sha256.Sum256([]byte("parts")) {
			t.Errorf("run %d: %x, %x", round, whole, parts)
		}
		whole, parts = [32]byte{}, [32]byte{}
		h.Run()
		if whole != [32]byte{} || parts != [32]byte{} {
			t.Errorf("run %d: a message is hashed again", round)
		}
		if want := bytes.Repeat([]byte("parts"), 1+round); !bytes.Equal(h.Copies, want) {
			t.Errorf("run %d: copies %q, want %q", round, h.Copies, want)
		}
	}
}

// TestRelease checks that NewHasher returns a Hasher without messages or copies of an earlier use,
// even if Run was never called in that use.
func TestRelease(t *testing.T) {
	h := NewHasher(hashes.AppendSHA256)
	var digest [32]byte
	h.LaterOf(&digest, []byte("left"))
	h.Release()
	if len(h.Copies)+len(h.messages)+len(h.to) > 0 || h.messages[:1][0] != nil || h.to[:1][0] != nil {
		t.Error("messages are left")
	}
	large := NewHasher(hashes.AppendSHA256)
	large.LaterOf(&digest, make([]byte, maxCopies+1))
	large.Release()
	if len(large.messages) != 1 {
		t.Error("a large Hasher was put into the pool")
	}
}
