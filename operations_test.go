package koblitz_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/lab/operations"
)

// results returns the names and results of all operations whose results are not random. Operands
// depend on the seed.
func results(t *testing.T, seed byte) []byte {
	o := operations.NewOperands()
	var all bytes.Buffer
	for _, op := range operations.All() {
		var both [2]string
		for i := range both {
			r := rand.NewChaCha8([32]byte{seed})
			read := func(b []byte) { r.Read(b) }
			o.Fill(read, read)
			if err := o.Prepare(op.Needs); err != nil {
				t.Fatal(err)
			}
			if err := op.Run(o); err != nil {
				t.Errorf("%s: %v", op.Name, err)
			}
			both[i] = fmt.Sprintf("%x %x %x %x %v %d %d", o.Out, o.Made.Bytes(), o.Z.Bytes(), o.R.Bytes(),
				o.True, o.Count, o.Valid)
			o.Out, o.Count, o.Valid = [96]byte{}, 0, 0
			o.Clean()
		}
		if both[0] == both[1] {
			fmt.Fprintln(&all, op.Name, both[0])
		}
	}
	if n := bytes.Count(all.Bytes(), []byte("\n")); n < 190 {
		t.Errorf("only %d results are not random", n)
	}
	return all.Bytes()
}
