//go:build !purego

package operations

import (
	"os"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// TestNeeds checks that no operation uses operands that its flags do not say that it needs: they
// are nil, or in memory that cannot be read.
func TestNeeds(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	size := os.Getpagesize()
	guard := (*[64]byte)(unsafe.Add(cputest.Guarded(t, uintptr(size))[0], size))
	trap := guard[:32:32]
	for _, o := range All() {
		for _, v := range []Variation{
			{Needs: Keys, Values: func(x *Operands) { x.Key, x.Other = nil, nil }},
			{Needs: Scalars | Points, Values: func(x *Operands) { x.X, x.Y = nil, nil }},
			{Needs: Points, Values: func(x *Operands) { x.P, x.Q, x.points = nil, nil, nil }},
			{Needs: DropIns, Values: func(x *Operands) { x.dropIns = nil }},
			{Needs: Numbers | Message, Values: func(x *Operands) { x.D, x.E, x.DE = trap, trap, guard }},
			{Needs: Hash, Values: func(x *Operands) { x.Hash = trap }},
			{Needs: Random, Values: func(x *Operands) { x.Random = trap }},
			{Needs: Context, Values: func(x *Operands) { x.Context = nil }},
		} {
			v.Name = "valid"
			if x := filled(1); !v.Concerns(&o) {
				if err := run(&o, &v, x); err != nil {
					t.Errorf("without %b: %v", v.Needs, err)
				}
			}
		}
	}
}
