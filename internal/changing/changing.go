// Package changing tests what a function does if a caller's memory changes during a call, because
// another goroutine or process writes it, or because a bit flips. A function must not parse one
// value and hash another: it reads each byte once.
package changing

import (
	"bytes"
	"testing"
)

// Each calls f with a slice that holds first. As soon as f reads a place of it again, the slice
// holds second, which has the same length. A function that reads each byte once returns what it
// returns for first. It is an error if f does not read the slice.
//
// A traced process, which runs the test again, has this memory: on Linux for amd64. Elsewhere, and
// in the process that runs the other tests, the slice holds first all the time. So f is called
// once or twice. A place is the address of the first byte that an instruction reads. Instructions
// that follow each other directly may read the same place, as in copies of some lengths.
func Each(t testing.TB, first, second []byte, f func(b []byte)) {
	t.Helper()
	if len(first) != len(second) || len(first) == 0 || bytes.Equal(first, second) {
		t.Fatalf("%x cannot change to %x", first, second)
	}
	if !traced() {
		trace(t)
		f(bytes.Clone(first))
		return
	}
	each(t, first, second, f)
}
