package main

import (
	"slices"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// inner holds the cases for internal packages. Each function of these packages has a case, because
// the public packages use only a part of the functions.
var inner = slices.Concat(arithmetic, points, hashes, inside, inLanes, many)

// Results are stored in these variables, so that the compiler does not remove their computation.
// Storing a secret is no leak.
var (
	sink     int
	words    [4]uint64
	bytes32  [32]byte
	element  field.Element
	number   scalar.Scalar
	affine   point.Affine
	jacobian point.Jacobian
)
