package changing

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Calls checks calls of functions with arguments that change, and that no argument was left out.
type Calls struct {
	t     testing.TB
	done  map[string]bool // names of arguments
	calls int
}

// NewCalls returns Calls for a test.
func NewCalls(t testing.TB) *Calls { return &Calls{t: t, done: make(map[string]bool)} }

// Check calls f with bytes that change from first to second, from second to first, and from bytes
// 0xff to first. The parameter constant holds the bytes as they are before the change. The result
// of f must print like its result for bytes that do not change. name names the argument, as in
// "schnorr.Verify msg" or "dleq.Prove o.Message".
func (c *Calls) Check(name string, first, second []byte, f func(b, constant []byte) any) {
	c.t.Helper()
	c.check(name, first, second, f, false)
}

// CheckOrError is like Check for a function that computes twice, to find faults of the machine: it
// may also return an error.
func (c *Calls) CheckOrError(name string, first, second []byte, f func(b, constant []byte) any) {
	c.t.Helper()
	c.check(name, first, second, f, true)
}

func (c *Calls) check(
	name string, first, second []byte, f func(b, constant []byte) any, orError bool,
) {
	c.t.Helper()
	c.done[name] = true
	result := func(b, constant []byte) (result any) {
		defer func() {
			if r := recover(); r != nil {
				result = fmt.Sprint("panic: ", r)
			}
		}()
		return f(b, constant)
	}
	ff := bytes.Repeat([]byte{0xff}, len(first))
	for _, pair := range [][2][]byte{{first, second}, {second, first}, {ff, first}} {
		if bytes.Equal(pair[0], pair[1]) {
			continue
		}
		c.calls++
		want := result(bytes.Clone(pair[0]), pair[0])
		Each(c.t, pair[0], pair[1], func(b []byte) {
			got := result(b, pair[0])
			if _, ok := got.(error); ok && orError {
				return
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				c.t.Errorf("%s: %.64x becomes %.64x: %v, want %v", name, pair[0], pair[1], got, want)
			}
		})
	}
}

// Complete fails the test if an argument of a package was not checked. The packages are given by
// their names in the folder with the files of the exported names.
func (c *Calls) Complete(folder string, packages ...string) {
	c.t.Helper()
	names := arguments(c.t, folder, packages...)
	c.t.Logf("%d arguments, %d calls", len(names), c.calls)
	for _, name := range names {
		if !c.done[name] {
			c.t.Errorf("%s is not tested", name)
		}
	}
	for name := range c.done {
		if !slices.Contains(names, name) {
			c.t.Errorf("there is no %s", name)
		}
	}
}

// declared matches the declaration of a function or method, and captures the receiver's type, the
// name and the parameters.
var declared = regexp.MustCompile(`(?m)^\t*func (?:\((?:\w+ )?\*?(\w+)\) )?(\w+)\(([^)]*)\)`)

// arguments returns the names of the arguments of exported functions and methods that hold bytes of
// a caller: slices of bytes, and entropy for ECDSA. Bytes that a function appends to are no such
// argument.
func arguments(t testing.TB, folder string, packages ...string) (names []string) {
	t.Helper()
	for _, pkg := range packages {
		files, err := filepath.Glob(filepath.Join(folder, "*"+pkg+".txt"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%s: %v, %v", pkg, files, err)
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range declared.FindAllStringSubmatch(string(text), -1) {
			name := strings.ReplaceAll(pkg+"."+f[1]+"."+f[2]+" ", "..", ".")
			first := 0 // parameter of the type that follows
			parameters := strings.Split(f[3], ", ")
			for i, p := range parameters {
				_, typ, _ := strings.Cut(p, " ")
				for ; typ != "" && first <= i; first++ {
					argument, _, _ := strings.Cut(parameters[first], " ")
					switch {
					case first == 0 && strings.HasPrefix(f[2], "Append"):
					case strings.HasSuffix(typ, "[]byte"):
						names = append(names, name+argument)
					case typ == "*ecdsa.SignOptions":
						names = append(names, name+argument+".Entropy")
					}
				}
			}
		}
	}
	return names
}
