package inputs

import (
	"github.com/btcsuite/btcd/txscript/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/hashing"
	"github.com/koblitz-go/koblitz/hashes"
)

// A summer computes the txSums of several transactions at once.
type summer struct {
	*hashing.Hasher
	scratch []byte
	txs     []*Transaction
}

// maxSummed is with how many bytes of fields a summer computes what it has. Of a transaction it has
// less than 20 KiB.
const maxSummed = 32 << 10

// sumTogether computes the txSums of the transactions that are among the pieces with all inputs,
// and that have some use for them. Others compute theirs when they are asked for.
func sumTogether(pieces []Piece) {
	s := summer{Hasher: hashing.New(hashes.AppendSHA256)}
	defer s.Release()
	for _, p := range pieces {
		part, ok := p.(span)
		if !ok || part.Inputs() < len(part.t.Tx.TxIn) || !part.t.Tx.HasWitness() {
			continue
		}
		s.add(part.t)
		if len(s.Copies) > maxSummed {
			s.finish()
		}
	}
	s.finish()
}

// add has finish compute the sums of a transaction. No other batch has any of its inputs, and none
// of them is judged before finish.
func (s *summer) add(t *Transaction) {
	later := func(to *[32]byte, message []byte) { s.LaterOf(to, message) }
	t.ownSums(&s.scratch, later)
	if t.spendsTaproot() {
		t.spentSums(&s.scratch, later)
		t.spentSummed.Do(func() {})
	}
	t.summed.Do(func() {})
	s.txs = append(s.txs, t)
}

// finish computes the sums of all transactions that were added.
func (s *summer) finish() {
	s.Run()
	for _, t := range s.txs {
		t.shared.twice(s.Later)
	}
	s.Run()
	s.Reset()
	s.txs = s.txs[:0]
}

// spendsTaproot reports whether the transaction spends an output of taproot that is known.
func (t *Transaction) spendsTaproot() bool {
	for i := range t.Spent {
		if txscript.IsPayToTaproot(t.Spent[i].Script) {
			return true
		}
	}
	return false
}
