package secrettest

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"sync"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// Bits are bits of values in memory.
type Bits []bit

type bit struct {
	value string
	at    *byte
	mask  byte
}

// Add adds the lowest bit of each word of *p, or of the elements of p if it is a slice. The lowest
// bit of a y coordinate decides the encoding of a point, and bits of its other words do not. Add
// does nothing if p is nil.
func (b *Bits) Add(value string, p any) { b.AddEvery(64, value, p) }

// AddEvery works like Add for the bits 0, n, 2·n and so on, counted from the first byte. With
// KOBLITZ_DEEP=every it adds all bits.
func (b *Bits) AddEvery(n int, value string, p any) {
	if os.Getenv("KOBLITZ_DEEP") == "every" {
		n = 1
	}
	v := reflect.ValueOf(p)
	if v.IsNil() {
		return
	}
	size := int(v.Type().Elem().Size())
	if v.Kind() == reflect.Slice {
		size *= v.Len()
	}
	for i := 0; i < 8*size; i += n {
		*b = append(*b, bit{value, (*byte)(unsafe.Add(v.UnsafePointer(), i/8)), 1 << (i % 8)})
	}
}

// AddKey works like AddEvery for a private key, its public key, and its blinding if it has one.
func (b *Bits) AddKey(n int, key *keys.Private) {
	type secret struct { // the first fields of keys.Secret
		_ sync.RWMutex
		d scalar.Scalar
	}
	s, blinding := (*(*func() (*secret, *ecmult.Blinding))(unsafe.Pointer(key)))()
	b.AddEvery(n, "private key", &s.d)
	b.AddEvery(n, "public key", key.Public().Affine())
	b.AddEvery(n, "blinding", blinding)
}

// Flip flips bit i and returns the name of its value.
func (b Bits) Flip(i int) string {
	*b[i].at ^= b[i].mask
	return b[i].value
}

// A Computation is one run of the steps of a computation.
type Computation struct {
	Steps []func() error
	Bits  func(step int) Bits // of the values in memory before a step
	Right func(step int) bool // reports whether the result is right after a flip before a step
}

// Steps returns steps that return an error if the functions return false.
func Steps(functions ...func() bool) (steps []func() error) {
	for _, f := range functions {
		steps = append(steps, func() error {
			if !f() {
				return errors.New("refused")
			}
			return nil
		})
	}
	return steps
}

// attempt runs a step. A step that panics, as with an index that a fault changed, has no result
// either.
func attempt(step func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return step()
}

// Faults starts computations. It flips each bit before each step, and flips it back after that step
// or after the last one. Either a step returns an error, or the result must be right. Without a
// flip there must be no error and the right result. Some flips must give errors.
func Faults(t *testing.T, start func() Computation) {
	t.Helper()
	c := start()
	for i, step := range c.Steps {
		if err := step(); err != nil {
			t.Fatalf("step %d without a fault: %v", i, err)
		}
	}
	for i := range c.Steps {
		if !c.Right(i) {
			t.Fatalf("another result without a fault before step %d", i)
		}
	}
	runs, refused := 0, 0
	// run returns false if there are fewer bits before the step.
	run := func(before, i int, lasting bool) bool {
		c := start()
		var bits Bits
		back := func() {}
		defer func() { back() }()
		for j, step := range c.Steps {
			if j == before {
				if bits = c.Bits(j); i == len(bits) {
					return false
				}
				bits.Flip(i)
				back = func() { bits.Flip(i) }
			}
			if attempt(step) != nil {
				refused++
				return true
			}
			if j == before && !lasting {
				back()
				back = func() {}
			}
		}
		if !c.Right(before) {
			t.Errorf("%s, bit %d, before step %d, lasting %t: another result", bits[i].value, i, before,
				lasting)
		}
		return true
	}
	for before := range start().Steps {
		for i := 0; run(before, i, false) && run(before, i, true); i++ {
			runs += 2
		}
	}
	t.Logf("%d flipped bits, %d errors", runs, refused)
	if refused == 0 {
		t.Error("no flip gives an error")
	}
}

// KeyFaults checks that sign returns the error want if any bit of its key, of the public key or of
// the blinding is flipped, and no error otherwise.
func KeyFaults(t *testing.T, want error, sign func(key *keys.Private) error) {
	t.Helper()
	var d, r scalar.Scalar
	d.SetUint64(0x9d3b71e6a5).Square(&d).Square(&d)
	plain := keys.New(&d)
	blinded := plain.Blinded(ecmult.NewBlinding(r.SetUint64(5)))
	for _, key := range []*keys.Private{&plain, &blinded} {
		var all Bits
		all.AddKey(1, key)
		if err := sign(key); err != nil {
			t.Fatalf("without a fault: %v", err)
		}
		for i := range all {
			value := all.Flip(i)
			if err := sign(key); err != want {
				t.Fatalf("bit %d of the %s: %v", i, value, err)
			}
			all.Flip(i)
		}
	}
}
