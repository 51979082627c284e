package bitcoin

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
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
	f := &forkTree{spends: spendsOf("P2PK, uncompressed", "P2PKH, compressed")}
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
		txs = append(txs, f.spend(coins...))
	}
	return blockOf(prev, 1700000000+f.used, txs...)
}

// spend returns a transaction that spends outputs of block 1 in the order in which coins lists
// their numbers.
func (f *forkTree) spend(coins ...int) *wire.MsgTx {
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
	return tx
}

// play stores and connects blocks in the given order. A step is a block's name, or one of these:
//
//	a.  a is stored, but not connected
//	+a  a is connected, and was stored earlier
//	a!  a is stored and connected, but its undo record is lost
//	-a  a was connected, but neither the block nor its undo record is in the files
func (n *testNode) play(blocks map[string][]byte, steps string) {
	for _, step := range strings.Fields(steps) {
		block, last := blocks[strings.Trim(step, ".+!-")], len(n.blk)-1
		blk, rev := n.blk[last], n.rev[last]
		if step[0] != '+' {
			n.take(block)
		}
		if !strings.HasSuffix(step, ".") {
			n.connect(block)
		}
		if step[0] == '-' {
			n.blk[last] = blk
		}
		if step[0] == '-' || strings.HasSuffix(step, "!") {
			n.rev[last] = rev
		}
	}
}

// TestStaleBlocks checks the verdicts on blocks 2 to 5 of a folder in which some are stale, have no
// undo record, or are not valid.
func TestStaleBlocks(t *testing.T) {
	f, one, hash1 := newForkTree()
	lost, hashLost := f.block(hash1, 2, 1, 0)
	lost3, _ := f.block(hashLost, 3)
	two, hash2 := f.block(hash1, 2, 0, 1)
	three, hash3 := f.block(hash2, 3)
	four, hash4 := f.block(hash3, 4)
	sibling, _ := f.block(hash1, 2, 0, 1)
	single, _ := f.block(hash1, 2, 0)
	tip, _ := f.block(hash4, 5, 0) // spends output 0 again, which the reader does not check
	weak := withoutWork(lost)
	weak3, _ := f.block(hashOfBlock(weak), 3)
	blocks := map[string][]byte{"lost": lost, "lost3": lost3, "two": two, "three": three, "four": four,
		"sibling": sibling, "single": single, "tip": tip, "weak": weak, "weak3": withoutWork(weak3),
		"hard": minedAt(lost, 0x200fffff)} // hard has more work than regtest has
	const noRecord, noWork = "has no undo record for it", "above the target of its proof of work"
	none := counts{reading.NotCheckable: 1}
	missing := counts{reading.Valid: 2, reading.NotCheckable: 1}
	passed := counts{reading.Valid: 2, reading.PassedOver: 1}
	bad := counts{reading.Valid: 2, reading.Malformed: 1}
	for steps, c := range map[string]struct {
		want counts
		text string
	}{
		"lost. lost3. two three four": {passed, ""}, // never connected
		"lost two lost3. three four":  {passed, ""}, // connected for a while
		"lost. two +lost three four":  {passed, ""}, // connected again after a while
		"two three four tip.":         {missing, noRecord},
		"two! three four":             {none, noRecord},
		"two lost.":                   {passed, ""}, // the same work
		"single. lost": {counts{reading.NotCheckable: 1, reading.PassedOver: 1},
			noRecord},
		"two two. three. three. four. +three +four": {passed, ""},
		"two +two three":     {counts{reading.Valid: 2}, ""},
		"sibling. two three": {passed, ""}, // both spend the same
		"-two three four": {none,
			"its parent " + hash2.String() + " is not in the folder"},
		"two weak. three":  {bad, noWork},
		"two weak. weak3.": {counts{reading.Valid: 2, reading.Malformed: 2}, noWork},
		"two hard. three four": {bad,
			"its difficulty bits 200fffff are none"},
	} {
		n := newTestNode(consensus.Regtest.Magic())
		n.add(genesis(), one)
		n.play(blocks, steps)
		got := runFolder(t, n.write(t), WholeRange())
		if got.verdicts != c.want || got.err != nil || c.text != "" && !slices.ContainsFunc(got.bad,
			func(u reading.Unit) bool { return strings.Contains(u.Reason, c.text) }) {
			t.Errorf("%s: verdicts %v, want %v and %q; %v; %+v", steps, got.verdicts, c.want, c.text,
				got.err, got.bad)
		}
	}
}

// TestIntactCopy checks that a block without witnesses is intact before segwit even if its coinbase
// commits to witnesses, as many do, and that one with witnesses is not.
func TestIntactCopy(t *testing.T) {
	tx, _ := build(spendsOf("P2WPKH, compressed"), 1)
	for height, segwit := range map[int32]bool{450000: false, 500000: true} {
		full, _ := blockOf(chainhash.Hash{1}, 1480000000, funding(nil, height), tx)
		var stripped bytes.Buffer
		noError(blockIn(t, full).SerializeNoWitness(&stripped))
		n := newTestNode(consensus.Mainnet.Magic())
		n.take(full)
		n.take(stripped.Bytes())
		n.take(full)
		d := indexOf(t, n)
		for i, spare := range []bool{!segwit, segwit, true} {
			if d.index.spare.has(int32(i)) != spare {
				t.Errorf("height %d: copy %d is spare: %v", height, i, !spare)
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
	n.blk[1] = bitcointest.Record(n.magic, two)
	n.add(three)
	if got := runFolder(t, n.write(t), WholeRange()); got.err != nil {
		t.Error(got.err)
	}
	n.blk[1] = bitcointest.Record(n.magic, two)
	got := runFolder(t, n.write(t), WholeRange())
	if !says(got.err, "its block is not in the blk*.dat file") {
		t.Errorf("%v, verdicts %v", got.err, got.verdicts)
	}
}

// TestRandomCopies writes damaged and intact copies of three blocks to several files in any order.
// The first file may be missing. The first intact copy of a block must count, and every damaged
// copy must be reported.
func TestRandomCopies(t *testing.T) {
	f, one, hash1 := newForkTree()
	two, hash2 := f.block(hash1, 2, 0, 1)
	three, hash3 := f.block(hash2, 3)
	four, _ := f.block(hash3, 4)
	for seed := range uint64(1200 / oneIn(12)) {
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
				all = append(all, damaged(rnd, b))
				want[reading.Malformed]++
			}
		}
		rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		n := newTestNode(consensus.Regtest.Magic())
		n.add(genesis(), one)
		n.newFile()
		first := map[string]int{} // files of the first copies
		for i, b := range all {
			if i > 0 && rnd.IntN(4) == 0 {
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
		dir := n.write(t)
		if seed%4 == 0 {
			remove(dir, "blk00000.dat", "rev00000.dat")
		}
		got := runFolder(t, dir, WholeRange())
		if got.verdicts != want || got.err != nil {
			t.Errorf("seed %d: verdicts %v, want %v; %v; %+v", seed, got.verdicts, want, got.err, got.bad)
		}
		for _, u := range got.bad {
			if u.Decided == reading.Malformed && !strings.Contains(u.Reason, "a damaged copy") {
				t.Errorf("seed %d: %s", seed, u.Reason)
			}
		}
		if raw, _ := blockAt(t, bestChain(t, dir), 2); !bytes.Equal(raw, two) {
			t.Errorf("seed %d: another block", seed)
		}
	}
}

// damaged returns a copy of the block with the same header and other transactions.
func damaged(rnd *rand.Rand, block []byte) []byte {
	b := bytes.Clone(block)
	switch rnd.IntN(8) {
	case 0:
		return b[:len(b)-1]
	case 1:
		return b[:wireform.HeaderSize+1]
	case 2:
		return append(b, 0)
	case 3:
		return append(b[:wireform.HeaderSize], make([]byte, 500)...)
	}
	b[wireform.HeaderSize+rnd.IntN(len(b)-wireform.HeaderSize)] ^= 1 << rnd.IntN(8)
	return b
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
