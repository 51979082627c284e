package bitcoin

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/prevouts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

func bestChain(t testing.TB, dir string) *BestChain {
	c := must(must(OpenDirectory(dir)).BestChain())
	t.Cleanup(func() { noError(c.Close()) })
	return c
}

// collect returns a Visit that appends the ids of transactions, and their spent outputs.
func collect(ids *[]chainhash.Hash, outs *[]wireform.Output) prevouts.Visit {
	return func(index int, tx *wire.MsgTx, id chainhash.Hash, spent []wireform.Output) error {
		if tx.TxHash() != id || index != len(*ids)+1 {
			return fmt.Errorf("transaction %d: %v", index, id)
		}
		*ids = append(*ids, id)
		*outs = append(*outs, spent...)
		return nil
	}
}

// blockAt returns the block at the given height of the chain c, and the outputs that it spends.
func blockAt(t testing.TB, c *BestChain, height int32) (raw []byte, spent []wireform.Output) {
	t.Helper()
	r := must(c.reader(height))
	must(c.visit(r.block, r.spent, collect(new([]chainhash.Hash), &spent)))
	return r.block.Data, spent
}

// TestBestChain checks that several goroutines read the same blocks at the same time as one
// goroutine that reads all blocks in order. It limits the number of open files to one, two
// and more.
func TestBestChain(t *testing.T) {
	for _, limit := range []int{1, 2, maxOpenBlocks} {
		c := bestChain(t, coreFiles)
		c.limit = limit
		if c.Tip() != 107 || c.Network() != consensus.Regtest || c.Name() != coreFiles ||
			c.Damage() != nil {
			t.Fatalf("%d, %v, %v", c.Tip(), c.Network(), c.Damage())
		}
		var want [][]wireform.Output
		var hashes []chainhash.Hash
		inOrder := bestChain(t, coreFiles)
		for h := range c.Tip() + 1 {
			raw, spent := blockAt(t, inOrder, h)
			want, hashes = append(want, spent), append(hashes, hashOfBlock(raw))
		}
		heights := make(chan int32)
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				for h := range heights {
					hash, err := c.Hash(h)
					if err != nil || hash != hashes[h] {
						t.Errorf("block %d: %v, %v, want %v", h, hash, err, hashes[h])
					}
					var ids, rawIDs []chainhash.Hash
					var outs, none []wireform.Output
					head, err := c.Full(h, collect(&ids, &outs))
					again, aerr := c.Full(h, collect(new([]chainhash.Hash), new([]wireform.Output)))
					rawHead, rerr := c.Raw(h, collect(&rawIDs, &none))
					if err != nil || aerr != nil || rerr != nil || head != rawHead || head != again ||
						head.Hash != hash || len(none) > 0 || !slices.Equal(ids, rawIDs) ||
						!reflect.DeepEqual(outs, want[h]) {
						t.Errorf("block %d: %v %v, %v, %v %v", h, head, err, aerr, rawHead, rerr)
					}
				}
			})
		}
		for _, h := range rand.New(rand.NewPCG(1, 2)).Perm(108) {
			heights <- int32(h)
		}
		close(heights)
		wg.Wait()
		if len(c.open) > limit {
			t.Errorf("%d files are open, and the limit is %d", len(c.open), limit)
		}
		for _, h := range []int32{math.MinInt32, -1, 108, math.MaxInt32} {
			_, err := c.Hash(h)
			_, ferr := c.Full(h, nil)
			if !says(err, "no block") || ferr == nil {
				t.Errorf("block %d: %v, %v", h, err, ferr)
			}
		}
	}
}

// TestVisitRawErrors checks that a damaged block, or one of another network, is refused.
func TestVisitRawErrors(t *testing.T) {
	raw, _ := blockAt(t, bestChain(t, coreFiles), 106)
	changed := bytes.Clone(raw)
	changed[len(raw)-2]++
	for _, c := range []struct {
		raw     []byte
		network consensus.Network
		height  int32
		want    string
	}{
		{raw, consensus.Regtest, 106, ""},
		{raw, consensus.Mainnet, 106, "is not one of mainnet"},
		{raw, consensus.Regtest, 105, "its coinbase says 106"},
		{raw[:79], consensus.Regtest, 106, "the header"},
		{raw[:len(raw)-1], consensus.Regtest, 106, "byte"},
		{append(bytes.Clone(raw), 0), consensus.Regtest, 106,
			"1 bytes after the block's last transaction"},
		{changed, consensus.Regtest, 106, "Merkle root"},
	} {
		_, err := prevouts.VisitRaw(c.raw, c.network, c.height, nil,
			collect(new([]chainhash.Hash), new([]wireform.Output)))
		if !says(err, c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestVisitRawWitness checks that a changed witness is no error without spent outputs, because no
// id depends on it, and an error with them.
func TestVisitRawWitness(t *testing.T) {
	raw, _ := blockAt(t, bestChain(t, coreFiles), 106)
	raw = bytes.Clone(raw)
	c := consensus.ReadBlock(raw)
	changed := false
	for _, tx := range c.All() {
		for _, item := range tx.Tx.TxIn[0].Witness {
			if len(item) > 0 && !wireform.IsCoinbase(tx.Tx) {
				item[0] ^= 1 // it aliases raw
				changed = true
			}
		}
	}
	for _, with := range []bool{false, true} {
		spent, want := (func(int) ([]wireform.Output, error))(nil), ""
		if with {
			spent = func(n int) ([]wireform.Output, error) { return make([]wireform.Output, n), nil }
			want = "witness commitment"
		}
		_, err := prevouts.VisitRaw(raw, consensus.Regtest, 106, spent,
			collect(new([]chainhash.Hash), new([]wireform.Output)))
		if !changed || !says(err, want) {
			t.Errorf("changed %t, with outputs %t: %v, want %q", changed, with, err, want)
		}
	}
}
