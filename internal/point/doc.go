// Package point holds the points of y² = x³ + 7 and the formulas that add them.
//
// [Affine] is a finite point as two coordinates. [Jacobian] is any point as
// three, x = X/Z², y = Y/Z³, with Z ≡ 0 for the point at infinity.
//
// There are three kinds of addition, distinguished by name:
//
//   - functions that end in Vartime are exact on every input. They find
//     exceptional cases by branching, so their time depends on the points;
//   - AddMixedIncomplete takes constant time and must not be called in an
//     exceptional case;
//   - AddMixed and Add take constant time and are exact on every input.
//
// Doubling has no exceptional case: no point of the curve has order two.
//
// Only lifting and checking a point use the constant 7. All other formulas hold on every curve y² =
// x³ + b over this field. So the tests can run every function over all pairs of points of small
// groups, where exceptional cases are frequent.
package point

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package point -dir ../internal/point
