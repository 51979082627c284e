//go:build !386 && !arm && !mips && !mipsle && !wasm && !(purego && narrow)

package field

import "math/big"

func raw(v *Element) *big.Int {
	x := new(big.Int)
	for _, l := range []uint64{v.l3, v.l2, v.l1, v.l0} {
		x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(l))
	}
	return x
}
