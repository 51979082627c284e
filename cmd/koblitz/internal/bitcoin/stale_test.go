package bitcoin

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
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
		}, counts{rows.Valid: 2, rows.PassedOver: 1}, ""},
		"connected for a while": {func(n *testNode) {
			n.add(lost, two)
			n.take(lost2)
			n.add(three, four)
		}, counts{rows.Valid: 2, rows.PassedOver: 1}, ""},
		"connected again after a while": {func(n *testNode) {
			n.take(lost)
			n.add(two)
			n.connect(lost)
			n.add(three, four)
		}, counts{rows.Valid: 2, rows.PassedOver: 1}, ""},
		"not connected yet": {func(n *testNode) {
			n.add(two, three, four)
			n.take(tip)
		}, counts{rows.Valid: 2, rows.NotCheckable: 1}, "has no undo record for it"},
		"its record left out": {func(n *testNode) {
			n.take(two)
			n.connect(two)
			n.rev[0] = n.rev[0][:n.undoAt[hash2]]
			n.add(three, four)
		}, counts{rows.NotCheckable: 1}, "has no undo record for it"},
		"of two with the same work the first": {func(n *testNode) {
			n.add(two)
			n.take(lost)
		}, counts{rows.Valid: 2, rows.PassedOver: 1}, ""},
		"of two with the same work the second was connected": {func(n *testNode) {
			n.take(one3)
			n.add(lost)
		}, counts{rows.NotCheckable: 1, rows.PassedOver: 1}, "has no undo record for it"},
		"each one twice": {func(n *testNode) {
			n.add(two)
			n.take(two)
			n.take(three)
			n.take(three)
			n.take(four)
			n.connect(three)
			n.connect(four)
		}, counts{rows.Valid: 2, rows.PassedOver: 1}, ""},
		"a record twice": {func(n *testNode) {
			n.add(two)
			n.connect(two)
			n.add(three)
		}, counts{rows.Valid: 2}, ""},
		"two that spend the same": {func(n *testNode) {
			n.take(twin)
			n.add(two, three)
		}, counts{rows.Valid: 2, rows.PassedOver: 1}, ""},
		"its parent is not there": {func(n *testNode) {
			n.heights[hash2] = 2
			n.add(two)
			n.blk[0] = n.blk[0][:len(n.blk[0])-8-len(two)]
			n.add(three, four)
			n.rev[0] = n.rev[0][n.undoAt[hash3]:]
		}, counts{rows.NotCheckable: 1}, "its parent " + hash2.String() + " is not in the folder"},
		"one with less work": {func(n *testNode) {
			n.add(two)
			n.take(withoutWork(lost))
			n.add(three)
		}, counts{rows.Valid: 2, rows.Malformed: 1}, "above the target of its proof of work"},
		"a longer branch without work": {func(n *testNode) {
			n.add(two)
			weak := withoutWork(lost)
			child, _ := f.block(hashOfBlock(weak), 3)
			n.take(weak)
			n.take(withoutWork(child))
		}, counts{rows.Valid: 2, rows.Malformed: 2}, "above the target of its proof of work"},
		"one with more work than regtest has": {func(n *testNode) {
			n.add(two)
			n.take(minedAt(lost, 0x200fffff))
			n.add(three, four)
		}, counts{rows.Valid: 2, rows.Malformed: 1}, "its difficulty bits 200fffff are none"},
	} {
		n := start()
		c.write(n)
		got := runFolder(t, n.write(t), WholeRange())
		if got.verdicts != c.want || got.err != nil {
			t.Errorf("%s: verdicts %v, want %v; %v; %+v", name, got.verdicts, c.want, got.err, got.bad)
		}
		if i := slices.IndexFunc(got.bad, func(u rows.Unit) bool {
			return u.Decided != rows.PassedOver && strings.Contains(u.Reason, c.text)
		}); c.text != "" && i < 0 {
			t.Errorf("%s: no %q in %+v", name, c.text, got.bad)
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
