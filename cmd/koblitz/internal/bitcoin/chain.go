package bitcoin

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/framing"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/units"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/utxo"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/tempfile"
)

// A Chain reads Bitcoin Core's blk*.dat files in order, starting with the first block. The outputs
// that the inputs spend come from the files themselves. Blocks may come in any order, also across
// files, and blocks of forks are read like the others. Files may be obfuscated, as Core has done
// since version 28. The parent hash of the first block of the first file, which is all zeros before
// the obfuscation, gives the key.
//
// A Chain keeps unspent outputs in memory, up to the limit set by SetOutputMemory, and the rest in
// a temporary file.
type Chain struct {
	network consensus.Network
	only    *consensus.Network // if not nil, accept only this network
	key     [8]byte            // xor key of the files; all zeros if they are not obfuscated
	started bool
	order   int
	outputs *utxo.Set
	shelf   shelf
	body    consensus.Body

	ready []*record     // blocks whose parents have been read, in reading order
	block *blockTxs     // the block being read, or nil
	rules bitcoin.Rules // consensus rules for the block being read
}

// NewChain returns a Chain that has read nothing yet. It creates its temporary files in space. The
// caller must call Close.
func NewChain(space *tempfile.Space) *Chain {
	return &Chain{
		outputs: utxo.NewSet(space),
		shelf:   shelf{space: space, memory: shelfMemory},
	}
}

// Only makes the chain refuse files of networks other than n. Without a call of Only, the chain
// accepts the network of its first file, whichever that is.
func (c *Chain) Only(n consensus.Network) { c.only = &n }

// SetOutputMemory limits the memory for unspent outputs to the given number of bytes. A higher
// limit makes reading long chains faster.
func (c *Chain) SetOutputMemory(bytes int64) { c.outputs.Memory = bytes }

// Close removes the temporary files, if there are any.
func (c *Chain) Close() error { return errors.Join(c.shelf.Close(), c.outputs.Close()) }

// Detect reports whether a file that starts with head belongs to this chain.
func (c *Chain) Detect(head []byte) bool {
	if !c.started || len(head) < 8 {
		return false
	}
	var h [8]byte
	copy(h[:], head)
	framing.Unmask(h[:], c.key, 0)
	return [4]byte(h[:]) == c.network.Magic()
}

// File returns a reader of the next file. The caller must read that file to its end before it calls
// File again.
func (c *Chain) File(src rows.Source) rows.Reader {
	f := &blkFile{c: c, src: src, walk: framing.Walk{Source: framing.NewStream(src.Reader)}}
	f.Steps = rows.Steps{Queue: &f.queue, Step: f.step,
		Position: func() int64 { return src.Position(f.walk.At) }}
	return f
}

// Rest returns a reader of the blocks that do not connect to the first block, for use after the
// last file. The inputs of these blocks cannot be checked.
func (c *Chain) Rest() rows.Reader {
	r := &rest{c: c}
	r.Steps = rows.Steps{Queue: &r.queue, Start: r.start, Step: r.step,
		Position: func() int64 { return 0 }}
	return r
}

type blkFile struct {
	rows.Steps
	c     *Chain
	src   rows.Source
	walk  framing.Walk
	queue units.Queue
}

// step opens the next block, or processes one transaction of the open block.
func (f *blkFile) step() error {
	if f.c.block == nil && len(f.c.ready) == 0 {
		return f.record()
	}
	if err := f.c.step(&f.queue); err != nil {
		return f.fail(f.walk.At, "%w", err)
	}
	return nil
}

func (f *blkFile) fail(at int64, format string, args ...any) error {
	return &rows.Error{File: f.src.Name, Offset: at, Err: fmt.Errorf(format, args...)}
}

// record reads one block.
func (f *blkFile) record() error {
	c := f.c
	if !c.started {
		head, err := f.walk.Bytes(0, framing.FirstRecordSize)
		if err != nil {
			return f.fail(0, "%w", err)
		}
		var ok bool
		if c.network, c.key, ok = framing.FirstRecord(head); !ok {
			return f.fail(0, "does not begin with the first block of a chain: blk*.dat files are read "+
				"from the first one on")
		}
		if c.only != nil && *c.only != c.network {
			return f.fail(0, "blocks of %v, and not of %v, the network that is named (--network %v)",
				c.network, *c.only, *c.only)
		}
		c.started = true
	}
	f.walk.Form = framing.OfBlocks(f.src.Name, c.network, c.key)
	at, size, err := f.walk.Next()
	if err != nil {
		return err
	}
	b, err := f.walk.Bytes(at+8, int(size))
	if err != nil {
		return f.fail(at, "%w", err)
	}
	data := bytes.Clone(b)
	framing.Unmask(data, c.key, at+8)
	c.order++
	r := &record{file: f.src.Name, offset: at, header: wireform.ParseHeader(data), data: data,
		order: c.order}
	if genesis := c.network.Genesis(); c.order == 1 && r.header.Hash != genesis {
		return f.fail(at, "block %v is not the genesis block of %v: blk*.dat files are read from the "+
			"first one on", r.header.Hash, c.network)
	}
	if err := c.add(r); err != nil {
		return f.fail(at, "%w", err)
	}
	return nil
}

// add appends the block r to ready if its parent has been read, and otherwise puts it on the shelf,
// where blocks wait for their parents.
func (c *Chain) add(r *record) error {
	if r.header.Prev != (chainhash.Hash{}) {
		parent, connects, err := c.outputs.Block(r.header.Prev)
		if err != nil {
			return err
		}
		if !connects {
			return c.shelf.put(r)
		}
		r.height = parent + 1
	}
	c.ready = append(c.ready, r)
	return nil
}

// step processes one transaction of the open block or, if no block is open, opens the next ready
// one.
func (c *Chain) step(q *units.Queue) error {
	if c.block != nil {
		return c.transaction(q)
	}
	r := c.ready[0]
	c.ready[0], c.ready = nil, c.ready[1:]
	if r.waited {
		if err := c.shelf.load(r); err != nil {
			return err
		}
	}
	const missing = "not in the files, or can never be spent"
	height, again, err := c.outputs.Block(r.header.Hash)
	if err != nil {
		return err
	}
	if again {
		c.block = r.open(height, missing, &c.body)
		c.block.again = true
		return nil
	}
	if err := c.outputs.AddBlock(r.header.Hash, r.height); err != nil {
		return err
	}
	c.block = r.open(r.height, missing, &c.body)
	c.rules = c.network.RulesAt(r.height, r.header.Hash)
	return nil
}

// transaction adds the inputs of the open block's next transaction to the queue.
func (c *Chain) transaction(q *units.Queue) error {
	t, err := c.block.next()
	if t == nil {
		c.end(q, err)
		return nil
	}
	if c.block.again {
		return nil
	}
	t.Rules = c.rules
	if !wireform.IsCoinbase(t.Tx) {
		scripts := 0
		t.Spent = make([]wireform.Output, len(t.Tx.TxIn))
		for i, in := range t.Tx.TxIn {
			if t.Spent[i], err = c.outputs.Spend(wireform.OutpointOf(in), c.block.height); err != nil {
				return err
			}
			if scripts += len(t.Spent[i].Script); scripts > wireform.MaxSpentScripts {
				break // the queue will refuse the transaction
			}
		}
		q.Transaction(t)
	}
	return c.outputs.Add(t.ID, t.Tx.TxOut)
}

// end closes the open block. err is the error that ended reading the block, or nil. Blocks that
// waited for this block, their parent, become ready. A block that was read before is passed over if
// it is valid, that is, if its transactions match the Merkle root in its header.
func (c *Chain) end(q *units.Queue, err error) {
	b := c.block
	c.block = nil
	if good := c.finish(b, err, q); good && b.again {
		v := b.r.malformed(b.height, nil)
		v.Decided, v.Reason = rows.PassedOver, ""
		q.Add(v)
	} else {
		q.Ended(c.network, b.height, b.r.header.Hash)
	}
	for _, child := range c.shelf.children(b.r.header.Hash) {
		child.height = b.height + 1
		c.ready = append(c.ready, child)
	}
}

// finish reports whether the block b is valid as a whole, and otherwise adds its verdict to the
// queue. err is the error that ended reading the block, or nil.
func (c *Chain) finish(b *blockTxs, err error, q *units.Queue) (good bool) {
	if err == nil {
		err = b.flaws(c.network)
	}
	if err != nil {
		q.Add(b.r.malformed(b.height, err))
	}
	return err == nil
}

// A blockTxs reads a block one transaction at a time.
type blockTxs struct {
	r       *record
	txs     consensus.TxCursor
	height  int32
	missing string // why an output that the block spends may be missing
	again   bool   // the same block has been read before
}

// open starts reading the block r at the given height, which is -1 if unknown. The argument missing
// is the phrase that says why an output is unknown. open resets body and reuses its memory.
func (r *record) open(height int32, missing string, body *consensus.Body) *blockTxs {
	body.Reset()
	return &blockTxs{r: r, height: height, missing: missing, txs: consensus.ReadBlock(r.data, body)}
}

// next returns the next transaction. It returns nil after the last one, and nil with an error if
// the rest of the block cannot be read.
func (b *blockTxs) next() (*units.Transaction, error) {
	t := b.txs.Next()
	if t == nil {
		c := &b.txs.Cursor
		if c.Err == nil && c.At < len(c.Data) {
			c.Fail("%d bytes after the block's last transaction", len(c.Data)-c.At)
		}
		if c.Err != nil {
			return nil, c.Err
		}
		return nil, nil
	}
	return &units.Transaction{Transaction: bitcoin.Transaction{Tx: t.Tx, Missing: b.missing},
		ID: t.ID, Block: b.txs.Data,
		Where: rows.Where{File: b.r.file, Offset: b.r.offset + 8 + int64(t.At.Begin), Row: -1,
			Block: b.height, Index: -1, Input: -1}}, nil
}

// flaws returns an error if the block as a whole is invalid on network n. The caller must have read
// all transactions of the block.
func (b *blockTxs) flaws(n consensus.Network) error {
	why := b.txs.Body.Flaws(n, &b.r.header, b.height)
	if fit := n.Misfit(&b.r.header); fit != "" {
		why = strings.TrimSuffix(fit+"; "+why, "; ")
	}
	if why == "" {
		return nil
	}
	return errors.New(why)
}

// malformed returns a Malformed verdict on the block r as a whole, with the reason err.
func (r *record) malformed(height int32, err error) *units.Verdict {
	v := &units.Verdict{Where: rows.Where{File: r.file, Offset: r.offset + 8, Row: -1, Block: height,
		Index: -1, Input: -1},
		Kind: "block", Decided: rows.Malformed, Reason: fmt.Sprintf("block %v: %v", r.header.Hash, err)}
	var f *wireform.FormatError
	if errors.As(err, &f) {
		v.Where.Offset += int64(f.At)
	}
	return v
}

// A rest is a reader of the blocks that were left on the shelf, because their parents were never
// read.
type rest struct {
	rows.Steps
	c       *Chain
	records []*record
	block   *blockTxs // the block being read, or nil
	queue   units.Queue
}

// start takes all blocks off the shelf, where they waited for their parents.
func (r *rest) start() error {
	r.records = r.c.shelf.rest()
	return nil
}

// step opens the next block, or processes one transaction of the open block.
func (r *rest) step() error {
	if r.block != nil {
		r.transaction()
		return nil
	}
	if len(r.records) == 0 {
		return io.EOF
	}
	rec := r.records[0]
	r.records[0], r.records = nil, r.records[1:]
	if err := r.c.shelf.load(rec); err != nil {
		return &rows.Error{File: rec.file, Offset: rec.offset, Err: err}
	}
	r.block = rec.open(-1, fmt.Sprintf("not looked for: its block %v does not connect to the first "+
		"one, for the files do not have its parent %v or one before that", rec.header.Hash,
		rec.header.Prev), &r.c.body)
	return nil
}

// transaction adds the inputs of the open block's next transaction to the queue.
func (r *rest) transaction() {
	t, err := r.block.next()
	switch {
	case t == nil:
		r.c.finish(r.block, err, &r.queue)
		r.queue.Ended(r.c.network, -1, r.block.r.header.Hash)
		r.block = nil
	case !wireform.IsCoinbase(t.Tx):
		t.Spent = make([]wireform.Output, len(t.Tx.TxIn))
		r.queue.Transaction(t)
	}
}
