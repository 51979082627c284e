package consensus

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

// Target returns the target that difficulty bits encode, in big-endian order. ok is false if the
// target is zero or negative, or has more than 256 bits.
func Target(bits uint32) (t [32]byte, ok bool) {
	if bits&0x800000 != 0 {
		return t, false // the target is negative
	}
	for i := range 3 { // byte i of the mantissa, least significant first
		digit, place := byte(bits>>(8*i)), int(bits>>24)-3+i
		switch {
		case digit == 0 || place < 0: // no effect, or below 1: dropped, as Core does
		case place > 31:
			return t, false
		default:
			t[31-place] = digit
		}
	}
	return t, t != [32]byte{}
}

// Worked reports whether the header's hash is at most the target in the same header.
func Worked(h *wireform.Header) bool {
	t, ok := Target(h.Bits)
	hash := h.Hash
	slices.Reverse(hash[:])
	return ok && bytes.Compare(hash[:], t[:]) <= 0
}

// Misfit returns the reason why the header cannot belong to network n, or "". A header without such
// a reason may still belong to another network: for example, testnets have mainnet's greatest
// target.
func (n Network) Misfit(h *wireform.Header) string {
	if n == 0 {
		return "it is not said whose rules hold"
	}
	limit, _ := Target(n.Params().PowLimitBits)
	t, ok := Target(h.Bits)
	if !ok || bytes.Compare(t[:], limit[:]) > 0 || n == Regtest && h.Bits != n.Params().PowLimitBits {
		return fmt.Sprintf("its difficulty bits %08x are none that %v has", h.Bits, n)
	}
	for other := range EveryNetwork {
		switch g := other.Genesis(); {
		case other == n:
			if h.Prev == (chainhash.Hash{}) && h.Hash != g {
				return fmt.Sprintf("it has no parent, and is not the genesis block of %v", n)
			}
		case h.Hash == g:
			return fmt.Sprintf("it is the genesis block of %v", other)
		case h.Prev == g:
			return fmt.Sprintf("it follows the genesis block of %v", other)
		}
	}
	return ""
}

// Refuse returns an error if the block with header h cannot belong to network n.
func (n Network) Refuse(h *wireform.Header) error {
	if why := n.Misfit(h); why != "" {
		return fmt.Errorf("block %v is not one of %v (--network): %s", h.Hash, n, why)
	}
	return nil
}
