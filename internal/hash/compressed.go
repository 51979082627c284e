package hash

import "crypto/sha256"

// AppendCompressed appends SHA256(point) to dst and returns the extended slice. point is a secret
// point in compressed encoding.
func AppendCompressed(dst []byte, point *[33]byte) []byte {
	h := sha256.New()
	h.Write(point[:])
	return h.Sum(dst)
}
