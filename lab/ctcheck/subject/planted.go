package main

import (
	"bytes"

	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime"
	leaks "github.com/koblitz-go/koblitz/lab/ctcheck/subject/planted"
)

// planted holds cases that leak, each in another way. The check fails if ctcheck does not report
// the leak of each case.
var planted = []func(){
	plantedBranch, plantedIndex, plantedCompare, plantedFieldBranch, plantedScalarBranch,
	plantedFieldVartime, plantedScalarVartime, plantedPointVartime, plantedDoubleScalarMult,
	plantedSharedX, plantedKeyBytes, plantedGenerated, plantedRemarked, plantedDivision,
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
	mark(b[7:8])
	if b[7] == 1 {
		sink++
	}
}

// plantedDivision divides by a secret. Memcheck cannot report that, so the search for instructions
// must find it.
func plantedDivision() { sink += 1000 / (int(secretBytes(15)[0]) + 1) }

// unreported calls functions with leaks that memcheck does not report.
func unreported() {
	x := uint64(secretBytes(16)[0])
	n, w := leaks.Number(x), leaks.Writer{N: x}
	words[0] = leaks.InstructionInlined(x) + leaks.InstructionLiteral(x)() + leaks.InstructionRoot(x)
	words[1] = leaks.InstructionProduct(x) + leaks.CallerOfName(x) + leaks.CallerOfDirective(x)
	words[2] = leaks.CallerTwice(x) + leaks.CallerMethod(&n) + leaks.CallerStandard(x)
	leaks.CallerOfWriter(&w)
	words[3] = leaks.PassOn(x) + w.N + leaks.InstructionConversion(x) + leaks.CallerOfVariable(x)
	sink += int(leaks.CallerOfPublic(int32(x))) + int(leaks.CallerLiteral(uint32(x)))
}
