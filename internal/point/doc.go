// Package point holds the points of y² = x³ + 7 and the formulas that add
// them.
//
// [Affine] is a finite point as two coordinates. [Jacobian] is any point as
// three, x = X/Z², y = Y/Z³, with Z ≡ 0 for the point at infinity.
//
// There are three kinds of addition, told apart by name:
//
//   - those that end in Vartime are exact on every input and find the
//     exceptional cases by branching, so that time depends on the points;
//   - AddMixedIncomplete takes constant time and must not be given an
//     exceptional case;
//   - AddMixed and Add take constant time and are exact on every input.
//
// Doubling needs no such care: no point of the curve has order two.
//
// None of the formulas uses the constant 7 except where a point is lifted or
// checked, so all of them hold on every curve y² = x³ + b over this field. The
// tests use that: they run every function over all pairs of points of groups
// so small that exceptional cases are the rule.
package point

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package point -dir ../internal/point
