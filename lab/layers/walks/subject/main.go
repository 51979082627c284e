// Command subject makes one of the calls that the section "Walks" of ARCHITECTURE.md describes. Its
// arguments are the name of an operation of package operations, or ecdsa.Verify, and a number of
// rows. Package walks builds it with kernels that record the stacks of their callers.
package main

//ci:untested The tests of lab/layers/walks run it.

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"log"
	"os"
	"slices"
	"strconv"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/lab/operations"
)

func main() {
	name, run := os.Args[1], verification
	if name != "ecdsa.Verify" {
		rows, err := strconv.Atoi(os.Args[2])
		if err != nil {
			log.Fatal(err)
		}
		run = func() error { return operation(name, rows) }
	}
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func verification() error {
	key, hash := koblitz.GenerateKey(), sha256.Sum256(nil)
	sig, err := ecdsa.Sign(key, hash[:], nil)
	if err == nil && !ecdsa.Verify(key.PublicKey(), hash[:], sig) {
		err = errors.New("a good signature does not verify")
	}
	return err
}

// operation runs an operation. Its operands are the same in every run.
func operation(name string, rows int) error {
	all := operations.All()
	i := slices.IndexFunc(all, func(op operations.Operation) bool { return op.Name == name })
	if i < 0 {
		return fmt.Errorf("there is no operation %s", name)
	}
	o := operations.NewOperands()
	o.Rows = rows
	ones := func(b []byte) { copy(b, slices.Repeat([]byte{1}, len(b))) }
	o.Fill(ones, ones)
	if err := o.Prepare(all[i].Needs); err != nil {
		return err
	}
	if err := all[i].Run(o); err != nil {
		return err
	}
	if o.Valid != o.Count {
		return fmt.Errorf("%d of %d good signatures verify", o.Valid, o.Count)
	}
	return nil
}
