package main

import (
	"context"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/sswu"
	"github.com/koblitz-go/koblitz/lab/ctcheck/cases"
	"github.com/koblitz-go/koblitz/lab/operations"
)

// many lists functions of packages ecmult and sswu for operations on many rows.
var many = []any{
	manyBase, manyPoints, manyRest, manyAdd,
	func(k []scalar.Scalar, p []point.Affine) {
		var s ecmult.Sum
		s.Mult(&jacobian, k, p)
		s.Wipe()
	},
	func(msg []byte) {
		sswu.Hash(&jacobian, msg, []byte(operations.Tag))
		sswu.Encode(&jacobian, msg, []byte(operations.Tag))
	},
	func() {
		m, msgs := sswu.NewMany(), secretMessages(1660)
		m.Hash(make([]point.Affine, len(msgs)), msgs, []byte(operations.Tag))
		m.Wipe()
	},
}

// manyRows is a number of rows that all levels with lanes compute in lanes. It is no multiple of
// the number of lanes, so the last vector is partly empty.
const manyRows = 47

// manyCall calls f with memory for the given number of rows, and wipes the memory.
func manyCall(rows int, f func(m *ecmult.Many, r []point.Affine)) {
	ecmult.Share(context.Background(), rows, 1, ecmult.NewMany, func(m *ecmult.Many, lo, hi int) {
		f(m, make([]point.Affine, hi-lo))
	})
}

func secretPoints(rows int) (p []point.Affine) {
	for i := range rows {
		p = append(p, secretAffine(uint64(1400+i)))
	}
	return p
}

func manyBase() {
	manyCall(manyRows, func(m *ecmult.Many, r []point.Affine) {
		k := append(secretScalars(1500), append(secretScalars(1530), secretScalars(1560)...)...)
		m.ScalarBaseMult(r, k[:manyRows])
	})
}

// manyPoints multiplies secret points by secret scalars.
func manyPoints() {
	k := secretScalars(1600)
	manyCall(len(k), func(m *ecmult.Many, r []point.Affine) {
		m.ScalarMult(r, k, secretPoints(len(k)))
		m.ScalarMult(r, k[:1], secretPoints(len(k)))
	})
}

// manyRest multiplies and adds so few rows that no level uses lanes.
func manyRest() {
	k := secretScalars(1630)[:2]
	m, r := ecmult.NewMany(len(k)), make([]point.Affine, len(k))
	m.ScalarBaseMult(r, k)
	m.ScalarMult(r, k, secretPoints(len(k)))
	m.Add(r, secretPoints(len(k)), secretPoints(1))
	m.Wipe()
}

func manyAdd() {
	p := secretPoints(2*8 + 3)
	manyCall(len(p), func(m *ecmult.Many, r []point.Affine) {
		m.Add(r, p, p)
		m.Add(r, p, p[:1])
	})
}

// batchSchnorrSign signs rows with secrets of their own and with fresh auxiliary randomness.
func batchSchnorrSign() {
	r := batch.SchnorrSignRows{Secrets: batch.Packed(cases.Secret(1700, 32*manyRows), 32),
		Messages: batch.Same(digests()[1])}
	sigs, verdicts := make([]byte, 64*manyRows), make([]batch.Verdict, manyRows)
	must(r.Sign(context.Background(), sigs, verdicts, &batch.SecretOptions{Unchecked: true}))
	sink += len(verdicts[0].String())
}
