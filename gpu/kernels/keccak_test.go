package kernels

import (
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestAddress checks the Ethereum address of two coordinates below 2^256 against the oracle's for
// their residues modulo p. The coordinates may be p or more, and need not belong to a point.
func TestAddress(t *testing.T) {
	onHost(t, func(t *testing.T, prog *program) {
		p, rows := reference.P(), numbers(random(t), 1000, 2)
		for i, got := range prog.call(t, '@', rows) {
			key := reference.Point{X: residue(rows[i][0], p), Y: residue(rows[i][1], p)}
			want := new(big.Int).SetBytes(reference.EthereumAddress(key))
			if got.out[0].Cmp(want) != 0 {
				t.Fatalf("%x: %x, want %x", rows[i], got.out[0], want)
			}
		}
	})
}
