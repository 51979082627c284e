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
	latest := opt.Chain.rulesAt(latest, latest)
	r := &txReader{json: json, rules: &latest, queue: opt.queue(src.From)}
	r.Steps = reading.Steps{Queue: &r.queue, Wait: json.Drained,
		Step:     func() error { return r.queue.refusal(r.step()) },
		Position: func() int64 { return src.Position(json.Taken()) }}
	return r
}

type txReader struct {
	reading.Steps
	json  *reading.JSON
	rules *rules
	queue queue
}

// step queues one transaction.
func (r *txReader) step() error {
	v, err := r.json.Element(textLimits)
	if err != nil {
		return err
	}
	p := piece{json: v.Text, over: v.Over, items: v.Items + v.Inner,
		where: r.json.Where(v.Place), rules: r.rules}
	switch {
	case p.over != nil:
		p.over = fmt.Errorf("a transaction of %w", p.over)
	case p.json[0] != '"' && p.json[0] != '{':
		return r.json.FailAt(v.Place, fmt.Errorf("a transaction is wanted, not %s",
			reading.Quote(p.json)))
	}
	r.queue.add(p)
	r.queue.mark(r.json.Place())
	return nil
}
