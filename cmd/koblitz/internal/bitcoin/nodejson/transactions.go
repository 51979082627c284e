package nodejson

import (
	"fmt"
	"math"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/units"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// Transactions returns a reader of transactions as Bitcoin Core's "getrawtransaction TXID 2" prints
// them, one after another or in lists, bare or in JSON-RPC responses. It checks them like those of
// Blocks, but under today's rules, because it cannot verify which block contains a transaction.
func Transactions(src reading.Source, network consensus.Network) reading.Reader {
	json := reading.NewJSON(src, "transaction")
	r := &txReader{network: network, json: json}
	r.Steps = reading.Steps{Queue: &r.queue, Step: r.step, Wait: json.Drained,
		Position: func() int64 { return src.Position(json.Taken()) }}
	return r
}

type txReader struct {
	reading.Steps
	network consensus.Network
	json    *reading.JSON
	queue   units.Queue
}

// step reads one transaction and adds it to the queue.
func (r *txReader) step() error {
	v, err := r.json.Element(textLimits)
	if err != nil {
		return err
	}
	where := r.json.Where(v.Place)
	switch {
	case v.Over != nil:
		r.queue.Add(&units.Decided{Where: where, Kind: "transaction", Decided: reading.Malformed,
			Reason: fmt.Sprintf("a transaction of %v", v.Over)})
	case v.Text[0] != '{':
		return r.json.FailAt(v.Place, fmt.Errorf("a transaction as getrawtransaction prints it with "+
			"verbosity 2 is wanted, not %s", reading.Quote(v.Text)))
	default:
		t := &txText{raw: v.Text, items: v.Items, inner: v.Inner, where: where,
			of: noBlock(r.network, where), alone: true, sum: new(txSum)}
		t.of.read.Add(1)
		r.queue.Add(t)
	}
	r.queue.Mark(r.json.Place())
	return nil
}

// noBlock returns a blockSum for a transaction without a known block.
func noBlock(n consensus.Network, where reading.Where) *blockSum {
	s := newBlockSum(n, wireform.Header{}, where)
	s.rules = n.RulesAt(math.MaxInt32, chainhash.Hash{})
	return s
}
