package nodejson

import (
	"math"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/units"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// TestKeptCoinbase checks that a txSum keeps a coinbase only if it is the block's first
// transaction.
func TestKeptCoinbase(t *testing.T) {
	tx := &wire.MsgTx{TxIn: []*wire.TxIn{{PreviousOutPoint: wire.OutPoint{Index: math.MaxUint32}}}}
	tr := &units.Transaction{Transaction: bitcoin.Transaction{Tx: tx,
		Spent: make([]wireform.Output, 1)}}
	for _, first := range []bool{true, false} {
		var s txSum
		s.set(newBlockSum(consensus.Regtest, wireform.Header{}, reading.Where{}), tr, first)
		why := consensus.Body{s.BodyTx}.IDFlaws(consensus.Regtest, &wireform.Header{}, -1)
		if kept := !strings.Contains(why, "no coinbase"); kept != first {
			t.Errorf("first is %t, and the coinbase is kept: %t", first, kept)
		}
	}
}
