// Package cases runs the cases of a subject, a program that lab/ctcheck checks, and makes secrets
// for them. The modules nostr and x have subjects too.
package cases

//ci:untested lab/ctcheck runs it.

import (
	"crypto/rand"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"

	"github.com/koblitz-go/koblitz/internal/ct"
)

// Marks reports whether the program marks secrets. Without marks, memcheck must not report any
// planted leak.
var Marks = os.Getenv("CTCHECK_MARKS") != "off"

// Mark marks b as secret.
func Mark(b []byte) {
	if Marks {
		ct.ClassifyBytes(b)
	}
}

// A Random is a source of bytes that are marked as secret, unless Public is set. They look random,
// depend on the first value of Counter, and differ from call to call.
type Random struct {
	Counter uint64
	Public  bool
}

func (r *Random) Read(b []byte) (int, error) {
	for i := range b {
		r.Counter = r.Counter*6364136223846793005 + 1442695040888963407
		b[i] = byte(r.Counter >> 56)
	}
	if !r.Public {
		Mark(b)
	}
	return len(b), nil
}

// Secret returns length bytes, marked as secret, which depend on seed. 32 bytes encode a number far
// from 0 and n.
func Secret(seed uint64, length int) []byte {
	b := make([]byte, length)
	r := Random{Counter: seed}
	r.Read(b)
	return b
}

// Main runs a subject: it replaces the system's random numbers by random, calls run, and prints
// what ctcheck expects at the end. It reads and sets sink, to which the cases add their results.
func Main(random *Random, sink *int, run func()) {
	rand.Reader = random
	*sink = growStack(*sink)
	run()
	fmt.Println("end")
}

// Level prints the implementations and CPU features with which the cases after it run.
func Level(with []string) { fmt.Println("with:" + strings.Join(with, ",")) }

// Run runs cases, and prints the name of each before it runs.
func Run(cases ...func()) {
	for _, f := range cases {
		fmt.Println(Name(f))
		Call(f)
	}
}

// Name returns the name of a function.
func Name(f any) string { return runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name() }

// Call calls a case. ctcheck finds the case in a stack trace: it is the function that Call calls.
//
//go:noinline
func Call(f func()) { f() }

// growStack makes the stack as large as any case needs, so that it does not move while a case runs.
//
//go:noinline
func growStack(sink int) int {
	var buf [1 << 18]byte
	for i := range buf {
		buf[i] = byte(sink)
	}
	return int(buf[sink&0xff])
}
