package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/schnorr"
)

// An operation is a column of the table that this program prints.
type operation struct {
	name string
	rows int              // rows that one call of do processes
	do   func(i int) bool // processes input i; reports whether the result is right
}

// many is the number of different inputs through which the operations cycle. It is a power of two.
const many = 64

// batchRows is the number of signatures that the operation with batches verifies at once.
const batchRows = 1000

// signed holds a key pair, a message hash and signatures of the hash by the key.
type signed struct {
	key    *koblitz.PrivateKey
	public *koblitz.PublicKey
	xonly  *koblitz.XOnlyPublicKey
	hash   [32]byte
	ecdsa  *ecdsa.Signature
	sig65  []byte // r ‖ s ‖ recovery id
	bip340 []byte
}

// newSigned returns input number i, which is the same in every run of the program.
func newSigned(i int) (s signed, err error) {
	seed := sha256.Sum256(binary.BigEndian.AppendUint64([]byte("key"), uint64(i)))
	s.hash = sha256.Sum256(seed[:])
	if s.key, err = koblitz.ParsePrivateKey(seed[:]); err != nil {
		return s, err
	}
	s.public, s.xonly = s.key.PublicKey(), s.key.XOnlyPublicKey()
	if s.ecdsa, err = ecdsa.Sign(s.key, s.hash[:], nil); err != nil {
		return s, err
	}
	if s.sig65, err = ecdsa.SignRecoverable(s.key, s.hash[:], nil); err != nil {
		return s, err
	}
	s.bip340, err = schnorr.Sign(s.key, s.hash[:], &schnorr.SignOptions{Aux: make([]byte, 32)})
	return s, err
}

// prepare returns the operations in the order of the table's columns. It parses the keys, like a
// program that verifies many signatures with the same keys.
func prepare() ([]operation, error) {
	var in [many]signed
	for i := range in {
		var err error
		if in[i], err = newSigned(i); err != nil {
			return nil, fmt.Errorf("input %d: %w", i, err)
		}
	}
	bip340, err := bip340Batch()
	if err != nil {
		return nil, err
	}
	// The result of each operation is an input of the next, so that the compiler cannot remove
	// operations and the CPU cannot overlap them.
	var x field.Element
	x.SetLimbs(1, 2, 3, 4)
	y := x
	var g point.Affine
	g.SetGenerator()
	var p, q point.Jacobian
	p.SetAffine(&g)
	var scalars [many]scalar.Scalar
	for i := range scalars {
		scalars[i].SetBytes(&in[i].hash)
	}
	unchecked := &ecdsa.SignOptions{Unchecked: true}
	return []operation{
		{"field multiply", 1, func(int) bool { x.Mul(&x, &y); return true }},
		{"double", 1, func(int) bool { p.Double(&p); return true }},
		{"k·G", 1, func(i int) bool { ecmult.ScalarBaseMult(&q, &scalars[i%many]); return true }},
		{"sign, unchecked", 1, func(i int) bool {
			s := &in[i%many]
			_, err := ecdsa.Sign(s.key, s.hash[:], unchecked)
			return err == nil
		}},
		{"verify", 1, func(i int) bool {
			s := &in[i%many]
			return ecdsa.Verify(s.public, s.hash[:], s.ecdsa)
		}},
		{"BIP-340 verify", 1, func(i int) bool {
			s := &in[i%many]
			return schnorr.Verify(s.xonly, s.hash[:], s.bip340)
		}},
		{"recover", 1, func(i int) bool {
			s := &in[i%many]
			public, err := ecdsa.Recover(s.hash[:], s.sig65)
			return err == nil && public.Equal(s.public)
		}},
		{"BIP-340, a row of 1,000", batchRows, bip340},
	}, nil
}

// bip340Batch returns a function that verifies, on one goroutine, a batch of batchRows signatures
// by different keys.
func bip340Batch() (func(int) bool, error) {
	var keys, messages, signatures []byte
	for i := range batchRows {
		s, err := newSigned(i)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i, err)
		}
		keys = append(keys, s.xonly.Bytes()...)
		messages = append(messages, s.hash[:]...)
		signatures = append(signatures, s.bip340...)
	}
	verdicts := make([]batch.Verdict, batchRows)
	rows := batch.SchnorrRows{
		Keys:       batch.EncodedKeys(batch.Packed(keys, 32)),
		Messages:   batch.Packed(messages, 32),
		Signatures: batch.Packed(signatures, 64),
	}
	return func(int) bool {
		valid, err := rows.Verify(context.Background(), verdicts, &batch.Options{Workers: 1})
		return err == nil && valid == batchRows
	}, nil
}
