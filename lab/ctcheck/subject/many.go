package main

import (
	"context"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/sswu"
	"github.com/koblitz-go/koblitz/lab/operations"
)

// many holds cases, functions that call the library with secrets, for operations on many rows.
var many = []func(){manyBase, manyPoints, manyRest, manyAdd, fewTerms, hashPoints}

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

// manyRest does the same for so few rows that no level uses lanes.
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

// secretRows returns secrets, some of them malformed, and the encodings of public keys.
func secretRows(rows int) (secrets, keys []byte) {
	for i := range rows {
		switch i {
		case 5:
			secrets = append(secrets, secretCopy(make([]byte, 32))...)
		case 7:
			secrets = append(secrets, secretCopy(ones())...)
		default:
			secrets = append(secrets, secretString(uint64(1700+i), 32)...)
		}
		keys = append(keys, publicKey(1800).Bytes()...)
	}
	keys[33] ^= 1 // row 1 has another key
	keys[66] = 9  // row 2 has none
	return secrets, keys
}

func batchPublicKeys() {
	for _, rows := range []int{1, manyRows} {
		secrets, keys := secretRows(rows + 3)
		verdicts := make([]batch.Verdict, rows)
		r := batch.SecretRows{Secrets: batch.Packed(secrets[:32*rows], 32)}
		_, err := r.PublicKeys(context.Background(), keys[:33*rows], verdicts, nil)
		if err != nil {
			panic(err)
		}
	}
}

func batchSharedX() {
	for _, rows := range []int{1, manyRows} {
		secrets, keys := secretRows(rows + 3)
		r := batch.ECDHRows{Secrets: batch.Packed(secrets[:32*rows], 32),
			Keys: batch.Packed(keys[:33*rows], 33)}
		x, verdicts := make([]byte, 32*rows), make([]batch.Verdict, rows)
		for range 2 {
			if _, err := r.SharedX(context.Background(), x, verdicts, nil); err != nil {
				panic(err)
			}
			r.Secrets = batch.Same(secrets[:32])
		}
		sink += len(verdicts[0].String())
	}
}

// batchSchnorrSign signs rows with secrets of their own and with one secret, with given and with
// fresh auxiliary randomness, checked and unchecked.
func batchSchnorrSign() {
	for _, rows := range []int{1, manyRows} {
		secrets, _ := secretRows(rows + 3)
		r := batch.SchnorrSignRows{Secrets: batch.Packed(secrets[:32*rows], 32),
			Messages: batch.Same(digests()[1])}
		sigs, verdicts := make([]byte, 64*rows), make([]batch.Verdict, rows)
		for _, unchecked := range []bool{true, false} {
			o := &batch.SecretOptions{Unchecked: unchecked}
			if _, err := r.Sign(context.Background(), sigs, verdicts, o); err != nil {
				panic(err)
			}
			r.Secrets = batch.Same(secrets[:32])
			r.Aux = batch.Same(secretString(1900, 32))
		}
		sink += int(sigs[0]&1) + len(verdicts[0].String())
	}
}

// batchECDSASign does the same with ECDSA, which takes no auxiliary randomness.
func batchECDSASign() {
	for _, rows := range []int{1, manyRows} {
		secrets, _ := secretRows(rows + 3)
		r := batch.ECDSASignRows{Secrets: batch.Packed(secrets[:32*rows], 32),
			Hashes: batch.Same(digests()[1])}
		sigs, verdicts := make([]byte, 65*rows), make([]batch.Verdict, rows)
		for _, unchecked := range []bool{true, false} {
			o := &batch.SecretOptions{Unchecked: unchecked}
			if _, err := r.Sign(context.Background(), sigs, verdicts, o); err != nil {
				panic(err)
			}
			r.Secrets = batch.Same(secrets[:32])
		}
		sink += int(sigs[0]&1) + len(verdicts[0].String())
	}
}

// fewTerms sums products of secret scalars and secret points.
func fewTerms() {
	var s ecmult.Sum
	s.Mult(&jacobian, secretScalars(1640)[:3], secretPoints(3))
	s.Wipe()
}

// hashPoints hashes and encodes messages of every length to the curve, singly and together.
func hashPoints() {
	tag := []byte(operations.Tag)
	for _, msg := range secretMessages(1650) {
		sswu.Hash(&jacobian, msg, tag)
		sswu.Encode(&jacobian, msg, tag)
	}
	m := sswu.NewMany()
	msgs := secretMessages(1660)
	m.Hash(make([]point.Affine, len(msgs)), msgs, tag)
	m.Wipe()
}
