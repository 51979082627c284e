// Package eisenstein holds digits from ℤ[ω], the Eisenstein integers, and tables of multiples for
// them, to multiply points in lanes by scalars. docs/msm.md, "Digits of ℤ[ω]", describes the
// method. Packages lanewise and sums use it.
//
// ω and λ are roots of x² + x + 1, so a scalar k1 + k2·λ corresponds to the element k1 + k2·ω of
// ℤ[ω]. This element is written to the base 2^width with digits from ℤ[ω], so that one digit serves
// both halves of a scalar. The digit for a residue modulo 2^width is an element of least norm,
// where a + b·ω has the norm a² − a·b + b². A multiplication of a point by one of the six units ±1,
// ±ω, ±ω² takes at most a negation of y and a multiplication of x. So a table needs one entry for
// six digits: 11 entries for the 63 nonzero residues modulo 8, and 3 for the 15 modulo 4. Separate
// digits for each half, with two tables of 8 entries, would need 66 additions instead of 44.
//
// The time depends on all inputs, which must be public.
package eisenstein

//go:generate env -C ../../../_asm GOWORK=off go run ./cmd/generate -package eisenstein -dir ../internal/vartime/eisenstein
