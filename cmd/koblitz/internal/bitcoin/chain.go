package bitcoin

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A Chain reads the blk*.dat files in which Bitcoin Core keeps its blocks, one
// after the other from the first block on, and finds in them what each input
// spends. Blocks may stand in any order, also across files; those of forks are
// read like the others. A file may be obfuscated as Core does it since version
// 28: the key shows in the first block of the first file, whose parent is all
// zeros.
//
// Memory grows with the outputs that are unspent, about 120 bytes each.
type Chain struct {
	network Network
	only    *Network // if set, of no other network
	key     [8]byte  // that the files are xored with; zeros: plain
	started bool
	order   int
	tip     int32 // the greatest height
	heights map[chainhash.Hash]int32
	outputs *outputSet
	shelf   shelf
	body    body
}

// NewChain returns a Chain that has read nothing yet. It must be closed.
func NewChain() *Chain {
	return &Chain{heights: make(map[chainhash.Hash]int32), outputs: newOutputSet(), shelf: shelf{memory: shelfMemory}}
}

// Only lets the chain read files of n and no other network. Without it the files
// say themselves whose blocks they hold.
func (c *Chain) Only(n Network) { c.only = &n }

// Close removes the temporary file, if there is one.
func (c *Chain) Close() error { return c.shelf.Close() }

// Detect reports whether head begins a further file of this chain.
func (c *Chain) Detect(head []byte) bool {
	if !c.started || len(head) < 8 {
		return false
	}
	var h [8]byte
	copy(h[:], head)
	unmask(h[:], c.key, 0)
	return string(h[:4]) == string(networks[c.network].magic[:])
}

// File reads the next file. It must be read to its end before the next one.
func (c *Chain) File(src rows.Source) rows.Reader {
	return &blkFile{c: c, src: src, r: bufio.NewReaderSize(src.Reader, 1<<16)}
}

// Rest reads, after the last file, the blocks that did not connect to the
// first one. Nothing in them can be checked.
func (c *Chain) Rest() rows.Reader { return &rest{c: c} }

// unmask takes the obfuscation off b, which is at that offset of its file.
func unmask(b []byte, key [8]byte, offset int64) {
	if key == ([8]byte{}) {
		return
	}
	for i := range b {
		b[i] ^= key[(offset+int64(i))&7]
	}
}

// firstRecordSize is how much of a file firstRecord needs.
const firstRecordSize = 44

// firstRecord recognises a file that begins with the first block of a chain,
// obfuscated or not: its parent is 32 zeros, and so the file shows the key.
func firstRecord(head []byte) (n Network, key [8]byte, ok bool) {
	if len(head) < firstRecordSize {
		return n, key, false
	}
	copy(key[:], head[16:24]) // offset 0 modulo 8
	var b [firstRecordSize]byte
	copy(b[:], head)
	unmask(b[:], key, 0)
	if n, ok = networkOf(b[:4]); !ok {
		return n, key, false
	}
	size := binary.LittleEndian.Uint32(b[4:])
	return n, key, size > headerSize && size <= maxBlockSize && [32]byte(b[12:]) == [32]byte{}
}

type blkFile struct {
	c     *Chain
	src   rows.Source
	r     *bufio.Reader
	off   int64
	queue queue
	err   error
}

func (f *blkFile) Close() error { return nil }

func (f *blkFile) Next() (rows.Batch, error) {
	for f.err == nil && !f.queue.full() {
		f.err = f.record()
	}
	if b := f.queue.take(f.src.Position(f.off)); b != nil {
		return b, nil
	}
	return nil, f.err
}

func (f *blkFile) fail(at int64, format string, args ...any) error {
	return &rows.Error{File: f.src.Name, Offset: at, Err: fmt.Errorf(format, args...)}
}

// read fills b and counts. At the end of the file it gives io.EOF with n bytes
// read, n < len(b).
func (f *blkFile) read(b []byte) (n int, err error) {
	n, err = io.ReadFull(f.r, b)
	f.off += int64(n)
	switch {
	case err == nil:
		return n, nil
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return n, io.EOF
	}
	return n, f.fail(f.off, "%w", err)
}

// skipZeros passes over the padding that Core leaves at the end of its newest
// file.
func (f *blkFile) skipZeros() error {
	for {
		c, err := f.r.ReadByte()
		if err == io.EOF {
			return io.EOF
		}
		if err != nil {
			return f.fail(f.off, "%w", err)
		}
		if c != 0 {
			return f.r.UnreadByte()
		}
		f.off++
	}
}

// record reads one block and what it was waited for.
func (f *blkFile) record() error {
	c := f.c
	if !c.started {
		head, err := f.r.Peek(firstRecordSize)
		if err != nil && err != io.EOF {
			return f.fail(f.off, "%w", err)
		}
		var ok bool
		if c.network, c.key, ok = firstRecord(head); !ok {
			return f.fail(0, "does not begin with the first block of a chain: blk*.dat files are read from the first one on")
		}
		if c.only != nil && *c.only != c.network {
			return f.fail(0, "blocks of %v, and not of %v, the network that is named (--network %v)", c.network, *c.only, *c.only)
		}
		c.started = true
	}
	if head, _ := f.r.Peek(4); string(head) == "\x00\x00\x00\x00" {
		if err := f.skipZeros(); err != nil {
			return err
		}
	}
	at := f.off
	var h [8]byte
	n, err := f.read(h[:])
	if err != nil {
		if err == io.EOF && n > 0 {
			err = f.fail(at, "the file ends in the middle of a record's header: %d of %d bytes are there", n, len(h))
		}
		return err
	}
	unmask(h[:], c.key, at)
	if magic := networks[c.network].magic; string(h[:4]) != string(magic[:]) {
		return f.fail(at, "a record of %v begins with %x, not with %x", c.network, magic, h[:4])
	}
	size := binary.LittleEndian.Uint32(h[4:])
	if size <= headerSize || size > maxBlockSize {
		return f.fail(at+4, "a block of %d bytes", size)
	}
	data := make([]byte, size)
	if n, err = f.read(data); err != nil {
		if err == io.EOF {
			err = f.fail(at, "the file ends in the middle of a block: %d of %d bytes are there", n, size)
		}
		return err
	}
	unmask(data, c.key, at+8)
	c.order++
	r := &record{file: f.src.Name, offset: at, header: parseHeader(data), data: data, order: c.order}
	if genesis := networks[c.network].genesis; c.order == 1 && r.header.hash != genesis {
		return f.fail(at, "block %v is not the genesis block of %v: blk*.dat files are read from the first one on", r.header.hash, c.network)
	}
	if err := c.add(r, &f.queue); err != nil {
		return f.fail(at, "%w", err)
	}
	return nil
}

// add queues a block's inputs if the block connects, and those of the blocks
// that waited for it.
func (c *Chain) add(r *record, q *queue) error {
	for ready := []*record{r}; len(ready) > 0; ready = ready[1:] {
		r := ready[0]
		if height, ok := c.heights[r.header.hash]; ok {
			c.again(r, height, q)
			continue
		}
		height := int32(0)
		if r.header.prev != (chainhash.Hash{}) {
			parent, ok := c.heights[r.header.prev]
			if !ok {
				if err := c.shelf.put(r); err != nil {
					return err
				}
				continue
			}
			height = parent + 1
		}
		c.heights[r.header.hash] = height
		c.connect(r, height, q)
		children, err := c.shelf.children(r.header.hash)
		if err != nil {
			return err
		}
		ready = append(ready, children...)
	}
	return nil
}

// connect queues the inputs of a block.
func (c *Chain) connect(r *record, height int32, q *queue) {
	if height > c.tip {
		c.tip = height
		c.outputs.forget(height)
	}
	rules := c.network.rulesAt(height, r.header.hash)
	c.body.reset()
	err := r.transactions(&c.body, func(t *transaction) {
		t.rules = rules
		t.where.Block = height
		t.missing = "not in the files, or can never be spent"
		if !isCoinbase(t.tx) {
			t.spent = make([]output, len(t.tx.TxIn))
			for i, in := range t.tx.TxIn {
				t.spent[i] = c.outputs.spend(outpointOf(in), height)
			}
			q.transaction(t)
		}
		c.outputs.add(t.id, t.tx.TxOut)
	})
	c.finish(r, height, err, q)
}

// finish queues what is wrong with a block as a whole. err is why it could not
// be read to its end, or nil.
func (c *Chain) finish(r *record, height int32, err error, q *queue) (good bool) {
	if err != nil {
		q.add(r.malformed(height, err))
		return false
	}
	why := c.body.flaws(c.network, &r.header, height)
	if fit := c.network.misfit(&r.header); fit != "" {
		why = strings.TrimSuffix(fit+"; "+why, "; ")
	}
	if why != "" {
		q.add(r.malformed(height, errors.New(why)))
	}
	return why == ""
}

// again looks at a block that has come before: its transactions are those of
// the first time if they hash to what the header says. Then they are not judged
// again.
func (c *Chain) again(r *record, height int32, q *queue) {
	c.body.reset()
	err := r.transactions(&c.body, func(*transaction) {})
	if c.finish(r, height, err, q) {
		v := r.malformed(height, nil)
		v.Decided, v.Reason = rows.PassedOver, ""
		q.add(v)
	}
}

// transactions adds each transaction of the block, up to the first that cannot
// be read, to b and then calls do for it.
func (r *record) transactions(b *body, do func(*transaction)) error {
	cur := cursor{b: r.data, i: headerSize}
	n := cur.transactions()
	for i := 0; i < n && cur.err == nil; i++ {
		at := cur.i
		tx, id := parseTx(&cur)
		if cur.err == nil {
			b.add(tx, id, witnessID(tx, id, r.data[at:cur.i]))
			do(&transaction{tx: tx, id: id,
				where: rows.Where{File: r.file, Offset: r.offset + 8 + int64(at), Row: -1, Block: -1, Index: -1, Input: -1}})
		}
	}
	if cur.err == nil && cur.i < len(r.data) {
		cur.fail("%d bytes after the block's last transaction", len(r.data)-cur.i)
	}
	if cur.err != nil {
		return cur.err
	}
	return nil
}

// malformed is the verdict on a block that could not be read to its end.
func (r *record) malformed(height int32, err error) *verdict {
	v := &verdict{Where: rows.Where{File: r.file, Offset: r.offset + 8, Row: -1, Block: height, Index: -1, Input: -1},
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
		r.err = r.record()
	}
	if b := r.queue.take(0); b != nil {
		return b, nil
	}
	return nil, r.err
}

func (r *rest) record() error {
	if len(r.records) == 0 {
		return io.EOF
	}
	rec := r.records[0]
	r.records = r.records[1:]
	if err := r.c.shelf.load(rec); err != nil {
		return &rows.Error{File: rec.file, Offset: rec.offset, Err: err}
	}
	why := fmt.Sprintf("not looked for: its block %v does not connect to the first one, for the files do not have its parent %v or one before that", rec.header.hash, rec.header.prev)
	r.c.body.reset()
	err := rec.transactions(&r.c.body, func(t *transaction) {
		t.missing = why
		if !isCoinbase(t.tx) {
			t.spent = make([]output, len(t.tx.TxIn))
			r.queue.transaction(t)
		}
	})
	r.c.finish(rec, -1, err, &r.queue)
	rec.data = nil
	return nil
}
