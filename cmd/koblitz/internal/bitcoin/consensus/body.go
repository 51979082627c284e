package consensus

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

// A Body collects, from the transactions of a block, the hashes to which the block's header and
// coinbase commit. A comparison with those hashes detects a transaction that was left out, added or
// changed.
type Body struct {
	// IDsOnly omits the check of the witnesses, on which no id depends. Then a TxCursor does not
	// hash them, and ParsedTx.WID is the id. It must be set before the first transaction.
	IDsOnly bool

	ids      []chainhash.Hash // ids of the transactions
	wids     []chainhash.Hash // hashes that include the witness (wtxid, BIP 141)
	coinbase *wire.MsgTx      // the first transaction, or nil if it is not a coinbase
	later    int              // index of the first further coinbase, or 0
	witness  bool             // a transaction has a witness
}

// newBody returns a Body with memory for the given number of transactions.
func newBody(txs int) Body {
	hashes := make([]chainhash.Hash, 2*txs)
	return Body{ids: hashes[:0:txs], wids: hashes[txs:txs]}
}

// Append adds the next transaction. coinbase is the transaction if it is a coinbase, and otherwise
// nil. witness reports whether it has a witness. wid is the hash of the whole transaction with its
// witness (wtxid).
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

// Flaws returns a text that says how the transactions differ from the header h, or how they break
// the rules of network n about coinbases and commitments. It returns "" if they do neither. A
// negative height is unknown. The body must not be used afterwards.
func (b *Body) Flaws(n Network, h *wireform.Header, height int32) string {
	if len(b.ids) == 0 {
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
	if !b.IDsOnly {
		if why := b.commitment(n, height); why != "" {
			flaw("%s", why)
		}
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
func (b *Body) commitment(n Network, height int32) string {
	if b.coinbase == nil {
		return "" // Flaws has reported the missing coinbase
	}
	var want []byte
	for _, out := range b.coinbase.TxOut { // BIP 141: the last commitment counts
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
		return fmt.Sprintf("it has witnesses, which %v has from block %d on, and its height is %d "+
			"(--network)", n, networks[n].segwit, height)
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
