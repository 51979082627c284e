// Package peer holds the implementations that are measured, each behind the
// same small interface: a Driver does one operation on prepared inputs.
package peer

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"time"
)

// A Peer is one implementation of the curve, with its inputs prepared.
type Peer struct {
	Name      string
	Version   string
	Note      string // source, flags, what a reader has to know
	OtherWork bool   // another curve: a yardstick, whose results are not ours
	Drivers   map[string]Driver
	Functions Functions

	// Flush overwrites the caches where the peer runs, if that is another
	// process. It is nil where ours will do.
	Flush func()

	// Enter makes the process use this peer until leave is called. It is nil
	// where there is nothing to do.
	Enter func() (leave func())
	Close func()
}

// A Driver does one operation. Exactly one of Do and Run is set.
type Driver struct {
	Do  func(i int)                      // once, on row i
	Run func(first, n int) time.Duration // n times, from a row on; the time that they took

	// Rows is how many rows it goes through, if not the usual number.
	Rows int

	// Single says that it does one row of an operation that is about many: the
	// peer has nothing better than one after another.
	Single bool

	// Out does the operation on row i and returns the result in the encoding
	// of the operation, the same for all peers.
	Out func(i int) []byte

	// OwnNonce says that signatures are valid but not the ones that RFC 6979
	// or BIP-340 fix.
	OwnNonce bool

	Timing  Timing
	Note    string
	Outside bool // runs in C: its allocations are not counted

	// Remote says that it runs in another process, which counts its own
	// allocations and whose cycles are not ours.
	Remote *Remote
}

// Remote is what only the other process knows.
type Remote struct {
	Allocations func(n int) (allocs, bytes float64) // of n times, together
}

// Timing says whether the time of an operation on secrets depends on them.
type Timing string

// The two kinds of operations on secrets, and operations without any.
const (
	Public   Timing = ""
	Constant Timing = "constant time"
	Variable Timing = "not constant time"
)

// Time does the operation n times, beginning at row first.
func (d Driver) Time(first, n int) time.Duration {
	rows := d.Rows
	if rows == 0 {
		rows = Rows
	}
	if d.Run != nil {
		return d.Run(first%rows, n)
	}
	start := now()
	for i := first; i < first+n; i++ {
		d.Do(i % rows)
	}
	return now() - start
}

// Functions are operations on encodings, for the differential test. What a peer
// does not have is nil. A nil result is a refusal.
type Functions struct {
	PublicKey      func(secret []byte) []byte       // 33 bytes
	Parse          func(key []byte) []byte          // 33 or 65 bytes to 65
	ECDSASign      func(secret, hash []byte) []byte // 64 bytes
	ECDSAVerify    func(key, hash, sig []byte) bool // 64 bytes, any s
	ECDSAVerifyDER func(key, hash, der []byte) bool // any s
	LowS           bool                             // verification refuses high s

	// RawHash says that RFC 6979 gets hashes of n and above as they are, and not
	// reduced as its section 2.3.4 has it: other nonces, and so other
	// signatures, for a hash in 2^128.
	RawHash bool

	// Compact says that it parses keys of the form 05 ‖ x, which SEC 1 does not have.
	Compact bool

	SchnorrSign   func(secret, message, aux []byte) []byte
	SchnorrVerify func(key, message, sig []byte) bool // 32-byte keys and messages
	ECDHX         func(secret, key []byte) []byte     // 32 bytes
	ECDHSHA256    func(secret, key []byte) []byte     // 32 bytes
	Recover       func(hash, sig65 []byte) []byte     // 33 bytes
	Multiply      func(k, key []byte) []byte          // k·P, 33 bytes; nil at infinity
	Add           func(key, key2 []byte) []byte       // P + Q, 33 bytes; nil at infinity
	FieldMul      func(a, b []byte) []byte            // a, b < p
	FieldInv      func(a []byte) []byte               // 0 to 0
	FieldSqrt     func(a []byte) []byte               // nil if there is none
	ScalarMul     func(a, b []byte) []byte            // a, b < n
	ScalarInv     func(a []byte) []byte               // 0 to 0
}

// within are the functions as they are while the process uses a peer.
func (f Functions) within(enter func() (leave func())) Functions {
	v := reflect.ValueOf(&f).Elem()
	for i := range v.NumField() {
		if g := v.Field(i); g.Kind() == reflect.Func && !g.IsNil() {
			inner := reflect.ValueOf(g.Interface())
			g.Set(reflect.MakeFunc(g.Type(), func(args []reflect.Value) []reflect.Value {
				defer enter()()
				return inner.Call(args)
			}))
		}
	}
	return f
}

// Check compares the results of every driver with koblitz' on the inputs that
// are timed: nothing is timed that was not compared. It changes nothing. It tells doing, which may
// be nil, when p is about to work at an operation, and with empty names when p has done so.
func Check(
	in *Inputs, ours, p *Peer, only func(op string) bool, doing func(name, op string),
) error {
	out := func(op string, d Driver, i int) []byte {
		if p.Enter != nil {
			defer p.Enter()()
		}
		if doing == nil {
			return d.Out(i)
		}
		doing(p.Name, op)
		result := d.Out(i)
		doing("", "") // not if Out panics
		return result
	}
	for op, d := range p.Drivers {
		o, ok := Lookup(op)
		if !ok {
			return fmt.Errorf("%s: unknown operation %q", p.Name, op)
		}
		if !only(op) {
			continue
		}
		if d.Out == nil {
			return fmt.Errorf("%s: %s has no result to check", p.Name, op)
		}
		for _, i := range checked(o, d) {
			got, want := out(op, d, i), in.expected(ours, o, d, i)
			switch {
			case p.OtherWork:
				if len(got) == 0 {
					return fmt.Errorf("%s: %s, row %d failed", p.Name, op, i)
				}
			case d.OwnNonce:
				if !in.verifies(o, i, got) {
					return fmt.Errorf("%s: %s, row %d: the signature %x is not valid", p.Name, op, i, got)
				}
			case want == nil:
				return fmt.Errorf("%s: %s, row %d: there is nothing to compare it with", p.Name, op, i)
			case !bytes.Equal(got, want):
				return fmt.Errorf("%s: %s, row %d: %x, want %x", p.Name, op, i, got, want)
			}
		}
	}
	return nil
}

// checked are the rows on which a driver is checked: all of the usual ones, a
// whole batch once, and some of what does a batch's rows one after another.
func checked(o Operation, d Driver) (rows []int) {
	const some = 32
	switch {
	case d.Single:
		for i := range min(d.Rows, some) {
			rows = append(rows, i*d.Rows/min(d.Rows, some))
		}
	case o.Slow:
		rows = []int{0}
	default:
		for i := range Rows {
			rows = append(rows, i)
		}
	}
	return rows
}

// Operations returns the operations that p has, in the order of the list.
func (p *Peer) Operations() []string {
	var s []string
	for _, o := range Operations() {
		if _, ok := p.Drivers[o.ID]; ok {
			s = append(s, o.ID)
		}
	}
	return slices.Clip(s)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func accept(ok bool) {
	if !ok {
		panic("bench: a peer refused an input that it took in the check")
	}
}

func verdict(ok bool) []byte {
	if ok {
		return []byte{1}
	}
	return []byte{0}
}

// repeat is the Run of an operation that is too short for a call through Do.
func repeat(loop func(n int)) func(first, n int) time.Duration {
	return func(_, n int) time.Duration {
		start := now()
		loop(n)
		return now() - start
	}
}
