package main

import (
	"fmt"
	"strings"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/lab/ctcheck/cases"
	"github.com/koblitz-go/koblitz/lab/operations"
)

// runListed runs the operations of package operations that have secrets. If every is not set, it
// leaves out the variations that functions refuse, and those of lengths that package hash has cases
// for. The operands are marked as secret before anything is made from them.
func runListed(every bool) {
	x, variations := operations.NewOperands(), operations.Variations()
	x.Paid = true
	for i, o := range operations.All() {
		if o.Needs&(operations.Public|operations.Vartime|operations.Panics) != 0 {
			continue
		}
		fmt.Println(strings.ReplaceAll(o.Name, " ", "-"))
		for j, v := range variations {
			if !v.Concerns(&o) || !every && j > 0 && o.Needs&(operations.Points|operations.Message) == 0 {
				continue
			}
			if x.Rows = manyRows; j > 0 {
				x.Rows = 1
			}
			secret := cases.Random{Counter: uint64(1000*i + j)}
			x.Fill(func(b []byte) { secret.Read(b) }, func(b []byte) { copy(b, digests()[1]) })
			if v.Bytes != nil {
				v.Bytes(x)
				for _, b := range [][]byte{x.D, x.E, x.Random} {
					cases.Mark(b)
				}
			}
			if x.Prepare(o.Needs) == nil {
				if v.Values != nil {
					v.Values(x)
				}
				runOperation(&o, x)
			}
			x.Clean()
		}
	}
}

// runOperation runs an operation. It is not inlined, so that stack traces show it.
//
//go:noinline
func runOperation(o *operations.Operation, x *operations.Operands) {
	if strings.Contains(o.Name, "musig2.") {
		defer without512()()
	}
	if o.Run(x) != nil { // whether there is an error is public
		sink++
	}
}

// without512 disables vectors of 512 bits until the returned function is called. With such vectors,
// sums of public keys would run code that valgrind cannot run and that has no portable replacement.
func without512() (restore func()) { return cpu.Restrict(cpu.BMI2 | cpu.ADX | cpu.AVX2) }
