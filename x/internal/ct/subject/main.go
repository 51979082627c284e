//go:build valgrind

// The subject is a program for lab/ctcheck. It calls the functions of this module that handle
// secrets, with secrets that are marked. lab/ctcheck/subject explains the names of its functions.
package main

import (
	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/lab/ctcheck/cases"
	"github.com/koblitz-go/koblitz/x/internal/ct"
)

func main() {
	cases.Main(random, &sink, func() {
		cases.Level(koblitz.Implementations())
		cases.Run(
			frostDeal, frostSign, frostSignDeterministically, frostRFC9591, frostKeyGeneration,
			frostRepair, adaptorSchnorr, adaptorECDSA,
			plantedShare, plantedPartial, plantedPart, plantedGenerated, plantedSchnorr, plantedECDSA,
			plantedDivision)
	})
}

// sink receives results, so that the compiler does not remove the computations.
var sink int

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// secret returns 32 bytes, marked as secret, which depend on seed.
func secret(seed uint64) []byte { return cases.Secret(seed, 32) }

func secretKey() *koblitz.PrivateKey { return must(koblitz.ParsePrivateKey(secret(3))) }

// random replaces the system's randomness. Its bytes are secret, except where they are the factors
// of equations, which the module verifies together.
var random = &cases.Random{}

// verifying calls f with public randomness.
func verifying(f func()) {
	random.Public = true
	f()
	random.Public = false
}

// public marks b, a message to other participants, as public, and returns b.
func public(b []byte) []byte {
	ct.Declassify(b)
	return b
}

// branch branches on a secret. The planted cases call it, and ctcheck must report each of them.
func branch(b []byte) {
	if b[0]&1 == 1 {
		sink++
	}
}

// plantedDivision divides by a secret. Memcheck cannot report that, so the search for instructions
// must find it.
func plantedDivision() { sink += 1000 / (int(secret(1)[0]) + 1) }
