// Package field is arithmetic modulo p = 2^256 − 2^32 − 977, the field of
// secp256k1 (SEC 2, section 2.4.1).
//
// An [Element] is four saturated 64-bit limbs. Its value is any number in
// [0, 2^256) and stands for its residue modulo p, so that residues below
// c = 2^32 + 977 have two representations. Everything that must tell residues
// apart (encoding, comparison, parity) reduces a copy first; nothing else pays
// for it. docs/field-bounds.md holds the contracts and the reasons.
//
// Where words or products have 32 bits, an Element is nine limbs of 29 bits
// instead, with the same methods: see narrow.go. The build tags purego,narrow
// have it on any machine.
//
// The one identity behind every function is 2^256 ≡ c. A carry out of the top
// limb is worth c, a borrow is worth −c, and the high half h of a product is
// worth c·h.
//
// No function here takes a time that depends on its values unless its name
// ends in Vartime. There is one seam: multiply and repeated square (see
// kernels_none.go) are what an architecture may replace.
package field

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package field -dir ../internal/field
