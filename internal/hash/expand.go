package hash

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/koblitz-go/koblitz/internal/ct"
)

// MaxExpanded is the maximum length in bytes of the output of [ExpandXMD].
const MaxExpanded = 255 * sha256.Size

// ExpandXMD fills out with the bytes that expand_message_xmd of RFC 9380, section 5.3.1, makes with
// SHA-256 of the message msg and the domain separation tag dst. out has at most MaxExpanded bytes.
// A dst of more than 255 bytes is hashed first, as section 5.3.3 says. out shares no memory with
// msg and dst. The time depends only on the lengths. Copies of msg remain on the stack.
func ExpandXMD(out, msg, dst []byte) {
	//ct:secret len(msg) > 0 && msg[0]&1 == 1
	// tag holds dst and its length. Each b_i has the same tag, even if the caller's dst changes.
	var tag [256]byte
	n := min(len(dst), 255)
	if len(dst) > n {
		h := sha256.New()
		h.Write([]byte("H2C-OVERSIZE-DST-"))
		h.Write(dst)
		n = len(h.Sum(tag[:0]))
	} else {
		copy(tag[:], dst)
	}
	tag[n] = byte(n)

	// b_0 = H(64 zeros ‖ msg ‖ length of out ‖ 0 ‖ dst ‖ length of dst)
	var b0, b [sha256.Size]byte
	var length [3]byte
	binary.BigEndian.PutUint16(length[:], uint16(len(out)))
	h := sha256.New()
	h.Write(make([]byte, sha256.BlockSize))
	h.Write(msg)
	h.Write(length[:])
	h.Write(tag[:n+1])
	h.Sum(b0[:0])

	// b_i = H((b_0 XOR b_(i−1)) ‖ i ‖ dst ‖ length of dst), where b_0 is masked by zeros for i = 1
	for i := byte(1); len(out) > 0; i++ {
		for j := range b {
			b[j] ^= b0[j]
		}
		h.Reset()
		h.Write(b[:])
		h.Write([]byte{i})
		h.Write(tag[:n+1])
		h.Sum(b[:0])
		out = out[copy(out, b[:]):]
	}
	ct.Wipe(b0[:])
	ct.Wipe(b[:])
}
