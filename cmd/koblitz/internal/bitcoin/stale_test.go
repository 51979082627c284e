package bitcoin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A forkTree builds regtest blocks that descend from block 1, whose outputs they spend.
type forkTree struct {
	from   *wire.MsgTx
	spends []spend
	used   uint32
}

func newForkTree() (*forkTree, []byte, chainhash.Hash) {
	f := &forkTree{}
	for _, sp := range spends() {
		if sp.name == "P2PKH, compressed" || sp.name == "P2PK, uncompressed" {
			f.spends = append(f.spends, sp)
		}
	}
	f.from = funding(f.spends, 1)
	b, hash := blockOf(consensus.Regtest.Genesis(), 1700000000, f.from)
	return f, b, hash
}

// block returns a child of the block prev. Its transaction spends outputs of block 1 in the order
// in which coins lists their numbers.
func (f *forkTree) block(prev chainhash.Hash, height int32, coins ...int) ([]byte, chainhash.Hash) {
	f.used++
	txs := []*wire.MsgTx{funding(nil, height)}
	if len(coins) > 0 {
		tx := &wire.MsgTx{Version: 2}
		s := &signer{tx: tx}
		for _, k := range coins {
			tx.AddTxIn(&wire.TxIn{PreviousOutPoint: wire.OutPoint{Hash: f.from.TxHash(),
				Index: uint32(k + 1)}})
			s.out = append(s.out, f.from.TxOut[k+1])
		}
		tx.AddTxOut(wire.NewTxOut(1e7, pkh(compressed(100))))
		for i, k := range coins {
			s.i = i
			tx.TxIn[i].SignatureScript, tx.TxIn[i].Witness = f.spends[k].sign(s)
		}
		txs = append(txs, tx)
	}
	return blockOf(prev, 1700000000+f.used, txs...)
}

func TestStaleBlocks(t *testing.T) {
	f, one, hash1 := newForkTree()
	lost, hashLost := f.block(hash1, 2, 1, 0)
	lost2, _ := f.block(hashLost, 3)
	two, hash2 := f.block(hash1, 2, 0, 1)
	three, hash3 := f.block(hash2, 3)
	four, hash4 := f.block(hash3, 4)
	twin, _ := f.block(hash1, 2, 0, 1)
	one3, _ := f.block(hash1, 2, 0)
	tip, _ := f.block(hash4, 5, 0) // spends output 0 again, which the reader does not check
	start := func() *testNode {
		n := newTestNode(consensus.Regtest.Magic())
		n.add(genesis(), one)
		return n
	}
	for name, c := range map[string]struct {
		write func(n *testNode)
		want  counts
		text  string
	}{
		"never connected": {func(n *testNode) {
			n.take(lost)
			n.take(lost2)
			n.add(two, three, four)
		}, counts{reading.Valid: 2, reading.PassedOver: 1}, ""},
		"connected for a while": {func(n *testNode) {
			n.add(lost, two)
			n.take(lost2)
			n.add(three, four)
		}, counts{reading.Valid: 2, reading.PassedOver: 1}, ""},
		"connected again after a while": {func(n *testNode) {
			n.take(lost)
			n.add(two)
			n.connect(lost)
			n.add(three, four)
		}, counts{reading.Valid: 2, reading.PassedOver: 1}, ""},
		"not connected yet": {func(n *testNode) {
			n.add(two, three, four)
			n.take(tip)
		}, counts{reading.Valid: 2, reading.NotCheckable: 1}, "has no undo record for it"},
		"its record left out": {func(n *testNode) {
			n.take(two)
			n.connect(two)
			n.rev[0] = n.rev[0][:n.undoAt[hash2]]
			n.add(three, four)
		}, counts{reading.NotCheckable: 1}, "has no undo record for it"},
		"of two with the same work the first": {func(n *testNode) {
			n.add(two)
			n.take(lost)
		}, counts{reading.Valid: 2, reading.PassedOver: 1}, ""},
		"of two with the same work the second was connected": {func(n *testNode) {
			n.take(one3)
			n.add(lost)
		}, counts{reading.NotCheckable: 1, reading.PassedOver: 1}, "has no undo record for it"},
		"each one twice": {func(n *testNode) {
			n.add(two)
			n.take(two)
			n.take(three)
			n.take(three)
			n.take(four)
			n.connect(three)
			n.connect(four)
		}, counts{reading.Valid: 2, reading.PassedOver: 1}, ""},
		"a record twice": {func(n *testNode) {
			n.add(two)
			n.connect(two)
			n.add(three)
		}, counts{reading.Valid: 2}, ""},
		"two that spend the same": {func(n *testNode) {
			n.take(twin)
			n.add(two, three)
		}, counts{reading.Valid: 2, reading.PassedOver: 1}, ""},
		"its parent is not there": {func(n *testNode) {
			n.heights[hash2] = 2
			n.add(two)
			n.blk[0] = n.blk[0][:len(n.blk[0])-8-len(two)]
			n.add(three, four)
			n.rev[0] = n.rev[0][n.undoAt[hash3]:]
		}, counts{reading.NotCheckable: 1}, "its parent " + hash2.String() + " is not in the folder"},
		"one with less work": {func(n *testNode) {
			n.add(two)
			n.take(withoutWork(lost))
			n.add(three)
		}, counts{reading.Valid: 2, reading.Malformed: 1}, "above the target of its proof of work"},
		"a longer branch without work": {func(n *testNode) {
			n.add(two)
			weak := withoutWork(lost)
			child, _ := f.block(hashOfBlock(weak), 3)
			n.take(weak)
			n.take(withoutWork(child))
		}, counts{reading.Valid: 2, reading.Malformed: 2}, "above the target of its proof of work"},
		"one with more work than regtest has": {func(n *testNode) {
			n.add(two)
			n.take(minedAt(lost, 0x200fffff))
			n.add(three, four)
		}, counts{reading.Valid: 2, reading.Malformed: 1}, "its difficulty bits 200fffff are none"},
	} {
		n := start()
		c.write(n)
		got := runFolder(t, n.write(t), WholeRange())
		if got.verdicts != c.want || got.err != nil {
			t.Errorf("%s: verdicts %v, want %v; %v; %+v", name, got.verdicts, c.want, got.err, got.bad)
		}
		if i := slices.IndexFunc(got.bad, func(u reading.Unit) bool {
			return u.Decided != reading.PassedOver && strings.Contains(u.Reason, c.text)
		}); c.text != "" && i < 0 {
			t.Errorf("%s: no %q in %+v", name, c.text, got.bad)
		}
	}
}

// TestDamagedCopies writes damaged copies of a block beside an intact one. The intact copy must
// count wherever the others are and whatever is wrong with them, and these must be reported.
func TestDamagedCopies(t *testing.T) {
	f, one, hash1 := newForkTree()
	two, hash2 := f.block(hash1, 2, 0, 1)
	three, hash3 := f.block(hash2, 3)
	four, _ := f.block(hash3, 4)
	var damaged [][]byte
	for i := wireform.HeaderSize; i < len(two); i += oneIn(29) {
		b := bytes.Clone(two)
		b[i] ^= 1 << (i % 8)
		damaged = append(damaged, b)
	}
	damaged = append(damaged, two[:len(two)-1], two[:wireform.HeaderSize+1], append(two[:len(two):len(
		two)], 0), append(two[:wireform.HeaderSize:wireform.HeaderSize], make([]byte, 500)...))
	for name, c := range map[string]struct {
		write        func(n *testNode, bad []byte)
		pruned       bool // without the first file
		bad, repeats int  // numbers of damaged copies and of intact ones but the first
	}{
		"before": {func(n *testNode, bad []byte) {
			n.take(bad)
			n.add(two, three, four)
		}, false, 1, 0},
		"after": {func(n *testNode, bad []byte) {
			n.add(two)
			n.take(bad)
			n.add(three, four)
		}, false, 1, 0},
		"the last block": {func(n *testNode, bad []byte) {
			n.take(bad)
			n.add(two)
		}, false, 1, 0},
		"after its children": {func(n *testNode, bad []byte) {
			n.take(three)
			n.take(bad)
			n.take(four)
			n.add(two)
			n.connect(three)
			n.connect(four)
		}, false, 1, 0},
		"in an earlier file, where it was connected": {func(n *testNode, bad []byte) {
			n.add(two)
			n.blk[1] = recordOf(n.magic, bad)
			n.newFile()
			n.add(two, three, four)
		}, false, 1, 0},
		"in a later file": {func(n *testNode, bad []byte) {
			n.add(two, three)
			n.newFile()
			n.take(bad)
			n.add(four)
		}, false, 1, 0},
		"three copies": {func(n *testNode, bad []byte) {
			n.take(bad)
			n.take(bad)
			n.add(two, three)
			n.take(bad)
			n.add(four)
		}, false, 3, 0},
		"two intact ones": {func(n *testNode, bad []byte) {
			n.take(bad)
			n.add(two)
			n.take(two)
			n.add(three, four)
		}, false, 1, 1},
		"in a pruned folder": {func(n *testNode, bad []byte) {
			n.take(bad)
			n.add(two, three, four)
		}, true, 1, 0},
	} {
		for k, bad := range damaged {
			n := newTestNode(consensus.Regtest.Magic())
			n.add(genesis(), one)
			n.newFile()
			c.write(n, bad)
			dir := n.write(t)
			if c.pruned {
				for _, file := range []string{"blk00000.dat", "rev00000.dat"} {
					if err := os.Remove(filepath.Join(dir, file)); err != nil {
						t.Fatal(err)
					}
				}
			}
			got := runFolder(t, dir, WholeRange())
			want := counts{reading.Valid: 2, reading.Malformed: c.bad, reading.PassedOver: c.repeats}
			if got.verdicts != want || got.err != nil {
				t.Fatalf("%s, damage %d: verdicts %v, want %v; %v; %+v", name, k, got.verdicts, want,
					got.err, got.bad)
			}
			for _, u := range got.bad {
				if u.Decided == reading.Malformed && !strings.Contains(u.Reason, "a damaged copy") {
					t.Errorf("%s, damage %d: %s", name, k, u.Reason)
				}
			}
			if raw, _ := blockAt(t, bestChain(t, dir), 2); !bytes.Equal(raw, two) {
				t.Errorf("%s, damage %d: another block", name, k)
			}
		}
	}
}

// TestIntactCopy checks that a block without witnesses is intact before segwit even if its coinbase
// commits to witnesses, as many do, and that one with witnesses is not.
func TestIntactCopy(t *testing.T) {
	for _, sp := range spends() {
		if sp.name != "P2WPKH, compressed" {
			continue
		}
		tx, _ := build([]spend{sp}, 1)
		for height, segwit := range map[int32]bool{450000: false, 500000: true} {
			full, _ := blockOf(chainhash.Hash{1}, 1480000000, funding(nil, height), tx)
			var m wire.MsgBlock
			var stripped bytes.Buffer
			if err := errors.Join(m.Deserialize(bytes.NewReader(full)),
				m.SerializeNoWitness(&stripped)); err != nil {
				t.Fatal(err)
			}
			n := newTestNode(consensus.Mainnet.Magic())
			n.take(full)
			n.take(stripped.Bytes())
			n.take(full)
			d, err := OpenDirectory(n.write(t))
			if err != nil {
				t.Fatal(err)
			}
			if err := d.readIndex(); err != nil {
				t.Fatal(err)
			}
			for i, spare := range []bool{!segwit, segwit, true} {
				if d.index.spare.has(int32(i)) != spare {
					t.Errorf("height %d: copy %d is spare: %v", height, i, !spare)
				}
			}
		}
	}
}

// TestCopyWithoutUndo checks that an intact copy of a block, whose undo record is in another file,
// does not hide that the last block of its own file is missing.
func TestCopyWithoutUndo(t *testing.T) {
	f, one, hash1 := newForkTree()
	two, hash2 := f.block(hash1, 2, 0)
	three, _ := f.block(hash2, 3, 1)
	n := newTestNode(consensus.Regtest.Magic())
	n.add(genesis(), one, two)
	n.newFile()
	n.blk[1] = recordOf(n.magic, two)
	n.add(three)
	if got := runFolder(t, n.write(t), WholeRange()); got.err != nil {
		t.Error(got.err)
	}
	n.blk[1] = recordOf(n.magic, two)
	got := runFolder(t, n.write(t), WholeRange())
	if got.err == nil || !strings.Contains(got.err.Error(), "its block is not in the blk*.dat file") {
		t.Errorf("%v, verdicts %v", got.err, got.verdicts)
	}
}

// TestRandomCopies writes damaged and intact copies of three blocks to several files in any order.
func TestRandomCopies(t *testing.T) {
	f, one, hash1 := newForkTree()
	two, hash2 := f.block(hash1, 2, 0, 1)
	three, hash3 := f.block(hash2, 3)
	four, _ := f.block(hash3, 4)
	for seed := range uint64(1200 / oneIn(30)) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var all [][]byte
		want := counts{reading.Valid: 2}
		for i, b := range [][]byte{two, three, four} {
			for range 1 + rnd.IntN(2) {
				all = append(all, b)
			}
			if i == 0 { // the others spend nothing, so there is nothing to pass over
				want[reading.PassedOver] = len(all) - 1
			}
			for range rnd.IntN(3) {
				bad := bytes.Clone(b)
				bad[wireform.HeaderSize+rnd.IntN(len(b)-wireform.HeaderSize)] ^= 1 << rnd.IntN(8)
				all = append(all, bad)
				want[reading.Malformed]++
			}
		}
		rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		n := newTestNode(consensus.Regtest.Magic())
		n.add(genesis(), one)
		first := map[string]int{} // files of the first copies
		for _, b := range all {
			if rnd.IntN(4) == 0 {
				n.newFile()
			}
			n.take(b)
			if _, ok := first[string(b)]; !ok {
				first[string(b)] = len(n.blk) - 1
			}
		}
		for _, b := range [][]byte{two, three, four} {
			n.place[hashOfBlock(b)] = first[string(b)]
			n.connect(b)
		}
		if got := runFolder(t, n.write(t), WholeRange()); got.verdicts != want || got.err != nil {
			t.Errorf("seed %d: verdicts %v, want %v; %v; %+v", seed, got.verdicts, want, got.err, got.bad)
		}
	}
}

// withoutWork changes a block's nonce until its hash is above its target.
func withoutWork(block []byte) []byte {
	b := bytes.Clone(block)
	for h := wireform.ParseHeader(b); consensus.Worked(&h); h = wireform.ParseHeader(b) {
		b[76]++
	}
	return b
}

// minedAt returns the block with other difficulty bits, mined again.
func minedAt(block []byte, bits uint32) []byte {
	b := bytes.Clone(block)
	binary.LittleEndian.PutUint32(b[72:], bits)
	for nonce := uint32(0); ; nonce++ {
		binary.LittleEndian.PutUint32(b[76:], nonce)
		if h := wireform.ParseHeader(b); consensus.Worked(&h) {
			return b
		}
	}
}
