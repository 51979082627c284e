//go:build valgrind

// The subject is a program for lab/ctcheck. It calls the functions of this module that handle
// secrets, with secrets that are marked. lab/ctcheck/subject explains the names of its functions.
package main

import (
	"crypto/rand"
	"fmt"
	"reflect"
	"runtime"
	"strings"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/x/internal/ct"
)

func main() {
	rand.Reader = random
	sink += growStack()
	fmt.Println("with:" + strings.Join(koblitz.Implementations(), ","))
	for _, f := range []func(){
		frostDeal, frostSign, frostSignDeterministically, frostRFC9591, frostKeyGeneration, frostRepair,
		adaptorSchnorr, adaptorECDSA,
		plantedShare, plantedPartial, plantedPart, plantedGenerated, plantedSchnorr, plantedECDSA,
		plantedDivision,
	} {
		fmt.Println(runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name())
		runCase(f)
	}
	fmt.Println("end")
}

// sink receives results, so that the compiler does not remove the computations.
var sink int

// growStack makes the stack as large as any case needs, so that it does not move while a case runs.
//
//go:noinline
func growStack() int {
	var buf [1 << 18]byte
	for i := range buf {
		buf[i] = byte(sink)
	}
	return int(buf[sink&0xff])
}

// runCase calls a case. ctcheck finds the case in a stack trace: it is the function that
// main.runCase calls.
//
//go:noinline
func runCase(f func()) { f() }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// secret returns 32 bytes that are marked as secret.
func secret(first byte) []byte {
	b := make([]byte, 32)
	for i := range b {
		b[i] = byte(5*i) + first
	}
	ct.Classify(b)
	return b
}

func secretKey() *koblitz.PrivateKey { return must(koblitz.ParsePrivateKey(secret(3))) }

// random replaces the system's randomness.
var random = &reader{}

// A reader returns bytes that are marked as secret, unless public is set. They are public where
// they are the factors of equations, which the module verifies together.
type reader struct {
	counter uint64
	public  bool
}

func (r *reader) Read(b []byte) (int, error) {
	for i := range b {
		r.counter = r.counter*6364136223846793005 + 1442695040888963407
		b[i] = byte(r.counter >> 56)
	}
	if !r.public {
		ct.Classify(b)
	}
	return len(b), nil
}

// verifying calls f with public randomness.
func verifying(f func()) {
	random.public = true
	f()
	random.public = false
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
