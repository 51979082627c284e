package hash

import "hash"

// scrub overwrites the buffer of h, a SHA-256 that was given so many bytes since
// it was new or reset, and from which nothing is wanted any more. What was
// written last is still in that buffer, and Reset does not clear it.
//
// The zeros fill the rest of the block, up to the buffer's end, and then all of
// it but the last byte. That they are hashed on the way leaves no state from
// which what was written could be found.
//
// It is a single call, so that the compiler inlines it and knows that h is a
// SHA-256: otherwise h would have to be allocated.
func scrub(h hash.Hash, written int) { h.Write(zeros[:127-written&63]) }

var zeros [127]byte
