package bitcoin

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/prevouts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/units"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// RawBlock returns a reader of one serialized block. If inHex is true, the block is in hex digits,
// with white space anywhere. spent reads the outputs that the block's inputs spend. If spent is
// nil, only inputs that spend outputs of the same block are checked, and one verdict on the block
// counts the other inputs.
func RawBlock(src reading.Source, inHex bool, spent *prevouts.Spent,
	network consensus.Network) reading.Reader {
	r := &rawBlock{src: src, inHex: inHex, spent: spent, network: network}
	r.Steps = reading.Steps{Queue: &r.queue, Start: r.start, Step: r.transaction, End: r.countUnknown,
		Position: func() int64 { return src.Position(int64(r.taken)) }}
	return r
}

type rawBlock struct {
	reading.Steps
	src     reading.Source
	inHex   bool
	spent   *prevouts.Spent
	network consensus.Network

	readErr error // the read error that ended the input early, or nil
	c       consensus.TxCursor
	h       wireform.Header
	height  int32
	rules   bitcoin.Rules
	next    int // number of the next transaction
	taken   int // bytes of the file in the transactions read so far
	inputs  int // inputs read so far, without the coinbase's
	unknown int // how many of these inputs spend unknown outputs
	own     map[wire.OutPoint]wireform.Output
	queue   units.Queue
}

// countUnknown adds the verdict that counts the inputs with unknown outputs to the queue. err is
// the error that ended reading; countUnknown returns it.
func (r *rawBlock) countUnknown(err error) error {
	if r.unknown == 0 {
		return err
	}
	where := reading.In(r.src.Name)
	where.Block, where.Offset = r.height, 0
	r.queue.Add(&units.Decided{Where: where, Kind: "block", Decided: reading.NotCheckable,
		Reason: fmt.Sprintf("block %v: %d of its %d inputs spend outputs of other blocks, and there is "+
			"no file of spent outputs (--spent); 'getblock HASH 3' prints the block with them", r.h.Hash,
			r.unknown, r.inputs)})
	return err
}

// offset returns the offset in the file of byte i of the block, or -1 if the block is in hex.
func (r *rawBlock) offset(i int) int64 {
	if r.inHex {
		return -1
	}
	return int64(i)
}

// fail returns an error at byte i of the block.
func (r *rawBlock) fail(i int, format string, args ...any) error {
	if r.readErr != nil {
		return r.readErr
	}
	err := fmt.Errorf(format, args...)
	if r.inHex {
		err = fmt.Errorf("byte %d of the block: %w", i, err)
	}
	return &reading.Error{File: r.src.Name, Offset: r.offset(i), Err: err}
}

// start reads the whole block and checks its header.
func (r *rawBlock) start() error {
	limit := wireform.MaxBlockSize
	if r.inHex {
		limit = 4 * wireform.MaxBlockSize // two digits for each byte, and white space
	}
	data, err := io.ReadAll(io.LimitReader(r.src.Reader, int64(limit)+1))
	if len(data) > limit {
		data, err = data[:limit], errors.New("more bytes than a block can have")
	}
	if err != nil {
		r.readErr = &reading.Error{File: r.src.Name, Offset: int64(len(data)), Err: err}
	}
	if r.inHex {
		if data, err = decodeHex(data); err != nil && r.readErr == nil {
			r.readErr = r.fail(len(data), "%w", err)
		}
	}
	if len(data) < wireform.HeaderSize {
		return r.fail(len(data), "ends in the middle of the block's header: %d bytes wanted, %d there",
			wireform.HeaderSize, len(data))
	}
	r.h = wireform.ParseHeader(data)
	if err := r.network.Refuse(&r.h); err != nil {
		return r.fail(wireform.BitsAt, "%w", err)
	}
	r.c = consensus.ReadBlock(data)
	r.taken = r.c.At
	r.own = make(map[wire.OutPoint]wireform.Output)
	if r.c.Err != nil {
		return r.fail(r.c.Err.At, "%w", r.c.Err)
	}
	if r.spent != nil {
		return r.spent.Begin(r.c.Txs)
	}
	return nil
}

// coinbase determines the height of the block from the coinbase's script, and the consensus rules
// at that height.
func (r *rawBlock) coinbase(script []byte) error {
	r.height = -1
	if r.h.Prev == (chainhash.Hash{}) {
		r.height = 0
	} else if r.h.Version >= 2 {
		r.height = wireform.CoinbaseHeight(script)
	}
	if r.height < 0 && r.h.Time >= consensus.BIP34Time {
		return r.fail(wireform.HeaderSize, "the coinbase does not name the block's height (BIP 34), and "+
			"so its rules are not known")
	}
	r.rules = r.network.RulesAt(r.height, r.h.Hash)
	return nil
}

// transaction adds the inputs of the next transaction to the queue. After the last one it returns
// io.EOF.
func (r *rawBlock) transaction() error {
	if r.next == r.c.Txs {
		return r.finish()
	}
	read, ok := r.c.Next()
	if !ok {
		return r.fail(r.c.Err.At, "transaction %d of %d: %w", r.next, r.c.Txs, r.c.Err)
	}
	tx, id, at := read.Tx, read.ID, read.At.Begin
	if wireform.IsCoinbase(tx) != (r.next == 0) {
		return r.fail(at, "the coinbase is not the first transaction, or not the only one of its kind")
	}
	r.next++
	if r.taken = read.At.End; r.inHex {
		r.taken *= 2
	}
	defer func() {
		for i, out := range tx.TxOut {
			r.own[wire.OutPoint{Hash: id, Index: uint32(i)}] = wireform.Output{Known: true,
				Amount: out.Value, Script: out.PkScript}
		}
	}()
	if r.next == 1 {
		return r.coinbase(tx.TxIn[0].SignatureScript)
	}
	where := reading.In(r.src.Name)
	where.Block, where.Offset = r.height, r.offset(at)
	t := &units.Transaction{Transaction: bitcoin.Transaction{Tx: tx, Rules: r.rules,
		Missing: "of another block"}, ID: id, Block: r.c.Data, LeaveOut: r.spent == nil, Where: where}
	t.Spent = make([]wireform.Output, len(tx.TxIn))
	if r.spent != nil {
		if err := r.spent.List(r.next-1, len(tx.TxIn)); err != nil {
			return err
		}
	}
	r.inputs += len(tx.TxIn)
	for i, in := range tx.TxIn {
		p := in.PreviousOutPoint
		own, inside := r.own[p]
		if r.spent == nil {
			if t.Spent[i] = own; !own.Known {
				r.unknown++
			}
			continue
		}
		o, at, err := r.spent.Output()
		if err != nil {
			return err
		}
		if inside && (own.Amount != o.Amount || string(own.Script) != string(o.Script)) {
			return r.spent.Fail(at, "this spent output is not what the block in %s itself has as output "+
				"%d of %v", r.src.Name, p.Index, p.Hash)
		}
		t.Spent[i] = o
	}
	r.queue.Transaction(t)
	return nil
}

func (r *rawBlock) finish() error {
	if why := r.c.Body.Flaws(r.network, &r.h, r.height); why != "" {
		where := reading.In(r.src.Name)
		where.Block, where.Offset = r.height, 0
		r.queue.Add(units.MalformedBlock(where, &r.h, why))
	}
	r.queue.Ended(r.network, r.height, r.h.Hash)
	if r.spent != nil {
		if err := r.spent.End(); err != nil {
			return err
		}
	}
	if r.c.Next(); r.c.Err != nil {
		return r.fail(r.c.Err.At, "%w", r.c.Err)
	}
	if r.readErr != nil {
		return r.readErr
	}
	return io.EOF
}

// decodeHex decodes hex digits with white space anywhere between them. If it returns an error, the
// data are those before it.
func decodeHex(text []byte) (data []byte, err error) {
	digits := make([]byte, 0, len(text))
	for _, c := range text {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			digits = append(digits, c)
		}
	}
	n, err := hex.Decode(digits, digits)
	return digits[:n], err
}
