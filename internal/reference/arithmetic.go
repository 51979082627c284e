package reference

import "math/big"

// An Arithmetic checks functions on values of type T, which represent numbers modulo Modulus.
type Arithmetic[T comparable] struct {
	Modulus *big.Int
	From    func(x *big.Int) T  // a value that represents x
	Int     func(v *T) *big.Int // the number in [0, Modulus) that v represents
}

// A failer is the part of testing.TB that Arithmetic uses.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Unary checks that op sets v to want modulo the modulus if a represents x, returns v, and does not
// change a. It also calls op with a as the receiver.
func (k *Arithmetic[T]) Unary(t failer, name string, x, want *big.Int, op func(v, a *T) *T) {
	t.Helper()
	k.check(t, name, []*big.Int{x}, want, func(v *T, args []*T) *T { return op(v, args[0]) })
}

// Binary is Unary for functions of two values. Each of the arguments is the receiver once, and both
// are if x and y are the same number.
func (k *Arithmetic[T]) Binary(
	t failer, name string, x, y, want *big.Int, op func(v, a, b *T) *T,
) {
	t.Helper()
	binary := func(v *T, args []*T) *T { return op(v, args[0], args[1]) }
	k.check(t, name, []*big.Int{x, y}, want, binary)
	if x == y {
		k.check(t, name, []*big.Int{x}, want, func(v *T, args []*T) *T { return op(v, args[0], args[0]) })
	}
}

func (k *Arithmetic[T]) check(
	t failer, name string, numbers []*big.Int, want *big.Int, op func(v *T, args []*T) *T,
) {
	t.Helper()
	want = new(big.Int).Mod(want, k.Modulus)
	for receiver := -1; receiver < len(numbers); receiver++ {
		before, values, args := make([]T, 2), make([]T, 2), make([]*T, 2)
		for i, x := range numbers {
			before[i] = k.From(x)
			values[i], args[i] = before[i], &values[i]
		}
		old := k.From(big.NewInt(0x123456789)) // old contents, which op must overwrite
		v := &old
		if receiver >= 0 {
			v = args[receiver]
		}
		if op(v, args) != v {
			t.Fatalf("%s does not return its receiver", name)
		}
		if got := k.Int(v); got.Cmp(want) != 0 {
			t.Fatalf("%s of %x, receiver %d: %x, want %x", name, numbers, receiver, got, want)
		}
		for i := range values {
			if i != receiver && values[i] != before[i] {
				t.Fatalf("%s of %x changes argument %d", name, numbers, i)
			}
		}
	}
}
