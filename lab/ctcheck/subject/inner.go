package main

import (
	"slices"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// inner has the cases of the internal packages, function by function: the public packages use only
// a part of them.
var inner = slices.Concat(arithmetic, points, hashes, inside, inLanes)

// Results are stored here, so that the compiler does not remove their computation. Storing a secret
// is no leak.
var (
	sink     int
	words    [4]uint64
	bytes32  [32]byte
	element  field.Element
	number   scalar.Scalar
	affine   point.Affine
	jacobian point.Jacobian
)
