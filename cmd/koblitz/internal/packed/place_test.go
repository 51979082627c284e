package packed

import (
	"bytes"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading/placetest"
)

// TestPlace checks that reading resumes after every batch, in complete files and in a truncated
// one.
func TestPlace(t *testing.T) {
	for _, f := range []Format{BIP340, ECDSA} {
		data := make([]byte, 3*rowsPerBatch*f.Width())
		for i := range data {
			data[i] = byte(i ^ i>>8 ^ i>>16)
		}
		open := func(src reading.Source) reading.Reader { return NewReader(src, f) }
		for _, cut := range []int{0, 1, f.Width() + 5} {
			want := 3
			if n := placetest.Check(t, data[:len(data)-cut], open); n != want {
				t.Errorf("%s: %d places, want %d", f.Name, n, want)
			}
		}
		if n := placetest.Check(t, bytes.Clone(data[:f.Width()-1]), open); n != 0 {
			t.Errorf("%s: %d places in a part of a row", f.Name, n)
		}
	}
}
