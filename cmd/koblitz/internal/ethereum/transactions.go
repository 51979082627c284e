package ethereum

import (
	"fmt"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// Transactions returns a reader of single transactions: in the JSON of eth_getTransactionByHash, or
// encoded as eth_getRawTransactionByHash returns them. They come one after the other or in lists,
// bare or in JSON-RPC responses. They are judged as the transactions of blocks are, but under the
// latest rules, because the block number that a transaction states cannot be verified.
func Transactions(src reading.Source, opt Options) reading.Reader {
	json := reading.NewJSON(src, "transaction")
	rules := opt.Chain.rulesAt(latest, latest)
	queue := newQueue(opt, src.From)
	step := func() error {
		v, err := json.Element(textLimits)
		if err != nil {
			return err
		}
		b := &block{where: json.Where(v.Place), rules: rules, lone: true, isJSON: true,
			txs: [][]byte{v.Text}, held: len(v.Text), items: v.Items + v.Inner}
		switch {
		case v.Over != nil:
			b.decided, b.reason = reading.Malformed, fmt.Sprintf("a transaction of %v", v.Over)
		case v.Text[0] != '"' && v.Text[0] != '{':
			return json.FailAt(v.Place, fmt.Errorf("a transaction is wanted, not %s",
				reading.Quote(v.Text)))
		}
		place := json.Place()
		queue.Add(b)
		queue.Mark(func() *reading.Place { return place })
		return nil
	}
	return &reading.Steps{Queue: queue, Wait: json.Drained, Step: step,
		Position: func() int64 { return src.Position(json.Taken()) }}
}
