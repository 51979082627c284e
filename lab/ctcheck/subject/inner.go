package main

import (
	"slices"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// inner cases call what the internal packages offer for secrets, function by
// function: the public ones use no more than a part of it.
var inner = slices.Concat(arithmetic, points, hashes, inside, inLanes)

// Results go here, so that they are not found unused. Storing a secret is no
// leak.
var (
	sink     int
	words    [4]uint64
	bytes32  [32]byte
	element  field.Element
	number   scalar.Scalar
	affine   point.Affine
	jacobian point.Jacobian
)
