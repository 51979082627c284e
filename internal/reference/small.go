package reference

import "math/big"

// SmallCurves returns groups of order 7, 13 and 199 on curves y² = x³ + B over the field of
// secp256k1. The formulas of point arithmetic do not depend on B, so code for secp256k1 works on
// these groups too, and tests can use every pair of points and every scalar. A test checks all that
// a Curve says of them.
func SmallCurves() (curves []*Curve) {
	for _, c := range []struct {
		order, b, lambda int64
		hexGx            string
	}{
		{7, 6, 2, "976b34c28be19dbb836d83a6ff2fec4a0df28ba73fbef210a42fee9ec9a0966f"},
		{13, 2, 9, "79ee1c36aebd658afa2e3b40491d77e7962476b87ca04bcdc151f97c12902b8a"},
		{199, 4, 92, "f2a7ab013b1bcc5406d2ae70b9828ade71855450a7196ae9aad5ada217d6da24"},
	} {
		curve := &Curve{B: big.NewInt(c.b), Order: big.NewInt(c.order), Lambda: big.NewInt(c.lambda)}
		curve.G, _ = curve.LiftX(fromHex(c.hexGx), false)
		curves = append(curves, curve)
	}
	return curves
}
