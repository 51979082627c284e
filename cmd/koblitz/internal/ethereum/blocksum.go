package ethereum

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// maxTransactions is the maximum number of transactions of a block whose transactions root is
// computed. A block of that many plain transfers (21,000 gas each) takes 344 million gas.
const maxTransactions = 1 << 14

// A blockSum collects data of a block's transactions, which several goroutines parse, and compares
// it with the block's fields. It is queued after the block's last transaction, and it waits until
// all the block's transactions have been parsed. They are in the same batch or in earlier ones, and
// batches are taken in order, so the wait ends.
type blockSum struct {
	where   rows.Where
	chain   Chain
	header  header
	number  *uint64  // nil if unknown
	time    *uint64  // nil if unknown
	unknown bool     // the block has fields that the format does not define
	flaws   []string // RLP: errors in the lists around the transactions; a break of the chain
	roots   int64    // change of the number of blocks whose parent was not read
	leaves  int64    // change of the number of blocks without a child

	withdrawals *[32]byte // root of the listed withdrawals; nil if there is no list
	uncles      *[32]byte // hash of the uncles; nil if there is no list

	txs  []*txSum
	more bool // the block has more than maxTransactions transactions
	read sync.WaitGroup
}

// A txSum holds the data of one transaction that the checks of its block need.
type txSum struct {
	leaf   *leaf  // nil if the transaction could not be encoded
	hash   string // block hash stated by the transaction, or ""
	number string // block number stated by the transaction, or ""
	time   string // block time stated by the transaction, or ""
}

// transaction returns s and a new txSum: the values of the fields "of" and "sum" in the piece that
// holds the block's next transaction. If the block has too many transactions, both results are nil.
func (s *blockSum) transaction() (*blockSum, *txSum) {
	if len(s.txs) == maxTransactions {
		s.more = true
		return nil, nil
	}
	t := new(txSum)
	s.txs = append(s.txs, t)
	return s, t
}

// judge fills in the rows.Unit of x, which reports the flaws of the block as a whole. It returns
// false if the block has no flaw; the caller then emits no rows.Unit for the block.
func (s *blockSum) judge(x *expander) (flawed bool) {
	s.read.Wait()
	x.unit.Kind = "block"
	all := s.flaws
	flaw := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	text := func(h [32]byte) string { return "0x" + hex.EncodeToString(h[:]) }
	differ := func(f headerField, is string) {
		if s.header[f] != "" && !same(f, s.header[f], is) {
			flaw("%q is not %s", headerNames[f].name, is)
		}
	}

	leaves := make([]*leaf, len(s.txs))
	for i, t := range s.txs {
		leaves[i] = t.leaf
		for _, c := range []struct {
			name, says string
			f          headerField
		}{{"blockHash", t.hash, blockHash}, {"blockNumber", t.number, number}, {"blockTimestamp", t.time,
			timestamp}} {
			if c.says != "" && s.header[c.f] != "" && !same(c.f, c.says, s.header[c.f]) {
				flaw("%q of transaction %d is another block's", c.name, i)
			}
		}
		if len(all) > 3 {
			break
		}
	}
	root, rootKnown := x.root(leaves)
	h := s.header
	compared := h[transactionsRoot] != "" // the transactions root or the block hash was compared
	if rootKnown && !s.more {
		differ(transactionsRoot, text(root))
	}
	if s.withdrawals != nil {
		differ(withdrawalsRoot, text(*s.withdrawals))
	}
	if s.uncles != nil {
		differ(unclesHash, text(*s.uncles))
	}
	encoded, ok, err := h.encode()
	switch {
	case err != nil:
		flaw("%v", err)
	case ok && h[blockHash] != "":
		compared = true
		if is := text(keccak256(encoded)); !same(blockHash, is, h[blockHash]) {
			if s.unknown && len(all) == 0 {
				x.decide(rows.NotCheckable, "the fields of the block hash to %s, which is not its \"hash\": "+
					"they were changed, or a field that the format does not define belongs to them", is)
				return true
			}
			flaw("the fields of the block hash to %s, and its \"hash\" is another", is)
		}
	}
	switch {
	case len(all) > 0:
		x.decide(rows.Malformed, "%s", strings.Join(all, "; "))
	case s.more:
		x.decide(rows.NotCheckable, "more than %d transactions: their root was not computed",
			maxTransactions)
	case !compared:
		x.decide(rows.NotCheckable, "neither the root of its transactions nor its hash, with all fields "+
			"that it is made of: nothing shows that these are its transactions")
	default:
		return false
	}
	return true
}

// named returns the hash of the block, or "" if it is unknown.
func (s *blockSum) named() string {
	hash, err := encodeField(s.header[blockHash], 32)
	if err != nil {
		return ""
	}
	return "0x" + hex.EncodeToString(hash)
}

// linked adds the block to l. If the block breaks the chain, that is a flaw.
func (s *blockSum) linked(l *Links) {
	hash, err := encodeField(s.header[blockHash], 32)
	parent, err2 := encodeField(s.header[parentHash], 32)
	if err != nil || err2 != nil || s.number == nil || s.time == nil {
		s.roots, s.leaves = 1, 1 // as a pending block, which has no hash yet
		return
	}
	var broken string
	broken, s.roots, s.leaves = l.add(s.chain, link{Number: *s.number, Time: *s.time,
		Hash: [32]byte(hash), Parent: [32]byte(parent)})
	if broken != "" {
		s.flaw(broken)
	}
}

// same reports whether the texts a and b encode the same value of header field f.
func same(f headerField, a, b string) bool {
	x, err := encodeField(a, headerNames[f].size)
	y, err2 := encodeField(b, headerNames[f].size)
	return err == nil && err2 == nil && bytes.Equal(x, y)
}
