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
	Name    string
	Version string
	Note    string // source, compiler flags and remarks, for the report
	Drivers map[string]Driver

	// Restrict makes this library use the implementation that the peer measures, until restore is
	// called. It is nil if the peer needs no such setting.
	Restrict func() (restore func())
	Close    func()
}

// Enter makes this process use the implementation that the peer measures, and returns a function
// that restores the implementation in use before. Both empty all sync.Pools, which may hold objects
// of the other implementation.
func (p *Peer) Enter() (leave func()) {
	if p.Restrict == nil {
		return func() {}
	}
	restore := p.Restrict()
	EmptyPools()
	return func() {
		restore()
		EmptyPools()
	}
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

	Note string
}

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
		rows := checked(o, d)
		got := make([][]byte, len(rows))
		err := p.Try(func() {
			defer p.Enter()()
			for k, i := range rows {
				got[k] = bytes.Clone(d.Out(i))
			}
		})
		if err != nil {
			delete(p.Drivers, op)
			absent(op, err)
			continue
		}
		for k, i := range rows {
			switch want := in.expected(ours, o, d, i); {
			case want == nil:
				return fmt.Errorf("%s: %s, row %d: there is nothing to compare it with", p.Name, op, i)
			case !bytes.Equal(got[k], want):
				return fmt.Errorf("%s: %s, row %d: %x, want %x", p.Name, op, i, got[k], want)
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
	case o.Family != "":
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

// An op makes the driver of an operation on single rows. R is a peer's type of a row, which holds
// what the peer parsed from the inputs.
type op[R any] func(rows []R) Driver

// verifies returns an operation that calls the function do to verify a signature, which must be
// valid.
func verifies[R any](do func(r R) bool) op[R] {
	return func(rows []R) Driver {
		return Driver{
			Do:  func(i int) { accept(do(rows[i])) },
			Out: func(i int) []byte { return verdict(do(rows[i])) },
		}
	}
}

// gives returns an operation that the function run carries out. The function encode returns the
// result of run as bytes.
func gives[R, T any](run func(r R) T, encode func(T) []byte) op[R] {
	return func(rows []R) Driver {
		return Driver{Do: func(i int) { run(rows[i]) },
			Out: func(i int) []byte { return encode(run(rows[i])) }}
	}
}

// returns returns an operation that the function run carries out. The result of run is the encoded
// result of the operation.
func returns[R any](run func(r R) []byte) op[R] { return gives(run, slices.Clone) }

func (o op[R]) noted(note string) op[R] {
	return func(rows []R) Driver { return o(rows).noted(note) }
}

// single returns the drivers of the operations that are measured on single rows.
func single[R any](rows []R, ops map[string]op[R]) map[string]Driver {
	d := map[string]Driver{}
	for _, o := range Operations() {
		if f := ops[o.ID]; f != nil {
			d[o.ID] = f(rows)
		}
	}
	return d
}

// rowByRow returns the drivers that process batches by the given operations on single rows, one row
// after another. The function parse returns a peer's row for the inputs of a row.
func rowByRow[R any](in *Inputs, parse func(*Row) R, ops map[string]op[R]) map[string]Driver {
	all, rows := map[string]Driver{}, each(in.many, parse)
	for _, f := range BatchFamilies {
		sizes := in.sizes(f.Family)
		if ops[f.Row] == nil || len(sizes) == 0 {
			continue
		}
		d := ops[f.Row](rows[:slices.Max(sizes)])
		d.Single = true
		d.Note = strings.TrimSuffix("one by one; "+d.Note, "; ")
		for _, d.Rows = range sizes {
			all[fmt.Sprintf("%s-%d", f.Family, d.Rows)] = d
		}
	}
	return all
}

// each returns the results of f for all elements of s.
func each[S, T any](s []S, f func(S) T) (all []T) {
	for _, x := range s {
		all = append(all, f(x))
	}
	return all
}

// stores returns the driver for an operation that the function run carries out. The function run
// stores its result, and the function encode returns that result as bytes.
func stores(run func(i int), encode func() []byte) Driver {
	return Driver{Do: run, Out: func(i int) []byte { run(i); return encode() }}
}

func (d Driver) noted(note string) Driver {
	d.Note = note
	return d
}

func verdict(ok bool) []byte {
	if ok {
		return []byte("valid")
	}
	return []byte("invalid")
}

// chain adds to d the driver for an operation of less than a microsecond, in which a call of Do for
// each execution would distort the time. The function loop executes it n times, each on the last
// result, beginning with a value x of a and, if there is another operand, that of the same row.
func chain[E any](
	d map[string]Driver, id string, a []E, encode func(*E) []byte, loop func(x *E, row, n int),
) {
	d[id] = Driver{
		Run: func(first, n int) time.Duration {
			x := a[first]
			start := now()
			loop(&x, first, n)
			return now() - start
		},
		Out: func(i int) []byte {
			x := a[i]
			loop(&x, i, 1)
			return encode(&x)
		},
	}
}
