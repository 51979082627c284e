package bitcoin

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/framing"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/inputs"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/undo"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// A blocksReader reads one blk*.dat file of a Directory, with its rev*.dat file.
type blocksReader struct {
	rows.Steps
	d      *Directory
	i      int   // of the file
	before int64 // bytes of the files before it
	from   *rows.Place

	f       *os.File
	walk    framing.Walk
	undos   *undo.File
	next    int32 // block, in the index
	again   int32 // the block before which everything has been read by another reader
	skipped bool  // some block is not in the range
	wanted  bool  // the block is wanted also if it lost

	block  *blockTxs // the one that is being read, or nil
	have   spentBy
	why    string // have is none: what to say of the block
	undo   undo.Reader
	undoAt int64
	rules  consensus.Rules
	body   consensus.Body

	queue inputs.Queue
}

// A blocksPlace is the place behind a block.
type blocksPlace struct {
	Blocks int32 `json:"blocks"` // of the file that are before it
}

// spentBy says what is known about what a block spends.
type spentBy uint8

const (
	spentByUndo    spentBy = iota + 1 // it is in the undo record
	spentByNothing                    // the block has no input that spends anything
	spentLost                         // the block lost: it is passed over
	spentUnknown                      // not known
)

func (r *blocksReader) Close() error {
	var err error
	if r.f != nil {
		err = r.f.Close()
	}
	if r.undos != nil {
		err = errors.Join(err, r.undos.Close())
	}
	return err
}

func (r *blocksReader) start() error {
	if err := r.d.readIndex(); err != nil {
		return err
	}
	bf := &r.d.files[r.i]
	r.next = bf.first
	var place blocksPlace
	if err := r.from.Tell(&place); err != nil || place.Blocks < 0 || place.Blocks > bf.count {
		return fmt.Errorf("%s: no place in it: %s", r.d.blk(r.i), r.from.Detail)
	}
	r.again = bf.first + place.Blocks
	if bf.count == 0 {
		return nil
	}
	name := r.d.blk(r.i)
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, framing.Bare(err))
	}
	r.f = f
	r.walk = framing.Walk{Form: r.d.blockFraming(name), File: f, Size: bf.size}
	return nil
}

// step reads on by one transaction, or by the beginning of a block.
func (r *blocksReader) step() error {
	if r.block != nil {
		return r.transaction()
	}
	bf := &r.d.files[r.i]
	if r.next == bf.first+bf.count {
		return r.end()
	}
	at, size, err := r.walk.Next()
	if err == io.EOF {
		err = &rows.Error{File: r.walk.Name, Offset: r.walk.At,
			Err: errors.New("the file has changed while it was read")}
	}
	if err != nil {
		return err
	}
	height := r.d.index.height(r.next)
	r.next++
	if bf.number == 0 && r.next == 1 && height != 0 {
		return &rows.Error{File: r.walk.Name, Offset: at, Err: fmt.Errorf("the first block is not the "+
			"genesis block of %v", r.d.network)}
	}
	if !r.d.span.height(height) {
		r.skipped = true
		return nil
	}
	return r.open(at, size, height)
}

// open begins to read the block at that place.
func (r *blocksReader) open(at int64, size uint32, height int32) error {
	data := make([]byte, size)
	if _, err := r.f.ReadAt(data, at+8); err != nil {
		return &rows.Error{File: r.walk.Name, Offset: at, Err: framing.Bare(err)}
	}
	framing.Unmask(data, r.d.key, at+8)
	rec := &record{file: r.walk.Name, offset: at, header: wireform.ParseHeader(data), data: data}
	r.have, r.why = spentUnknown, ""
	if err := r.findUndo(rec); err != nil {
		return err
	}
	if r.next <= r.again {
		return nil // its undo record is no other block's, and that is all that is wanted
	}
	r.rules = r.d.network.RulesAt(height, rec.header.Hash)
	r.block = rec.open(height, "not known", &r.body)
	return nil
}

// findUndo finds what the block spends, or says in have and why that it is not known.
func (r *blocksReader) findUndo(rec *record) error {
	s, txs, bad := undo.BlockShape(rec.data)
	if bad != nil {
		return nil // reading the block meets the same
	}
	if r.undos == nil {
		r.undos = undo.OpenFile(r.d.rev(r.i), r.d.key, r.d.network)
	}
	if !r.undos.Opened() && txs > 0 {
		return r.undos.Err
	}
	found, near, err := r.undos.Find(&rec.header.Prev, s, txs, r.d.index.forked.has(r.next-1))
	switch {
	case err != nil:
		return err
	case txs == 0:
		r.have = spentByNothing
	case r.d.index.lost.has(r.next-1) && !r.wanted:
		r.have = spentLost
	case len(found) > 0:
		return r.openUndo(rec, found)
	case near >= 0:
		r.why = fmt.Sprintf("it has no undo record in %s: the checksum of the one at byte %d, which "+
			"has its shape, is not its", r.undos.Name, near)
	}
	return nil
}

// openUndo opens the block's undo record, which is one of some: if a block was connected and lost
// against this one behind the same parent, and has the same shape, the checksums of their records
// do not tell which is whose. The one is taken with which the fewest inputs fail, and of several
// the last, which came when the other block had lost.
func (r *blocksReader) openUndo(rec *record, found []*undo.Record) error {
	best := found[0]
	if len(found) > 1 {
		least := math.MaxInt
		for _, u := range found {
			data, err := r.undos.Read(u)
			if err != nil {
				return err
			}
			if n := r.failures(rec, data[:u.Size]); n <= least {
				best, least = u, n
			}
		}
	}
	data, err := r.undos.Read(best)
	if err != nil {
		return err
	}
	r.undoAt = int64(best.At)
	if err := r.undo.Open(data[:best.Size]); err != nil {
		r.noUndo(err)
		return nil
	}
	r.have = spentByUndo
	return nil
}

// noUndo says why the undo record cannot be read.
func (r *blocksReader) noUndo(err error) {
	r.have = spentUnknown
	r.why = fmt.Sprintf("its undo record, in %s at byte %d: %v", r.undos.Name, r.undoAt, err)
}

// failures counts the inputs of a block that cannot spend what an undo record says.
func (r *blocksReader) failures(rec *record, undo []byte) (n int) {
	if r.undo.Open(undo) != nil {
		return math.MaxInt
	}
	rules := r.d.network.RulesAt(r.d.index.height(r.next-1), rec.header.Hash)
	x := inputs.Expander{Emit: func(u *rows.Unit) {
		if u.Decided == rows.Invalid || u.Decided == rows.Malformed || !fits(u) {
			n++
		}
	}}
	b := rec.open(0, "", new(consensus.Body))
	for {
		t, err := b.next()
		if t == nil || err != nil {
			return n
		}
		if wireform.IsCoinbase(t.Tx) {
			continue
		}
		t.Rules = rules
		if t.Spent, err = r.undo.Transaction(len(t.Tx.TxIn)); err != nil {
			return math.MaxInt
		}
		x.Transaction(t, 0, len(t.Tx.TxIn))
	}
}

// fits reports whether a unit of one signature and one key is valid. Of others nothing is known.
func fits(u *rows.Unit) bool {
	if u.Decided != rows.Unchecked || len(u.Signatures) != 1 || len(u.Keys) != 1 {
		return true
	}
	s := &u.Signatures[0]
	if u.Scheme == rows.Schnorr {
		key, err := koblitz.ParseXOnlyPublicKey(u.Keys[0])
		return err == nil && schnorr.Verify(key, s.Digest[:], s.Sig)
	}
	parse := ecdsa.ParseDER
	if u.LaxDER {
		parse = ecdsa.ParseDERLax
	}
	sig, err := parse(s.Sig)
	if err != nil {
		return false
	}
	key, err := koblitz.ParsePublicKey(u.Keys[0])
	return err == nil && ecdsa.Verify(key, s.Digest[:], sig)
}

// transaction queues the inputs of one transaction of the block that is open.
func (r *blocksReader) transaction() error {
	t, err := r.block.next()
	if t == nil {
		r.close(err)
		return nil
	}
	if r.have != spentByUndo || wireform.IsCoinbase(t.Tx) {
		return nil
	}
	t.Rules = r.rules
	if t.Spent, err = r.undo.Transaction(len(t.Tx.TxIn)); err != nil {
		r.noUndo(err)
		return nil
	}
	r.queue.Transaction(t)
	return nil
}

// close says what there is to say of the block as a whole.
func (r *blocksReader) close(err error) {
	b := r.block
	r.block = nil
	defer func() {
		if r.have != spentLost {
			r.queue.Ended(r.d.network, b.height, b.r.header.Hash)
		}
		r.queue.Mark(rows.NewPlace(0, blocksPlace{r.next - r.d.files[r.i].first}))
	}()
	if err == nil {
		err = b.flaws(r.d.network)
	}
	if err == nil && b.height < 0 && b.r.header.Time >= consensus.BIP34Time {
		err = errors.New("its height is not known, and so its rules are not: its parent is not in the " +
			"directory, and its coinbase does not name it (BIP 34)")
	}
	switch {
	case err != nil:
		if r.why != "" {
			err = fmt.Errorf("%w; %s", err, r.why)
		}
		r.queue.Add(b.r.malformed(b.height, err))
	case r.isGap(b.r):
		v := b.r.malformed(b.height, fmt.Errorf("its parent %v is not in the folder, which begins with "+
			"the first block: a file may be missing", b.r.header.Prev))
		v.Decided = rows.NotCheckable
		r.queue.Add(v)
	case r.have == spentLost:
		v := b.r.malformed(b.height, nil)
		v.Decided, v.Reason = rows.PassedOver, ""
		r.queue.Add(v)
	case r.have == spentUnknown:
		v := b.r.malformed(b.height, errors.New(r.unknown()))
		if r.why == "" {
			v.Decided = rows.NotCheckable
		}
		r.queue.Add(v)
	}
}

// unknown says why it is not known what the block spends.
func (r *blocksReader) unknown() string {
	switch {
	case r.why != "":
		return r.why
	case r.undos.Err != nil:
		return fmt.Sprintf("what its transactions spend is not known: %v", r.undos.Err)
	}
	return fmt.Sprintf("what its transactions spend is not known: %s has no undo record for it, so "+
		"the node has not connected it", r.undos.Name)
}

// isGap reports whether the block's parent is missing in a folder from which nothing was pruned.
func (r *blocksReader) isGap(rec *record) bool {
	return r.d.files[0].number == 0 && r.have != spentUnknown && r.d.index.orphans[r.next-1]
}

// end comes after the last block of the file, and behind the last file what is to be said of all.
func (r *blocksReader) end() error {
	if err := r.endOfFile(); err != nil || !r.d.isLast(r.i) {
		return cmp.Or(err, io.EOF)
	}
	if err := r.d.missing(); err != nil {
		return err
	}
	return io.EOF
}

// endOfFile is an error if something is wrong with the file, or with its rev*.dat file.
func (r *blocksReader) endOfFile() error {
	bf := &r.d.files[r.i]
	if bf.err != nil {
		return bf.err
	}
	if bf.count == 0 {
		return r.undoOfNoBlocks()
	}
	if r.skipped || r.undos == nil {
		return nil
	}
	return r.undos.Stray()
}

// undoOfNoBlocks is an error if there is something in the rev*.dat file of a file without blocks.
func (r *blocksReader) undoOfNoBlocks() error {
	name := r.d.rev(r.i)
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	r.undos = undo.OpenFile(name, r.d.key, r.d.network)
	if !r.undos.Opened() {
		return r.undos.Err
	}
	return r.undos.Stray()
}
