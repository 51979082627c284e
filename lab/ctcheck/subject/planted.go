package main

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/lab/ctcheck/cases"
)

// planted holds cases that leak, each in another way. The check fails if ctcheck does not report
// the leak of each case.
var planted = []func(){
	plantedBranch, plantedIndex, plantedCompare, plantedFieldBranch, plantedScalarBranch,
	plantedFieldVartime, plantedScalarVartime, plantedPointVartime, plantedDoubleScalarMult,
	plantedSharedX, plantedKeyBytes, plantedGenerated, plantedRemarked, plantedQuotient,
	plantedDivision, plantedRoot, plantedProduct, plantedConversion,
}

// plantedBranch branches on a bit of a secret byte.
func plantedBranch() {
	if secretBytes(1)[0]&1 == 1 {
		sink++
	}
}

// plantedIndex reads a table at an index that is a secret byte.
func plantedIndex() {
	table := [256]int{1, 2, 3}
	sink += table[secretBytes(2)[0]]
}

// plantedCompare compares a secret with bytes.Equal, which leaks inside the standard library.
func plantedCompare() {
	if bytes.Equal(secretBytes(3), make([]byte, 32)) {
		sink++
	}
}

// plantedFieldBranch branches on the result of field arithmetic with a secret element.
func plantedFieldBranch() {
	x := secretElement(4)
	x.Square(&x).Mul(&x, &x)
	if x.IsOdd().Bool() {
		sink++
	}
}

// plantedScalarBranch branches on the result of scalar arithmetic with a secret scalar.
func plantedScalarBranch() {
	k := secretScalar(5)
	k.Invert(&k)
	if k.IsHigh().Bool() {
		sink++
	}
}

func plantedFieldVartime() {
	x := secretElement(6)
	x.InvertVartime(&x)
}

func plantedScalarVartime() {
	k := secretScalar(7)
	k.InvertVartime(&k)
}

func plantedPointVartime() {
	p, q := secretJacobian(8), secretJacobian(9)
	p.AddVartime(&p, &q)
}

func plantedDoubleScalarMult() {
	var g point.Affine
	var r point.Jacobian
	k := secretScalar(10)
	vartime.DoubleScalarMult(&r, &k, &k, g.SetGenerator())
}

// plantedSharedX branches on a shared secret, which ECDH must not mark as public.
func plantedSharedX() {
	b := must(ecdh.SharedX(secretKey(11), publicKey(12)))
	if b[0] == 1 {
		sink++
	}
}

// plantedKeyBytes branches on a byte of a private key.
func plantedKeyBytes() {
	if secretKey(13).Negate().Bytes()[31] == 1 {
		sink++
	}
}

// plantedGenerated branches on a byte of a generated private key.
func plantedGenerated() {
	if generatedKey().Bytes()[31] == 1 {
		sink++
	}
}

// plantedRemarked branches on a byte that was marked as public, and then marked as secret again.
func plantedRemarked() {
	b := secretBytes(14)
	ct.DeclassifyBytes(b)
	if b[0] == 1 {
		sink++
	}
	cases.Mark(b[7:8])
	if b[7] == 1 {
		sink++
	}
}

// plantedQuotient gives a secret to a function that divides and may leak its argument.
func plantedQuotient() { words[0] = divideVartime(uint64(secretBytes(15)[0])) }

//go:noinline
func divideVartime(x uint64) uint64 { return 1000 / (x&255 + 1) }

// Memcheck cannot report the following leaks, so the search for instructions must find them.

func plantedDivision() { sink += 1000 / (int(secretBytes(16)[0]) + 1) }

func plantedRoot() { sink += int(math.Sqrt(float64(secretBytes(17)[0]))) }

// plantedProduct multiplies floating-point numbers, which may be very small.
func plantedProduct() {
	x := binary.LittleEndian.Uint64(secretBytes(18))
	words[0] = math.Float64bits(math.Float64frombits(x) * 0.5)
}

// plantedConversion rounds a floating-point number, which may be very small.
func plantedConversion() {
	x := binary.LittleEndian.Uint64(secretBytes(19))
	words[0] = uint64(math.Float32bits(float32(math.Float64frombits(x))))
}
