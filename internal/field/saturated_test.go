//go:build !386 && !arm && !mips && !mipsle && !wasm && !(purego && narrow)

package field

import (
	"math/big"

	"github.com/koblitz-go/koblitz/internal/reference"
)

func raw(v *Element) *big.Int { return reference.FromWords(v.l0, v.l1, v.l2, v.l3) }
