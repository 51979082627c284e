// Package changing tests what a function does if a caller's memory changes during a call, because
// another goroutine or process writes it, or because a bit flips. A function must not parse one
// value and hash another: it reads each byte once.
package changing

import (
	"bytes"
	"strings"
	"testing"
)

// Each calls f with a slice that holds first. As soon as f reads a place of it again, the slice
// holds second, which has the same length. A function that reads each byte once returns its result
// for first. It is an error if f does not read the slice.
//
// The slice changes only in a traced process, which runs the test again, and only on Linux for
// amd64. Elsewhere, and in the process that runs the other tests, the slice holds first all the
// time. So f is called once or twice. A place is the address of the first byte that an instruction
// reads. Instructions that follow each other directly may read the same place, as in copies of
// some lengths.
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

// Same checks that f returns its result for first even if the bytes change as soon as f has
// read them.
func Same(t testing.TB, name string, first []byte, f func(b []byte) string) {
	t.Helper()
	Refused(t, name, "", first, f)
}

// Refused checks the result of f as Same does, but if the bytes have changed and refusal is not
// empty, the result must end with refusal.
func Refused(t testing.TB, name, refusal string, first []byte, f func(b []byte) string) {
	t.Helper()
	want, second := f(bytes.Clone(first)), bytes.Clone(first)
	for i := range second {
		second[i] ^= 1
	}
	Each(t, first, second, func(b []byte) {
		got := f(b)
		if refusal != "" && !bytes.Equal(b, first) {
			if !strings.HasSuffix(got, refusal) {
				t.Errorf("%s: %s, want %s", name, got, refusal)
			}
		} else if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	})
}
