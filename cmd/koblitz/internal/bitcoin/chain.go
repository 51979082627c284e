package bitcoin

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/tempfile"
)

// A Chain reads the blk*.dat files in which Bitcoin Core keeps its blocks, one
// after the other from the first block on, and finds in them what each input
// spends. Blocks may stand in any order, also across files; those of forks are
// read like the others. A file may be obfuscated as Core does it since version
// 28: the key shows in the first block of the first file, whose parent is all
// zeros.
//
// The outputs that are unspent are kept in OutputMemory bytes of memory, and
// beyond that in a temporary file.
type Chain struct {
	network Network
	only    *Network // if set, of no other network
	key     [8]byte  // that the files are xored with; zeros: plain
	started bool
	order   int
	outputs *outputSet
	shelf   shelf
	body    body

	ready []*record // blocks whose parents have been read, in the order in which to read them
	block *blockTxs // the one that is being read, or nil
	rules rules     // of its transactions
}

// NewChain returns a Chain that has read nothing yet, and whose temporary files are in space.
// It must be closed.
func NewChain(space *tempfile.Space) *Chain {
	return &Chain{
		outputs: newOutputSet(space),
		shelf:   shelf{space: space, memory: shelfMemory},
	}
}

// Only lets the chain read files of n and no other network. Without it the files
// say themselves whose blocks they hold.
func (c *Chain) Only(n Network) { c.only = &n }

// SetOutputMemory sets how many bytes of outputs are kept in memory. More of it
// makes long chains faster.
func (c *Chain) SetOutputMemory(bytes int64) { c.outputs.memory = bytes }

// Close removes the temporary files, if there are any.
func (c *Chain) Close() error { return errors.Join(c.shelf.Close(), c.outputs.Close()) }

// Detect reports whether head begins a further file of this chain.
func (c *Chain) Detect(head []byte) bool {
	if !c.started || len(head) < 8 {
		return false
	}
	var h [8]byte
	copy(h[:], head)
	unmask(h[:], c.key, 0)
	return [4]byte(h[:]) == c.network.Magic()
}

// File reads the next file. It must be read to its end before the next one.
func (c *Chain) File(src rows.Source) rows.Reader {
	return &blkFile{c: c, src: src, r: bufio.NewReaderSize(src.Reader, 1<<16)}
}

// Rest reads, after the last file, the blocks that did not connect to the
// first one. Nothing in them can be checked.
func (c *Chain) Rest() rows.Reader { return &rest{c: c} }

type blkFile struct {
	c     *Chain
	src   rows.Source
	r     *bufio.Reader
	off   int64
	end   int64 // of the file, once a record was cut off by it, or 0
	gaps  gaps
	queue queue
	err   error
}

func (f *blkFile) Close() error { return nil }

func (f *blkFile) Next() (rows.Batch, error) {
	for f.err == nil && !f.queue.full() {
		f.err = f.step()
	}
	if b := f.queue.take(f.src.Position(f.off)); b != nil {
		return b, nil
	}
	return nil, f.err
}

// step reads on by one transaction, or by the beginning of a block.
func (f *blkFile) step() error {
	if f.c.block == nil && len(f.c.ready) == 0 {
		return f.record()
	}
	if err := f.c.step(&f.queue); err != nil {
		return f.fail(f.off, "%w", err)
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
		head, err := f.r.Peek(firstRecordSize)
		if err != nil && err != io.EOF {
			return f.fail(f.off, "%w", err)
		}
		var ok bool
		if c.network, c.key, ok = firstRecord(head); !ok {
			return f.fail(0, "does not begin with the first block of a chain: blk*.dat files are read "+
				"from the first one on")
		}
		if c.only != nil && *c.only != c.network {
			return f.fail(0, "blocks of %v, and not of %v, the network that is named (--network %v)",
				c.network, *c.only, *c.only)
		}
		c.started = true
	}
	at, data, err := f.next()
	if err != nil {
		return err
	}
	unmask(data, c.key, at+8)
	c.order++
	r := &record{file: f.src.Name, offset: at, header: parseHeader(data), data: data, order: c.order}
	if genesis := c.network.Genesis(); c.order == 1 && r.header.hash != genesis {
		return f.fail(at, "block %v is not the genesis block of %v: blk*.dat files are read from the "+
			"first one on", r.header.hash, c.network)
	}
	if err := c.add(r); err != nil {
		return f.fail(at, "%w", err)
	}
	return nil
}

// add makes a block ready if it connects, and otherwise lets it wait.
func (c *Chain) add(r *record) error {
	if r.header.prev != (chainhash.Hash{}) {
		parent, connects, err := c.outputs.block(r.header.prev)
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

// step reads one transaction of the block that is open, or opens the next one that
// is ready.
func (c *Chain) step(q *queue) error {
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
	height, again, err := c.outputs.block(r.header.hash)
	if err != nil {
		return err
	}
	if again {
		c.block = r.open(height, missing, &c.body)
		c.block.again = true
		return nil
	}
	if err := c.outputs.addBlock(r.header.hash, r.height); err != nil {
		return err
	}
	c.block = r.open(r.height, missing, &c.body)
	c.rules = c.network.rulesAt(r.height, r.header.hash)
	return nil
}

// transaction queues the inputs of one transaction of the block that is open.
func (c *Chain) transaction(q *queue) error {
	t, err := c.block.next()
	if t == nil {
		c.end(q, err)
		return nil
	}
	if c.block.again {
		return nil
	}
	t.rules = c.rules
	if !isCoinbase(t.tx) {
		scripts := 0
		t.spent = make([]output, len(t.tx.TxIn))
		for i, in := range t.tx.TxIn {
			if t.spent[i], err = c.outputs.spend(outpointOf(in), c.block.height); err != nil {
				return err
			}
			if scripts += len(t.spent[i].script); scripts > maxSpentScripts {
				break // the queue refuses it
			}
		}
		q.transaction(t)
	}
	return c.outputs.add(t.id, t.tx.TxOut)
}

// end closes the block that is open, which could be read up to err, if there is
// one. What waited for it is ready now. A block that has come before is passed
// over if it is the same: if its transactions hash to what the header says.
func (c *Chain) end(q *queue, err error) {
	b := c.block
	c.block = nil
	if good := c.finish(b, err, q); good && b.again {
		v := b.r.malformed(b.height, nil)
		v.Decided, v.Reason = rows.PassedOver, ""
		q.add(v)
	} else {
		q.ended(c.network, b.height, b.r.header.hash)
	}
	for _, child := range c.shelf.children(b.r.header.hash) {
		child.height = b.height + 1
		c.ready = append(c.ready, child)
	}
}

// finish queues what is wrong with a block as a whole. err is why it could not be
// read to its end, or nil.
func (c *Chain) finish(b *blockTxs, err error, q *queue) (good bool) {
	if err == nil {
		err = b.flaws(c.network)
	}
	if err != nil {
		q.add(b.r.malformed(b.height, err))
	}
	return err == nil
}

// A blockTxs reads a block transaction by transaction.
type blockTxs struct {
	r       *record
	txs     txCursor
	height  int32
	missing string // why outputs that they spend may be unknown
	again   bool   // the block has come before
}

// open begins to read a block, whose height is -1 if it is not known. body is
// emptied.
func (r *record) open(height int32, missing string, body *body) *blockTxs {
	body.reset()
	b := &blockTxs{r: r, height: height, missing: missing,
		txs: txCursor{cursor: cursor{b: r.data, i: headerSize}, body: body}}
	b.txs.left = b.txs.transactions()
	return b
}

// next returns the next transaction, or nil after the last one and where the block
// cannot be read any farther: err then says why.
func (b *blockTxs) next() (*transaction, error) {
	t := b.txs.next()
	if t == nil {
		c := &b.txs.cursor
		if c.err == nil && c.i < len(c.b) {
			c.fail("%d bytes after the block's last transaction", len(c.b)-c.i)
		}
		if c.err != nil {
			return nil, c.err
		}
		return nil, nil
	}
	return &transaction{tx: t.tx, id: t.id, missing: b.missing, block: b.txs.b,
		where: rows.Where{File: b.r.file, Offset: b.r.offset + 8 + int64(t.at.begin), Row: -1,
			Block: b.height, Index: -1, Input: -1}}, nil
}

// flaws says what is wrong with the block as a whole, which has been read to its
// end, or is nil.
func (b *blockTxs) flaws(n Network) error {
	why := b.txs.body.flaws(n, &b.r.header, b.height)
	if fit := n.misfit(&b.r.header); fit != "" {
		why = strings.TrimSuffix(fit+"; "+why, "; ")
	}
	if why == "" {
		return nil
	}
	return errors.New(why)
}

// malformed is the verdict on a block that could not be read to its end.
func (r *record) malformed(height int32, err error) *verdict {
	v := &verdict{Where: rows.Where{File: r.file, Offset: r.offset + 8, Row: -1, Block: height,
		Index: -1, Input: -1},
		Kind: "block", Decided: rows.Malformed, Reason: fmt.Sprintf("block %v: %v", r.header.hash, err)}
	var f *formatError
	if errors.As(err, &f) {
		v.Where.Offset += int64(f.at)
	}
	return v
}

// rest reads the blocks left on the shelf.
type rest struct {
	c       *Chain
	started bool
	records []*record
	block   *blockTxs // the one that is being read, or nil
	queue   queue
	err     error
}

func (r *rest) Close() error { return nil }

func (r *rest) Next() (rows.Batch, error) {
	if !r.started {
		r.started = true
		r.records = r.c.shelf.rest()
	}
	for r.err == nil && !r.queue.full() {
		r.err = r.step()
	}
	if b := r.queue.take(0); b != nil {
		return b, nil
	}
	return nil, r.err
}

// step reads on by one transaction, or by the beginning of a block.
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
		"one, for the files do not have its parent %v or one before that", rec.header.hash,
		rec.header.prev), &r.c.body)
	return nil
}

// transaction queues the inputs of one transaction of the block that is open.
func (r *rest) transaction() {
	t, err := r.block.next()
	switch {
	case t == nil:
		r.c.finish(r.block, err, &r.queue)
		r.queue.ended(r.c.network, -1, r.block.r.header.hash)
		r.block = nil
	case !isCoinbase(t.tx):
		t.spent = make([]output, len(t.tx.TxIn))
		r.queue.transaction(t)
	}
}
