package sswu

import (
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
)

// Hash sets r to the hash of msg with the domain separation tag dst: hash_to_curve of RFC 9380,
// section 3, with the suite secp256k1_XMD:SHA-256_SSWU_RO_. dst must not be empty. r may be
// infinity, with the probability 1/n. The time depends only on the lengths.
func Hash(r *point.Jacobian, msg, dst []byte) {
	//ct:secret len(msg) > 0 && msg[0]&1 == 1
	var n numbers
	hash.ExpandXMD(n[:], msg, dst)
	n.mapTwo(r)
	n.wipe()
}

// Encode sets r to the encoding of msg with the domain separation tag dst: encode_to_curve of RFC
// 9380, section 3, with the suite secp256k1_XMD:SHA-256_SSWU_NU_. dst must not be empty. r is
// finite, and not uniform. The time depends only on the lengths.
func Encode(r *point.Jacobian, msg, dst []byte) {
	//ct:secret len(msg) > 0 && msg[0]&1 == 1
	var n numbers
	hash.ExpandXMD(n[:numberSize], msg, dst)
	n.mapOne(r)
	n.wipe()
}
