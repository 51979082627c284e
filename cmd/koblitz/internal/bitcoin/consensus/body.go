package consensus

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

// A BodyTx is a transaction as the header and the coinbase of its block commit to it.
type BodyTx struct {
	ID, WID    chainhash.Hash // WID covers the witness too (wtxid, BIP 141)
	witness    bool           // the transaction has a witness
	isCoinbase bool
	coinbase   *wire.MsgTx // the block's first transaction, if it is a coinbase
}

// NewBodyTx returns the BodyTx of tx, which has the given hashes. first reports whether it is the
// block's first transaction. Only that one is kept: a block of coinbases would take much memory.
func NewBodyTx(tx *wire.MsgTx, id, wid chainhash.Hash, first bool) BodyTx {
	t := BodyTx{ID: id, WID: wid, witness: tx.HasWitness(), isCoinbase: wireform.IsCoinbase(tx)}
	if first && t.isCoinbase {
		t.coinbase = tx
	}
	return t
}

// A Body has all transactions of a block, in order. A comparison with the hashes in the header and
// in the coinbase detects a transaction that was left out, added or changed.
type Body []BodyTx

// Flaws returns a text that says how the transactions differ from the header h, or how they break
// the rules of network n about coinbases and commitments. It returns "" if they do neither. A
// negative height is unknown.
func (b Body) Flaws(n Network, h *wireform.Header, height int32) string {
	why := b.IDFlaws(n, h, height)
	if witness := b.commitment(n, height); why != "" && witness != "" {
		why += "; " + witness
	} else {
		why += witness
	}
	return why
}

// IDFlaws works like Flaws without the check of the witnesses, and needs no WID.
func (b Body) IDFlaws(n Network, h *wireform.Header, height int32) string {
	if len(b) == 0 {
		return "a block without transactions"
	}
	var all []string
	flaw := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if !Worked(h) {
		flaw("its hash is above the target of its proof of work")
	}
	if height == 0 && h.Prev != (chainhash.Hash{}) {
		flaw("its height is 0, and it has a parent")
	}
	if b[0].coinbase == nil {
		flaw("its first transaction is no coinbase")
	} else if inside := wireform.CoinbaseHeight(b[0].coinbase.TxIn[0].SignatureScript); named(n, h,
		height) && inside != height {
		flaw("its height is %d, and its coinbase says %d (BIP 34)", height, inside)
	}
	if i := slices.IndexFunc(b[1:], func(t BodyTx) bool { return t.isCoinbase }); i >= 0 {
		flaw("transaction %d is a coinbase too", 1+i)
	}
	ids := make([]chainhash.Hash, len(b))
	for i := range b {
		ids[i] = b[i].ID
	}
	switch root, twice := MerkleRoot(ids); {
	case twice:
		flaw("transactions stand in it twice")
	case root != h.Root:
		flaw("its transactions do not hash to its header's Merkle root")
	}
	return strings.Join(all, "; ")
}

// named reports whether the block's coinbase must contain the block's height. BIP 34 requires the
// height from a certain height on. A file may state a lower height than the true one, so the height
// is also required of each block whose time is after BIP 34 was in force everywhere. A negative
// height is unknown.
func named(n Network, h *wireform.Header, height int32) bool {
	return height > 0 && height >= n.Params().BIP0034Height ||
		height >= 0 && h.Time >= BIP34Time && h.Prev != chainhash.Hash{}
}

// WitnessMagic begins the script of the coinbase output that commits to the block's witnesses (BIP
// 141).
const WitnessMagic = "\x6a\x24\xaa\x21\xa9\xed"

// commitment compares the block's witnesses with the coinbase's commitment to them. It returns a
// text that describes a difference, or "".
func (b Body) commitment(n Network, height int32) string {
	if len(b) == 0 || b[0].coinbase == nil {
		return "" // IDFlaws has reported this
	}
	coinbase := b[0].coinbase
	witness := slices.ContainsFunc(b, func(t BodyTx) bool { return t.witness })
	var want []byte
	for _, out := range coinbase.TxOut { // BIP 141: the last commitment counts
		if len(out.PkScript) >= len(WitnessMagic)+32 && strings.HasPrefix(
			string(out.PkScript[:len(WitnessMagic)]), WitnessMagic) {
			want = out.PkScript[len(WitnessMagic):][:32]
		}
	}
	switch {
	case height >= 0 && height < networks[n].segwit:
		if !witness {
			return ""
		}
		return fmt.Sprintf("it has witnesses, which %v has from block %d on, and its height is %d "+
			"(--network)", n, networks[n].segwit, height)
	case want == nil && !witness:
		return ""
	case want == nil:
		return "it has witnesses, and no witness commitment"
	}
	reserved := coinbase.TxIn[0].Witness
	if len(reserved) != 1 || len(reserved[0]) != 32 {
		return "the coinbase's witness is not the 32 bytes that belong to its witness commitment"
	}
	wids := make([]chainhash.Hash, len(b)) // the coinbase's is zero
	for i := range b[1:] {
		wids[1+i] = b[1+i].WID
	}
	root, _ := MerkleRoot(wids)
	if sum := chainhash.DoubleHashB(append(root[:], reserved[0]...)); !bytes.Equal(sum, want) {
		return "its witnesses do not hash to its coinbase's witness commitment"
	}
	return ""
}

// MerkleRoot returns the Merkle root of the ids of a block's transactions. It overwrites ids. twice
// reports whether two siblings in the tree are equal. They are if the list repeats its last ids and
// so has the root of a shorter list (CVE-2012-2459).
func MerkleRoot(ids []chainhash.Hash) (root chainhash.Hash, twice bool) {
	if len(ids) == 0 {
		return root, false
	}
	for len(ids) > 1 {
		pairs := make([][]byte, (len(ids)+1)/2)
		texts := make([]byte, 0, 64*len(pairs))
		for i := range pairs {
			left, right := &ids[2*i], &ids[min(2*i+1, len(ids)-1)]
			twice = twice || left != right && *left == *right
			texts = append(append(texts, left[:]...), right[:]...)
			pairs[i] = texts[64*i:]
		}
		ids = ids[:len(pairs)]
		for i, parent := range batch.AppendDoubleSHA256(nil, pairs) {
			ids[i] = parent
		}
	}
	return ids[0], twice
}

// BIP34Time is a block time (Unix) somewhat after block 227931. Every mainnet block from that time
// on has its height in its coinbase.
const BIP34Time = 1364774400
