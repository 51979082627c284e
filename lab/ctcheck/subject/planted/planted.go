// Package planted holds functions that leak without a branch and without an address, so that
// memcheck does not report them. If a function's name begins with Instruction, ctcheck must find
// its instruction with variable time. If it begins with Caller, ctcheck must find that it can call
// a function with such an instruction.
package planted

//ci:untested The tests of ctcheck and the step constanttime judge it.

import (
	"io"
	"math"
	"math/bits"
	"slices"
)

// InstructionInlined divides. The compiler inlines it into the subject.
func InstructionInlined(x uint64) uint64 { return 1000 / (x&255 + 1) }

// InstructionLiteral divides in a function literal.
func InstructionLiteral(x uint64) func() uint64 {
	return func() uint64 { return 3000 % (x&127 + 1) }
}

// InstructionRoot computes a square root.
//
//go:noinline
func InstructionRoot(x uint64) uint64 { return uint64(int64(math.Sqrt(float64(int64(x & 255))))) }

// InstructionProduct multiplies floating-point numbers, which may be very small.
//
//go:noinline
func InstructionProduct(x uint64) uint64 { return math.Float64bits(math.Float64frombits(x) * 0.5) }

// InstructionConversion rounds a floating-point number, which may be very small.
//
//go:noinline
func InstructionConversion(x uint64) uint64 {
	return uint64(math.Float32bits(float32(math.Float64frombits(x))))
}

// CallerOfName calls a function with a name that permits leaks.
func CallerOfName(x uint64) uint64 { return divideVartime(x) }

// CallerOfDirective calls a function with a directive that permits leaks.
func CallerOfDirective(x uint64) uint64 { return divide(x) }

// CallerTwice calls a function that permits leaks and calls another one that does.
func CallerTwice(x uint64) uint64 { return passOn(x) }

// CallerMethod calls a method of an interface.
//
//go:noinline
func CallerMethod(x Divider) uint64 { return x.divide() }

// CallerValue calls its argument, which may be a function of PassOn.
//
//go:noinline
func CallerValue(x byte, f func(x uint8) uint8) byte { return f(x) }

// CallerOfSearch gives the standard library its argument, which may be dividesVartime.
//
//go:noinline
func CallerOfSearch(x uint64, f func(x uint64) bool) bool {
	return slices.ContainsFunc([]uint64{x}, f)
}

// CallerOfVariable calls a function that is in a variable.
func CallerOfVariable(x uint64) uint64 { return variable(x) }

// CallerOfPublic calls a function that calls whatever is in a variable.
func CallerOfPublic(x int32) int32 { return callStored(x) }

// CallerLiteral calls a function outside of any function.
var CallerLiteral = func(x uint32) uint32 { return uint32(divideVartime(uint64(x))) }

// CallerStandard uses the value of a function of the standard library that divides.
func CallerStandard(x uint64) uint64 { return CallerOfThree(x, bits.Rem64) }

// CallerOfThree calls its argument, which may be bits.Rem64.
//
//go:noinline
func CallerOfThree(x uint64, f func(hi, lo, y uint64) uint64) uint64 { return f(0, x, 1000) }

// CallerOfWriter gives io.WriteString a writer that divides.
func CallerOfWriter(w *Writer) { io.WriteString(w, "a") }

// CallerOfIterator calls an iterator.
//
//go:noinline
func CallerOfIterator[S ~func(func(uint64) bool)](all S) (sum uint64) {
	for x := range all {
		sum += x
	}
	return sum
}

var (
	variable = divideVartime
	stored   func(x int32) int32
	quotient uint64
)

// PassOn gives other functions functions that divide.
//
//ct:public planted
func PassOn(x uint64) uint64 {
	CallerOfSearch(x, dividesVartime)
	stored = func(x int32) int32 { return 1000 / (x&255 + 1) }
	return uint64(CallerValue(byte(x), func(x byte) byte { return 100 / (x&127 + 1) })) +
		CallerOfIterator(func(yield func(x uint64) bool) { yield(1000 / (x&255 + 1)) }) + quotient
}

//ct:public planted
//go:noinline
func callStored(x int32) int32 { return stored(x) }

//go:noinline
func dividesVartime(x uint64) bool {
	quotient = 1000 / (x&255 + 1)
	return true
}

//go:noinline
func divideVartime(x uint64) uint64 { return 1000 / (x&255 + 1) }

//ct:public planted
//go:noinline
func divide(x uint64) uint64 { return 1000 / (x&255 + 1) }

//ct:public planted
func passOn(x uint64) uint64 { return divideVartime(x) }

// A Divider has a method that divides.
type Divider interface{ divide() uint64 }

// A Number is a Divider.
type Number uint64

//ct:public planted
//go:noinline
func (n *Number) divide() uint64 { return 1000 / (uint64(*n)&255 + 1) }

// A Writer divides the number in it.
type Writer struct{ N uint64 }

// Write does nothing.
func (w *Writer) Write(b []byte) (int, error) { return len(b), nil }

// WriteString divides.
//
//ct:public planted
//go:noinline
func (w *Writer) WriteString(s string) (int, error) {
	w.N = 1000 / (w.N&255 + 1)
	return len(s), nil
}
