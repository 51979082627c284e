// The subject of ctcheck: a program that touches secrets in every way that the
// library offers. Each case marks its secrets, calls what it is named for and
// does nothing else with them. Planted cases leak on purpose.
//
// It prints the implementations in use and the names of the cases as it runs them. Without the tag valgrind
// the marks do nothing, and it is a plain program; a test runs it as one.
package main

import (
	"crypto/rand"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/ct"
)

func main() {
	rand.Reader = &secretRandom{}
	level()
	fmt.Println("with:" + strings.Join(append(cpu.Implementations(), cpu.Features()...), ","))
	sink += growStack()
	for _, f := range slices.Concat(planted, inner, public, groups) {
		fmt.Println(runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name())
		runCase(f)
	}
	fmt.Println("end")
}

// growStack makes the stack as large as any case needs, so that it does not move
// while a case runs.
//
//go:noinline
func growStack() int {
	var room [1 << 18]byte
	for i := range room {
		room[i] = byte(sink)
	}
	return int(room[sink&0xff])
}

// runCase stands between the cases and main on every stack, so that ctcheck
// finds a case by its name.
//
//go:noinline
func runCase(f func()) { f() }

// A secretRandom yields bytes that look random, differ from call to call and
// are secret.
type secretRandom struct{ counter uint64 }

func (r *secretRandom) Read(b []byte) (int, error) {
	for i := range b {
		r.counter = r.counter*6364136223846793005 + 1442695040888963407
		b[i] = byte(r.counter >> 56)
	}
	ct.ClassifyBytes(b)
	return len(b), nil
}

// secretBytes returns 32 secret bytes, as a number far from 0 and n.
func secretBytes(seed uint64) []byte {
	b := make([]byte, 32)
	r := secretRandom{seed}
	r.Read(b)
	return b
}

// must stops the program if err, which is never secret, is not nil.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
