// Package peer makes the implementations that are compared usable through one interface. For each
// operation, a [Driver] calls one implementation on inputs that were prepared in advance.
package peer

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"time"
)

// A Peer is an implementation of secp256k1 with its inputs prepared.
type Peer struct {
	Name      string
	Version   string
	Note      string // source, compiler flags and what else a reader of the report has to know
	OtherWork bool   // on another curve, so that results are not compared with koblitz'
	Drivers   map[string]Driver
	Functions Functions

	// Flush overwrites the CPU caches in the process that runs the peer, if that is not this one.
	// If it is nil, this process overwrites them.
	Flush func()

	// Enter forces the implementation that the peer stands for, until leave is called. It is nil if
	// nothing has to be forced.
	Enter func() (leave func())
	Close func()
}

// A Driver runs one operation of a peer. Exactly one of Do and Run is set.
type Driver struct {
	Do  func(i int)                      // does the operation once, on row i
	Run func(first, n int) time.Duration // does it n times from row first on; returns the time taken

	// Rows is the number of rows that the inputs have, or zero for [Rows].
	Rows int

	// Single reports that the operation is on many rows, and one call of Do does a single row: the
	// peer has no batch function.
	Single bool

	// Out does the operation on row i and returns its result, in an encoding that is the same for
	// all peers.
	Out func(i int) []byte

	// OwnNonce reports that the peer chooses nonces differently from RFC 6979 or BIP-340: its
	// signatures are valid, but not equal to koblitz'.
	OwnNonce bool

	Timing  Timing
	Note    string
	Outside bool // runs in C, whose allocations are not counted

	// Remote is set if the driver runs in another process. That process counts its own allocations;
	// its CPU cycles are not counted here.
	Remote *Remote
}

// Remote asks the other process for its measurements.
type Remote struct {
	Allocations func(n int) (allocs, bytes float64) // the allocations in n operations
}

// Timing states whether the running time of an operation on secrets depends on them.
type Timing string

// The values of Timing. Public is for operations without secrets.
const (
	Public   Timing = ""
	Constant Timing = "constant time"
	Variable Timing = "not constant time"
)

// Time does the operation n times, starting at row first, and returns the time taken.
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

// Functions are a peer's operations on encoded values, for the differential test. A function that
// the peer lacks is nil. A nil result means that the input was refused.
type Functions struct {
	PublicKey      func(secret []byte) []byte       // returns 33 bytes
	Parse          func(key []byte) []byte          // converts 33 or 65 bytes to 65
	ECDSASign      func(secret, hash []byte) []byte // returns 64 bytes
	ECDSAVerify    func(key, hash, sig []byte) bool // 64-byte sig with any s
	ECDSAVerifyDER func(key, hash, der []byte) bool // with any s
	LowS           bool                             // whether verification refuses high s

	// RawHash reports that the peer's RFC 6979 nonces are computed from hashes that were not
	// reduced modulo n, as its section 2.3.4 requires. For hashes of n and above (about one in
	// 2^128) the nonces, and so the signatures, differ from koblitz'.
	RawHash bool

	// Compact reports that the peer also parses keys of the form 05 ‖ x, which SEC 1 does not
	// define.
	Compact bool

	SchnorrSign   func(secret, message, aux []byte) []byte
	SchnorrVerify func(key, message, sig []byte) bool // 32-byte keys and messages
	ECDHX         func(secret, key []byte) []byte     // returns 32 bytes
	ECDHSHA256    func(secret, key []byte) []byte     // returns 32 bytes
	Recover       func(hash, sig65 []byte) []byte     // returns 33 bytes
	Multiply      func(k, key []byte) []byte          // returns k·P in 33 bytes, nil at infinity
	Add           func(key, key2 []byte) []byte       // returns P + Q in 33 bytes, nil at infinity
	FieldMul      func(a, b []byte) []byte            // a and b are less than p
	FieldInv      func(a []byte) []byte               // returns 0 for 0
	FieldSqrt     func(a []byte) []byte               // returns nil if there is no square root
	ScalarMul     func(a, b []byte) []byte            // a and b are less than n
	ScalarInv     func(a []byte) []byte               // returns 0 for 0
}

// within returns the functions such that each call runs between enter and the returned leave
// function.
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

// Check compares the results of each of p's drivers with koblitz' results for the same inputs as in
// the timed runs. Only operations for which only returns true are compared. Before p runs an
// operation, Check calls doing with the peer and the operation; when p has returned, it calls doing
// with empty strings. doing may be nil.
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
		doing("", "") // not reached if Out panics
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

// checked returns the rows on which Check compares a driver: all rows for operations on one row, a
// single call for operations on a batch, and up to 32 rows if the driver does the rows of a batch
// one at a time.
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

// Operations returns the IDs of the operations that p has, in the order of the function
// [Operations].
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

// repeat returns a Run function for an operation that is so short that a call of Do for each
// repetition would distort its time.
func repeat(loop func(n int)) func(first, n int) time.Duration {
	return func(_, n int) time.Duration {
		start := now()
		loop(n)
		return now() - start
	}
}
