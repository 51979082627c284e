package ethereum

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ethereum/wire"
)

// maxTransactions is the maximum number of transactions of a block whose transactions root is
// computed. A block of that many plain transfers (21,000 gas each) takes 344 million gas.
const maxTransactions = 1 << 14

// A blockSum collects data of a block's transactions, which several goroutines parse, and compares
// it with the block's fields. It is queued after the block's last transaction, and it waits until
// all the block's transactions have been parsed. They are in the same batch or in earlier ones, and
// batches are taken in order, so the wait ends.
type blockSum struct {
	where   reading.Where
	chain   Chain
	header  header
	number  *uint64  // nil if unknown
	time    *uint64  // nil if unknown
	unknown bool     // the block has fields that the format does not define
	flaws   []string // errors in the header or in the lists of the block; a break of the chain
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
	hash   []byte // block hash stated by the transaction, or nil
	number []byte // block number stated by the transaction, or nil
	time   []byte // block time stated by the transaction, or nil
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

// judge fills in the reading.Unit of x, which reports the flaws of the block as a whole. It returns
// false if the block has no flaw; the caller then emits no reading.Unit for the block.
func (s *blockSum) judge(x *expander) (flawed bool) {
	s.read.Wait()
	x.unit.Kind = "block"
	all := s.flaws
	flaw := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	h := &s.header
	differ := func(f wire.HeaderField, is []byte) {
		if h.Header[f] != nil && !bytes.Equal(h.Header[f], is) {
			flaw("%q is not 0x%x", f, is)
		}
	}

	leaves := make([]*leaf, len(s.txs))
	for i, t := range s.txs {
		leaves[i] = t.leaf
		for _, c := range []struct {
			name     string
			says, is []byte
		}{
			{"blockHash", t.hash, h.hash},
			{"blockNumber", t.number, h.Header[wire.Number]},
			{"blockTimestamp", t.time, h.Header[wire.Timestamp]},
		} {
			if c.says != nil && c.is != nil && !bytes.Equal(c.says, c.is) {
				flaw("%q of transaction %d is another block's", c.name, i)
			}
		}
		if len(all) > 3 {
			break
		}
	}
	if root, ok := x.root(leaves); ok && !s.more {
		differ(wire.TransactionsRoot, root[:])
	}
	if s.withdrawals != nil {
		differ(wire.WithdrawalsRoot, s.withdrawals[:])
	}
	if s.uncles != nil {
		differ(wire.UnclesHash, s.uncles[:])
	}
	if is, ok := h.computed(); ok && h.hash != nil && !bytes.Equal(is[:], h.hash) {
		if s.unknown && len(all) == 0 {
			x.decide(reading.NotCheckable, "the fields of the block hash to 0x%x, which is not its "+
				"\"hash\": "+
				"they were changed, or a field that the format does not define belongs to them", is)
			return true
		}
		flaw("the fields of the block hash to 0x%x, and its \"hash\" is another", is)
	}
	switch {
	case len(all) > 0:
		x.decide(reading.Malformed, "%s", strings.Join(all, "; "))
	case s.more:
		x.decide(reading.NotCheckable, "more than %d transactions: their root was not computed",
			maxTransactions)
	case h.Header[wire.TransactionsRoot] == nil:
		x.decide(reading.NotCheckable, "no \"transactionsRoot\": nothing shows that these are its "+
			"transactions")
	default:
		return false
	}
	return true
}

// named returns the hash of the block, or "" if it is unknown.
func (s *blockSum) named() string {
	if s.header.hash == nil {
		return ""
	}
	return "0x" + hex.EncodeToString(s.header.hash)
}

// linked adds the block to l. If the block breaks the chain, that is a flaw.
func (s *blockSum) linked(l *Links) {
	parent := s.header.Header[wire.ParentHash]
	if s.header.hash == nil || parent == nil || s.number == nil || s.time == nil {
		s.roots, s.leaves = 1, 1 // as a pending block, which has no hash yet
		return
	}
	var broken string
	broken, s.roots, s.leaves = l.add(s.chain, link{Number: *s.number, Time: *s.time,
		Hash: [32]byte(s.header.hash), Parent: [32]byte(parent)})
	if broken != "" {
		s.flaw(broken)
	}
}
