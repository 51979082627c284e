// Package rows runs an operation on many keys and messages, called its rows, for a benchmark and
// for a test.
package rows

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
)

// Count is the number of rows that an operation has by default. It is so large that a branch
// predictor does not learn the inputs.
const Count = 128

// An Operation is a call of a library that is measured and tested on many rows of inputs.
type Operation struct {
	Name string

	// Open prepares the rows of inputs, which are the same in every process.
	Open func() Rows
}

// Rows holds the inputs of an operation, and functions that do the operation for one row of them.
type Rows struct {
	Count int // number of rows; 0 means the constant Count

	// Run does the operation for a row. If the result is wrong, such as a refused valid signature
	// or a wrong recovered key, it returns an error.
	Run func(row int) error

	// Result returns the encoded result of the last call of Run. The field is nil if the only
	// result of the operation is whether it succeeds.
	Result func() []byte

	// Wrong does the operation for a row with an invalid input, and returns true if the library
	// refuses this input. The field is nil for operations that accept every input.
	Wrong func(row int) bool
}

func (r Rows) count() int {
	if r.Count == 0 {
		return Count
	}
	return r.Count
}

// Benchmark measures each operation by running it on all its rows, again and again.
func Benchmark(b *testing.B, operations []Operation) {
	for _, o := range operations {
		b.Run(o.Name, func(b *testing.B) {
			r := o.Open()
			n := r.count()
			row := 0
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				if err := r.Run(row); err != nil {
					b.Fatalf("row %d: %v", row, err)
				}
				if row++; row == n {
					row = 0
				}
			}
		})
	}
}

// Test does each operation on all rows, with valid and with invalid inputs. It prints a line with
// the hash of the results:
//
//	result: NAME HEX
//
// If two programs print the same lines, their operations have the same results.
func Test(t *testing.T, operations []Operation) {
	for _, o := range operations {
		t.Run(o.Name, func(t *testing.T) {
			sum, err := o.Open().results()
			if err != nil {
				t.Fatal(err)
			}
			fmt.Printf("result: %s %x\n", t.Name(), sum)
		})
	}
}

// results returns the hash of the results of all rows. In the hashed text, the length of each
// result precedes the result.
func (r Rows) results() ([]byte, error) {
	all := sha256.New()
	for row := range r.count() {
		if err := r.Run(row); err != nil {
			return nil, fmt.Errorf("row %d: %w", row, err)
		}
		if r.Result != nil {
			b := r.Result()
			fmt.Fprintf(all, "%d:", len(b))
			all.Write(b)
		}
		if r.Wrong != nil && !r.Wrong(row) {
			return nil, fmt.Errorf("row %d: a spoiled input is accepted", row)
		}
	}
	return all.Sum(nil), nil
}

// Random returns a pseudo-random source whose bytes are the same in every process.
func Random() *rand.ChaCha8 {
	return rand.NewChaCha8([32]byte([]byte("koblitz: inputs of the drop-ins.")))
}

// Flipped returns a copy of b in which one bit is flipped. The position of the bit depends on row.
func Flipped(b []byte, row int) []byte {
	c := append([]byte(nil), b...)
	c[row*7%len(c)] ^= 1 << (row % 8)
	return c
}

// Accepted returns an error if ok, which says whether the library accepted a valid input, is false.
func Accepted(ok bool) error {
	if !ok {
		return errRefused
	}
	return nil
}

var errRefused = errors.New("a valid input is refused")
