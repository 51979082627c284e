// Package field is arithmetic modulo p = 2^256 − 2^32 − 977, the field of secp256k1 (SEC 2, section
// 2.4.1).
//
// An [Element] is four saturated 64-bit limbs. Its value is any number in [0, 2^256) and represents
// its residue modulo p, so a residue below c = 2^32 + 977 has two representations. Functions that
// must distinguish residues (encoding, comparison, parity) reduce a copy first; all other functions
// skip this reduction. docs/field-bounds.md has the contracts and the reasons.
//
// On machines with words or products of 32 bits, an Element is nine limbs of 29 bits instead, with
// the same methods: see narrow.go. The build tags purego,narrow select this form on any machine.
//
// All functions use one identity: 2^256 ≡ c. A carry out of the top limb is replaced by c, a borrow
// by −c, and the high half h of a product by c·h.
//
// The time of a function does not depend on its values unless its name ends in Vartime. An
// architecture may replace two functions, multiplication and repeated squaring, by kernels;
// kernels_none.go lists their portable versions.
package field

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package field -dir ../internal/field
