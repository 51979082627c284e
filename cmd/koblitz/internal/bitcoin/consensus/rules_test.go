package consensus

import (
	"bytes"
	"math/big"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

// TestRules checks that every network has rules, and that segwit's height is the one of package
// bitcoin.
func TestRules(t *testing.T) {
	for n := range EveryNetwork {
		segwit := networks[n].segwit
		if !n.RulesAt(segwit, chainhash.Hash{}).NullDummy ||
			segwit > 0 && n.RulesAt(segwit-1, chainhash.Hash{}).NullDummy {
			t.Errorf("%v: segwit does not begin at height %d", n, segwit)
		}
	}
}

// TestGenesis checks that each network takes its first block, and that the others refuse it.
func TestGenesis(t *testing.T) {
	for n := range EveryNetwork {
		h := headerOf(n.Params().GenesisBlock)
		if why := n.Misfit(h); why != "" || !Worked(h) {
			t.Errorf("%v: the first block does not fit: %s", n, why)
		}
		if err := Network(0).Refuse(h); err == nil || !strings.Contains(err.Error(), "whose rules") {
			t.Errorf("no network: %v", err)
		}
		for o := range EveryNetwork {
			if o != n && o.Refuse(h) == nil {
				t.Errorf("%v: %v takes its first block", n, o)
			}
		}
	}
}

func headerOf(b *wire.MsgBlock) *wireform.Header {
	var buf bytes.Buffer
	if err := b.Serialize(&buf); err != nil {
		panic(err)
	}
	h := wireform.ParseHeader(buf.Bytes())
	return &h
}

// TestTarget compares the targets of difficulty bits with targets computed with big integers.
func TestTarget(t *testing.T) {
	for _, mantissa := range []uint32{0, 1, 0x80, 0xffff, 0x10000, 0x123456, 0x7fffff, 0x800000,
		0x800001, 0xffffff} {
		for size := range uint32(256) {
			bits := size<<24 | mantissa
			want := new(big.Int).SetUint64(uint64(mantissa & 0x7fffff))
			if size >= 3 {
				want.Lsh(want, uint(8*(size-3)))
			} else {
				want.Rsh(want, uint(8*(3-size)))
			}
			got, ok := Target(bits)
			if good := mantissa < 0x800000 && want.Sign() > 0 && want.BitLen() <= 256; ok != good ||
				ok && new(big.Int).SetBytes(got[:]).Cmp(want) != 0 {
				t.Errorf("%08x: %x, %v; want %x, %v", bits, got, ok, want, good)
			}
		}
	}
}
