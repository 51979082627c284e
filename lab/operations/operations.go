// Package operations lists what the library does: its exported types and functions, and calls of
// every function that takes or makes a secret or takes a context.
//
// Checks that concern every function are loops over these lists: zero values, printers, contexts
// that end, secrets left in memory, the depth of stacks, and time that depends on secrets. A
// function or a type that is added to the library is added here, once; a test of this package says
// what is missing.
//
// The lists do not know correct results, so an error here could hide errors from all of these
// checks. The subject of lab/ctcheck and the programs that compare results with other libraries
// also have inputs and calls of their own.
package operations

import (
	"slices"

	"github.com/koblitz-go/koblitz"
)

// An Operation is a call of an exported function or method.
type Operation struct {
	// Name is the name of the function, as the folder api has it: "ecdsa.Sign", or
	// "koblitz.PrivateKey.Bytes" for a method. If a function has several operations, a space and a
	// description follow.
	Name  string
	Needs Needs
	// Run calls the function. It stores in o those results that hold a secret.
	Run func(o *Operands) error
}

// Needs are flags that say which operands an operation needs, and what it is.
type Needs int

const (
	Keys Needs = 1 << iota
	Scalars
	Points
	DropIns
	Signatures
	Numbers  // it takes D or E as bytes
	Message  // it takes D as a message of any length
	Hash     // it takes Operands.Hash
	Random   // it takes Operands.Random
	ManyRows // it works on many rows: Operands.Rows of them
	Context  // the function takes a context, which is Operands.Context
	Public   // the operation neither takes nor makes a secret
	Vartime  // its time depends on a secret, as the documentation of the function says
	Panics   // it recovers from a panic for an operand that is nil
	Deep     // it needs a large stack, which GrowStack makes, before it runs
	Verifies // the operation verifies a signature, which is public, after it has made it
)

// All returns all operations.
func All() []Operation {
	return slices.Concat(privateKeys, signing, sharing, encoding, groups, proofs, payments, musigs,
		dropIns, rows)
}

// do returns the method Run of an operation that calls f and has no result with a secret.
func do(f func(o *Operands)) func(o *Operands) error {
	return func(o *Operands) error {
		f(o)
		return nil
	}
}

// gives returns the method Run of an operation whose result is that of f.
func gives(f func(o *Operands) ([]byte, error)) func(o *Operands) error {
	return func(o *Operands) error {
		b, err := f(o)
		o.give(b)
		return err
	}
}

// makes returns the method Run of an operation that makes a private key.
func makes(f func(o *Operands) (*koblitz.PrivateKey, error)) func(o *Operands) error {
	return func(o *Operands) (err error) {
		o.Made, err = f(o)
		return err
	}
}

// asks returns the method Run of an operation that compares two values, or a value with zero. It
// stores the answer, which may be secret, in Operands.True.
func asks(f func(o *Operands) bool) func(o *Operands) error {
	return func(o *Operands) error {
		o.True = f(o)
		return nil
	}
}
