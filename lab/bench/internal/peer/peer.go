// Package peer gives a common interface to the implementations of secp256k1 that the benchmarks
// compare. For each operation, a [Driver] calls one implementation with inputs prepared in advance.
package peer

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Peer is an implementation of secp256k1 together with its prepared inputs.
type Peer struct {
	Name      string
	Version   string
	Note      string // source, compiler flags and remarks, for the report
	Drivers   map[string]Driver
	Functions Functions // set for libsecp256k1 only

	// Enter makes this library use the implementation that the peer measures, until leave is
	// called. It is nil if the peer needs no such setting.
	Enter func() (leave func())
	Close func()
}

// A Driver runs one operation of a peer. Either Do or Run is set, not both.
type Driver struct {
	Do  func(i int)                      // does the operation once, on row i
	Run func(first, n int) time.Duration // does it n times from row first on; returns the duration

	// Rows is the number of rows of the driver's inputs, or zero for the constant [Rows].
	Rows int

	// Single says that the operation is on many rows, but one call of Do processes a single row,
	// since the peer has no batch function.
	Single bool

	// Out does the operation on row i and returns its result, in an encoding that all peers use.
	Out func(i int) []byte

	Timing  Timing
	Note    string
	Outside bool // runs in C, whose allocations cannot be counted

	// Remote is set if the driver runs the operation in another process, which counts its own
	// allocations. It returns their number and total bytes in n operations.
	Remote func(n int) (allocs, bytes float64)
}

// A Timing says whether the running time of an operation depends on its secrets.
type Timing string

// The values of Timing. Operations without secrets have the value Public.
const (
	Public   Timing = ""
	Constant Timing = "constant time"
	Variable Timing = "not constant time"
)

// Time does the operation n times, beginning with the given row, and returns the duration.
func (d Driver) Time(row, n int) time.Duration {
	rows := d.Rows
	if rows == 0 {
		rows = Rows
	}
	if d.Run != nil {
		return d.Run(row%rows, n)
	}
	start := now()
	for i := row; i < row+n; i++ {
		d.Do(i % rows)
	}
	return now() - start
}

// Functions are libsecp256k1's operations on encoded values, for the command
// lab/bench/differential. A nil result means that the library refused the input. Keys that the
// functions take have 33 or 65 bytes.
type Functions interface {
	PublicKey(secret []byte) []byte                 // returns a key of 33 bytes
	Parse(key []byte) []byte                        // converts a key to 65 bytes
	ECDSASign(secret, hash []byte) []byte           // returns a signature of 64 bytes
	ECDSAVerify(key, hash, sig []byte) bool         // sig has 64 bytes and any s
	ECDSAVerifyLowS(key, hash, sig []byte) bool     // refuses an s above n/2
	ECDSAVerifyDER(key, hash, der []byte) bool      // refuses an s above n/2
	SchnorrSign(secret, message, aux []byte) []byte // message of 32 bytes
	SchnorrVerify(key, message, sig []byte) bool
	ECDHX(secret, key []byte) []byte            // returns the x coordinate, 32 bytes
	ECDHSHA256(secret, key []byte) []byte       // returns the hash, 32 bytes
	EllswiftDecode(encoding []byte) []byte      // returns the key in 33 bytes
	Recover(hash, sig65 []byte) []byte          // returns a key of 33 bytes
	Multiply(k, key []byte) []byte              // returns k·key in 33 bytes
	Combine(keys ...[]byte) []byte              // returns the sum in 33 bytes
	TweakAdd(key, tweak []byte) []byte          // returns key + tweak·G in 33 bytes
	SecretTweakAdd(secret, tweak []byte) []byte // returns the sum modulo n
	SecretTweakMul(secret, tweak []byte) []byte // returns the product modulo n
	TaggedHash(tag, message []byte) []byte      // returns the hash of BIP-340, 32 bytes

	// EllswiftSecret returns the secret of BIP-324 that both parties share.
	EllswiftSecret(secret, ours, theirs []byte, initiating bool) []byte

	// TweakCheck reports whether an output commits to an x-only key by a tweak (BIP-341).
	TweakCheck(key, tweak, output []byte, parity byte) bool
}

// Check compares the results of p's drivers with koblitz's results for the inputs of the timed
// runs. It checks the operations for which include returns true. If p panics in an operation and is
// not koblitz, Check removes the driver from p and calls the function absent.
func Check(
	in *Inputs, ours, p *Peer, include func(op string) bool, absent func(op string, reason error),
) error {
	for op, d := range p.Drivers {
		o, ok := Lookup(op)
		if !ok {
			return fmt.Errorf("%s: unknown operation %q", p.Name, op)
		}
		if !include(op) {
			continue
		}
		if d.Out == nil {
			return fmt.Errorf("%s: %s has no result to check", p.Name, op)
		}
		for _, i := range checked(o, d) {
			var got []byte
			err := p.Try(func() {
				if p.Enter != nil {
					defer p.Enter()()
				}
				got = d.Out(i)
			})
			if err != nil {
				delete(p.Drivers, op)
				absent(op, err)
				break
			}
			switch want := in.expected(ours, o, d, i); {
			case want == nil:
				return fmt.Errorf("%s: %s, row %d: there is nothing to compare it with", p.Name, op, i)
			case !bytes.Equal(got, want):
				return fmt.Errorf("%s: %s, row %d: %x, want %x", p.Name, op, i, got, want)
			}
		}
	}
	return nil
}

// Try calls f, which calls the peer, and returns an error if f panics. It does not recover from a
// panic of koblitz.
func (p *Peer) Try(f func()) (err error) {
	if strings.HasPrefix(p.Name, Koblitz) {
		f()
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it panicked: %v", r)
		}
	}()
	f()
	return nil
}

// checked returns the rows on which Check compares the results of driver d of operation o: all rows
// if the operation is on one row, a single row if the driver processes a whole batch in one call,
// and up to 32 rows if the driver processes a batch row by row.
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

// verifies returns the driver for an operation that calls the function do to verify a signature,
// which must be valid.
func verifies(do func(i int) bool) Driver {
	return Driver{
		Do:  func(i int) { accept(do(i)) },
		Out: func(i int) []byte { return verdict(do(i)) },
	}
}

// returns returns the driver for an operation that the function run carries out. The result of run
// is the encoded result of the operation.
func returns(t Timing, run func(i int) []byte) Driver { return gives(t, run, slices.Clone) }

// gives returns the driver for an operation that the function run carries out. The function encode
// returns the result of run as bytes.
func gives[T any](t Timing, run func(i int) T, encode func(T) []byte) Driver {
	return Driver{
		Do: func(i int) { run(i) }, Out: func(i int) []byte { return encode(run(i)) }, Timing: t,
	}
}

// stores returns the driver for an operation that the function run carries out. The function run
// stores its result, and the function encode returns that result as bytes.
func stores(t Timing, run func(i int), encode func() []byte) Driver {
	return Driver{Do: run, Out: func(i int) []byte { run(i); return encode() }, Timing: t}
}

func (d Driver) noted(note string) Driver {
	d.Note = note
	return d
}

// bytes32 returns the bytes of an array, for results of functions that return arrays.
func bytes32(b [32]byte) []byte { return b[:] }

func verdict(ok bool) []byte {
	if ok {
		return []byte("valid")
	}
	return []byte("invalid")
}

// chain adds to d the driver for an operation of less than a microsecond, in which a call of Do for
// each execution would distort the time. The function loop executes it n times, beginning with the
// given row, and returns the last result, encoded.
func chain(d map[string]Driver, id string, loop func(row, n int) []byte) {
	d[id] = Driver{
		Run: func(first, n int) time.Duration {
			start := now()
			loop(first, n)
			return now() - start
		},
		Out: func(i int) []byte { return loop(i, 1) },
	}
}
