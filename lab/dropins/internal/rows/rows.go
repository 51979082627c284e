// Package rows runs an operation on many keys and messages, for a benchmark and for a test.
package rows

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
)

// Count is how many rows of inputs an operation has: so many that no predictor learns them.
const Count = 128

// An Operation is a call of a library on rows of inputs.
type Operation struct {
	Name string

	// Open prepares the inputs. They are the same in every process.
	Open func() Rows
}

// Rows are the inputs of an operation.
type Rows struct {
	Count int // of rows; 0 means the constant Count

	// Run does the operation on a row. It returns an error if it does not give what it has to:
	// a valid signature is refused, another key is recovered.
	Run func(row int) error

	// Result returns the encoding of what the last Run made. It is nil for operations that only
	// say yes or no.
	Result func() []byte

	// Wrong does the operation on a row with an input that was spoiled, and returns true if that
	// was noticed. It is nil for operations to which no input is wrong.
	Wrong func(row int) bool
}

func (r Rows) count() int {
	if r.Count == 0 {
		return Count
	}
	return r.Count
}

// Benchmark measures the operations, each on one row after another.
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

// Test does each operation on all rows, with inputs that are right and with ones that are not,
// and prints a line with the hash of the results:
//
//	result: NAME HEX
//
// Two programs whose lines are the same do the same.
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

// results returns the hash of the results of all rows, of each with its length before it.
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
			return nil, fmt.Errorf("row %d: what was spoiled is accepted", row)
		}
	}
	return all.Sum(nil), nil
}

// Random returns a source of bytes that gives the same ones in every process.
func Random() *rand.ChaCha8 {
	return rand.NewChaCha8([32]byte([]byte("koblitz: inputs of the drop-ins.")))
}

// Bytes returns the next n bytes of a source.
func Bytes(r *rand.ChaCha8, n int) []byte {
	b := make([]byte, n)
	r.Read(b)
	return b
}

// Flipped returns a copy of b with one bit flipped, another one for each row.
func Flipped(b []byte, row int) []byte {
	c := append([]byte(nil), b...)
	c[row*7%len(c)] ^= 1 << (row % 8)
	return c
}

// Accepted returns an error if what has to hold does not.
func Accepted(ok bool) error {
	if !ok {
		return errRefused
	}
	return nil
}

var errRefused = errors.New("what is right is refused")

// Must returns v and panics if there is an error.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
