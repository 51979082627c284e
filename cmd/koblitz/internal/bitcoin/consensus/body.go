package consensus

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/hashes"
)

// A Body collects what a block's header and coinbase commit to, from the block's transactions, so
// that a transaction that is left out, added or changed is detected.
type Body struct {
	ids      []chainhash.Hash // of the transactions
	wids     []chainhash.Hash // the same with their witnesses, BIP 141
	coinbase *wire.MsgTx      // the first one, or nil if it is none
	later    int              // the first transaction after it that is a coinbase too, or 0
	witness  bool             // some transaction has one
}

// Reset empties the body and keeps its memory.
func (b *Body) Reset() { *b = Body{ids: b.ids[:0], wids: b.wids[:0]} }

// add adds the next transaction. wid is the hash of all its bytes (wtxid).
func (b *Body) add(tx *wire.MsgTx, id, wid chainhash.Hash) {
	var coinbase *wire.MsgTx
	if wireform.IsCoinbase(tx) {
		coinbase = tx
	}
	b.Append(coinbase, tx.HasWitness(), id, wid)
}

// Append adds a transaction of which only the given properties are known. coinbase is the
// transaction if it is a coinbase, or nil.
func (b *Body) Append(coinbase *wire.MsgTx, witness bool, id, wid chainhash.Hash) {
	switch i := len(b.ids); {
	case i == 0:
		b.coinbase = coinbase
	case b.later == 0 && coinbase != nil:
		b.later = i
	}
	b.ids = append(b.ids, id)
	b.wids = append(b.wids, wid)
	b.witness = b.witness || witness
}

// Flaws returns how the transactions differ from the header or break the rules of n about coinbases
// and commitments, or "". A negative height is unknown. The body must not be used afterwards.
func (b *Body) Flaws(n Network, h *wireform.Header, height int32) string {
	if len(b.ids) == 0 {
		return "a block without transactions"
	}
	var all []string
	flaw := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if !Worked(h) {
		flaw("its hash is above the target of its proof of work")
	}
	if b.coinbase == nil {
		flaw("its first transaction is no coinbase")
	} else if inside := wireform.CoinbaseHeight(b.coinbase.TxIn[0].SignatureScript); named(n, h,
		height) && inside != height {
		flaw("its height is %d, and its coinbase says %d (BIP 34)", height, inside)
	}
	if b.later > 0 {
		flaw("transaction %d is a coinbase too", b.later)
	}
	switch root, twice := MerkleRoot(b.ids); {
	case twice:
		flaw("transactions stand in it twice")
	case root != h.Root:
		flaw("its transactions do not hash to its header's Merkle root")
	}
	if why := b.commitment(n, h, height); why != "" {
		flaw("%s", why)
	}
	return strings.Join(all, "; ")
}

// named reports whether the block's coinbase must contain its height: because of BIP 34, or because
// the block's time is after BIP 34 was in force everywhere, no matter which height a file states. A
// negative height is unknown.
func named(n Network, h *wireform.Header, height int32) bool {
	return height >= networks[n].bip34 || height >= 0 && h.Time >= BIP34Time &&
		h.Prev != chainhash.Hash{}
}

// WitnessMagic begins the output script of a coinbase that commits to the
// block's witnesses (BIP 141).
const WitnessMagic = "\x6a\x24\xaa\x21\xa9\xed"

// commitment compares the witnesses with the coinbase's commitment to them.
func (b *Body) commitment(n Network, h *wireform.Header, height int32) string {
	if b.coinbase == nil {
		return "" // that is said already
	}
	var want []byte
	for _, out := range b.coinbase.TxOut { // the last one counts
		if len(out.PkScript) >= len(WitnessMagic)+32 && strings.HasPrefix(
			string(out.PkScript[:len(WitnessMagic)]), WitnessMagic) {
			want = out.PkScript[len(WitnessMagic):][:32]
		}
	}
	switch {
	case height >= 0 && height < networks[n].segwit:
		if !b.witness {
			return ""
		}
		return fmt.Sprintf("it has witnesses, which %v has from block %d on, and its height is %d%s", n,
			networks[n].segwit, height, n.remedy(h, height))
	case want == nil && !b.witness:
		return ""
	case want == nil:
		return "it has witnesses, and no witness commitment"
	}
	reserved := b.coinbase.TxIn[0].Witness
	if len(reserved) != 1 || len(reserved[0]) != 32 {
		return "the coinbase's witness is not the 32 bytes that belong to its witness commitment"
	}
	b.wids[0] = chainhash.Hash{}
	root, _ := MerkleRoot(b.wids)
	if sum := chainhash.DoubleHashB(append(root[:], reserved[0]...)); !bytes.Equal(sum, want) {
		return "its witnesses do not hash to its coinbase's witness commitment"
	}
	return ""
}

// MerkleRoot returns the Merkle root of the IDs of a block's transactions. It overwrites ids. twice
// reports whether two equal nodes are siblings at any level: such a list has the same root as the
// list without the duplicates (CVE-2012-2459).
func MerkleRoot(ids []chainhash.Hash) (root chainhash.Hash, twice bool) {
	if len(ids) == 0 {
		return root, false
	}
	var level merkleLevel
	for len(ids) > 1 {
		parents := ids[:0]
		for from := 0; from < len(ids); from += 2 * nodes {
			children := ids[from:min(from+2*nodes, len(ids))]
			twice = level.hash(children) || twice
			for _, digest := range level.digests[:(len(children)+1)/2] {
				parents = append(parents, digest)
			}
		}
		ids = parents
	}
	return ids[0], twice
}

// nodes is the number of nodes of a Merkle tree that are hashed at once.
const nodes = 64

// A merkleLevel hashes up to nodes adjacent nodes of one level of a Merkle tree.
type merkleLevel struct {
	pairs    [nodes][64]byte
	messages [nodes][]byte
	digests  [nodes][32]byte
}

// hash sets digests to the parents of up to 2·nodes children, and reports whether two siblings are
// equal.
func (m *merkleLevel) hash(children []chainhash.Hash) (twice bool) {
	n := (len(children) + 1) / 2
	for i := range n {
		left, right := &children[2*i], &children[min(2*i+1, len(children)-1)]
		twice = twice || left != right && *left == *right
		copy(m.pairs[i][:32], left[:])
		copy(m.pairs[i][32:], right[:])
		m.messages[i] = m.pairs[i][:]
	}
	hashes.AppendDoubleSHA256(m.digests[:0], m.messages[:n])
	return twice
}

// BIP34Time is the block time from which every mainnet block has its height in its coinbase,
// somewhat after block 227931.
const BIP34Time = 1364774400
