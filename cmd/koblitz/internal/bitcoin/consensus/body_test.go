package consensus

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/sample"
)

// TestBody changes the transactions or the header of a real block in many ways, and checks that the
// right flaw is reported for each change. It uses a real header, because a new header for mainnet
// would have to be mined.
func TestBody(t *testing.T) {
	block := bitcointest.Unpack(t, sample.Block)
	const height = 277647
	fill := func() (Body, wireform.Header) {
		b, h := bodyOf(t, block)
		b[0].coinbase = b[0].coinbase.Copy()
		return b, h
	}
	commit := func(b *Body, sum []byte) {
		(*b)[0].coinbase.AddTxOut(wire.NewTxOut(0, append([]byte(WitnessMagic), sum...)))
	}
	withWitness := func(b *Body, _ *wireform.Header) { (*b)[0].witness = true }
	commitTo := func(size int) func(*Body, *wireform.Header) {
		return func(b *Body, _ *wireform.Header) { commit(b, make([]byte, size)) }
	}
	for _, c := range []struct {
		name   string
		n      Network
		height int32
		change func(b *Body, h *wireform.Header)
		want   string
	}{
		{"nothing", Mainnet, height, func(*Body, *wireform.Header) {}, ""},
		{"height not known", Mainnet, -1, func(*Body, *wireform.Header) {}, ""},
		{"bits that stand for nothing", Mainnet, height, func(_ *Body, h *wireform.Header) { h.Bits = 0 },
			"its hash is above the target of its proof of work"},
		{"another height", Mainnet, height + 1, func(*Body, *wireform.Header) {},
			"its height is 277648, and its coinbase says 277647 (BIP 34)"},
		{"a height before BIP 34", Mainnet, 227930, func(*Body, *wireform.Header) {},
			"its height is 227930, and its coinbase says 277647 (BIP 34)"},
		{"before BIP 34", Mainnet, 227930, func(_ *Body, h *wireform.Header) { h.Time = BIP34Time - 1 },
			""},
		{"at BIP 34", Mainnet, 227930, func(_ *Body, h *wireform.Header) { h.Time = BIP34Time },
			"its height is 227930, and its coinbase says 277647 (BIP 34)"},
		{"one twice", Mainnet, height, func(b *Body, _ *wireform.Header) {
			*b = append(*b, (*b)[len(*b)-1])
		}, "transactions stand in it twice"},
		{"a second coinbase", Mainnet, height, func(b *Body, _ *wireform.Header) {
			(*b)[3] = NewBodyTx((*b)[0].coinbase, (*b)[3].ID, (*b)[3].WID, false)
			if (*b)[3].coinbase != nil {
				t.Error("it is kept")
			}
		}, "transaction 3 is a coinbase too"},
		{"witnesses before segwit", Mainnet, height, withWitness,
			"it has witnesses, which mainnet has from block 481824 on, and its height is 277647 " +
				"(--network)"},
		{"no commitment, height not known", Mainnet, -1, withWitness,
			"it has witnesses, and no witness commitment"},
		{"a commitment that nobody asks for", Mainnet, height, commitTo(32), ""},
		{"a short commitment", Testnet4, height, commitTo(31), ""},
		{"no reserved value", Testnet4, height, commitTo(32),
			"the coinbase's witness is not the 32 bytes that belong to its witness commitment"},
		{"the right commitment, the last one", Testnet4, height, func(b *Body, _ *wireform.Header) {
			reserved := bytes.Repeat([]byte{3}, 32)
			(*b)[0].coinbase.TxIn[0].Witness = wire.TxWitness{reserved}
			wids := []chainhash.Hash{{}}
			for _, t := range (*b)[1:] {
				wids = append(wids, t.WID)
			}
			root, _ := MerkleRoot(wids)
			commit(b, make([]byte, 32))
			commit(b, append(chainhash.DoubleHashB(append(root[:], reserved...)), "more"...))
		}, ""},
	} {
		b, h := fill()
		c.change(&b, &h)
		if got := b.Flaws(c.n, &h, c.height); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestMerkleLevels compares the roots of up to 300 transactions, some of them equal, with roots
// computed by hashing each node alone.
func TestMerkleLevels(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := 1; n <= 300; n++ {
		ids := make([]chainhash.Hash, n)
		for i := range ids {
			for k := range ids[i] {
				ids[i][k] = byte(r.Uint32())
			}
		}
		if n > 1 && n%3 == 0 {
			i := r.IntN(n - 1)
			ids[i+1] = ids[i]
		}
		if n%5 == 0 {
			copy(ids[n/2:], ids[:n/2]) // may give equal siblings at a higher level
		}
		level, want := slices.Clone(ids), false
		for len(level) > 1 {
			var above []chainhash.Hash
			for i := 0; i < len(level); i += 2 {
				right := level[min(i+1, len(level)-1)]
				want = want || i+1 < len(level) && level[i] == right
				above = append(above, chainhash.DoubleHashH(append(level[i][:], right[:]...)))
			}
			level = above
		}
		if root, twice := MerkleRoot(ids); root != level[0] || twice != want {
			t.Errorf("%d transactions: %v, %v; want %v, %v", n, root, twice, level[0], want)
		}
	}
}

// bodyOf returns the Body and the header of a serialized block.
func bodyOf(t *testing.T, block []byte) (b Body, h wireform.Header) {
	txs := ReadBlock(block)
	for range txs.All() {
	}
	if txs.Err != nil {
		t.Fatal(txs.Err)
	}
	return txs.Body, wireform.ParseHeader(block)
}
