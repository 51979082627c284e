package bitcoin

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"

	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/undo"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/units"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A blocksReader reads one blk*.dat file of a Directory together with its rev*.dat file.
type blocksReader struct {
	reading.Steps
	d    *Directory
	i    int // index of the file in d.files
	from *reading.Place

	o       *openBlocks
	next    int32 // index number of the next block
	again   int32 // an earlier reader has reported the blocks below this index number
	skipped bool  // a block outside the range of heights was skipped

	block  *record // the block being read, or nil
	have   spentBy
	why    string // why the block's spent outputs are unknown
	damage error  // of the rev*.dat file, or nil
	undo   *undo.Reader
	undoAt int64
	rules  bitcoin.Rules

	queue units.Queue
}

// A blocksPlace is a position between two blocks of a file, from which reading can resume.
type blocksPlace struct {
	Blocks int32 `json:"blocks"` // number of the file's blocks before this position
}

// spentBy says where the outputs that a block spends are found.
type spentBy uint8

const (
	spentByUndo    spentBy = iota + 1 // in the undo record
	spentByNothing                    // nowhere: the block spends no outputs
	spentLost                         // nowhere: the block is stale and is passed over
	spentUnknown                      // nowhere: no undo record fits
)

func (r *blocksReader) Close() error { return r.o.close() }

func (r *blocksReader) start() error {
	if err := r.d.readIndex(); err != nil {
		return err
	}
	bf := &r.d.files[r.i]
	r.next = bf.first
	var place blocksPlace
	err := r.from.Tell(&place)
	if err != nil || place.Blocks < 0 || place.Blocks > bf.count {
		return fmt.Errorf("%s: no place in it: %s", r.d.blk(r.i), r.from.Detail)
	}
	r.again = bf.first + place.Blocks
	r.o, err = r.d.openBlocks(r.i)
	return err
}

// position returns the offset of the next block's record.
func (r *blocksReader) position() int64 {
	bf := &r.d.files[r.i]
	switch k := r.next - bf.first; {
	case k == 0:
		return 0
	case k < bf.count:
		return r.o.at[k]
	}
	return bf.size
}

// step opens the next block, or processes one transaction of the open block.
func (r *blocksReader) step() error {
	if r.block != nil {
		return r.transaction()
	}
	bf := &r.d.files[r.i]
	if r.next == bf.first+bf.count {
		return r.end()
	}
	height := r.d.index.height(r.next)
	r.next++
	if bf.number == 0 && r.next == 1 && height != 0 {
		return &reading.Error{File: r.o.f.Name(), Offset: r.o.at[0], Err: fmt.Errorf("the first block "+
			"is not the genesis block of %v", r.d.network)}
	}
	if !r.d.span.has(height) {
		r.skipped = true
		return nil
	}
	return r.open(height)
}

// open reads the last block that step has come to, which has the given height.
func (r *blocksReader) open(height int32) error {
	rec, err := r.o.read(r.next-1, height)
	if err != nil {
		return err
	}
	r.have, r.why = spentUnknown, ""
	if err := r.findUndo(rec); err != nil {
		return err
	}
	if r.next <= r.again {
		return nil // the block was reported; only its undo record had to be marked as used
	}
	r.rules = r.d.network.RulesAt(height, rec.header.Hash)
	r.block = rec
	return nil
}

// findUndo looks for the outputs that the block spends, and sets r.have to where these outputs are.
// If no undo record fits, it may set r.why to the reason.
func (r *blocksReader) findUndo(rec *record) error {
	s, txs, bad := undo.BlockShape(rec.Data)
	spare := r.d.index.spare.has(r.next - 1)
	if bad != nil { // reading the block will return the same error
		if spare {
			r.have, r.skipped = spentLost, true
			return nil
		}
		r.why = fmt.Sprintf("what its transactions spend is not known: %v", bad)
		return nil
	}
	undos := r.o.openUndos()
	if r.damage = undos.Err; !undos.Opened() && txs > 0 {
		return undos.Err
	}
	found, near, err := undos.Find(&rec.header.Prev, s, txs, r.d.index.forked.has(r.next-1))
	if spare && len(found) == 0 && !rec.intact(r.d.network) {
		r.skipped = true // a copy of another shape leaves its record in the file
	}
	switch {
	case err != nil:
		return err
	case txs == 0:
		r.have = spentByNothing
	case r.d.index.lost.has(r.next - 1):
		r.have = spentLost
	case len(found) > 0:
		return r.openUndo(rec, found)
	case near >= 0:
		r.why = fmt.Sprintf("it has no undo record in %s: the checksum of the one at byte %d, which "+
			"has its shape, is not its", r.o.undos.Name, near)
	}
	return nil
}

// openUndo opens the undo record of the block rec, which is one of candidates. If two connected
// blocks have the same parent and the same numbers of inputs, the checksum of a record fits both
// blocks. openUndo then chooses the record with the fewest invalid transactions. Of equally good
// records it chooses the last, because the node wrote it when this block replaced the other one.
func (r *blocksReader) openUndo(rec *record, candidates []*undo.Record) error {
	best := candidates[0]
	if len(candidates) > 1 {
		least := math.MaxInt
		for _, u := range candidates {
			data, err := r.o.undos.Read(u)
			if err != nil {
				return err
			}
			if n := r.failures(rec, data[:u.Size]); n <= least {
				best, least = u, n
			}
		}
	}
	data, err := r.o.undos.Read(best)
	if err != nil {
		return err
	}
	r.undoAt = int64(best.At)
	r.undo = undo.NewReader(bytes.Clone(data[:best.Size]))
	r.have = spentByUndo
	return nil
}

// spent returns the outputs that the open block's next transaction, which has the given number of
// inputs, spends. The error says why they are unknown.
func (r *blocksReader) spent(inputs int) ([]wireform.Output, error) {
	if r.have == spentByUndo {
		outputs, err := r.undo.Transaction(inputs)
		if err == nil {
			return outputs, nil
		}
		r.have = spentUnknown
		r.why = fmt.Sprintf("its undo record, in %s at byte %d: %v", r.d.rev(r.o.i), r.undoAt, err)
	}
	return nil, errors.New(r.unknown())
}

// failures counts the transactions of the block rec that would be invalid if they spent the outputs
// in the given undo record. It returns math.MaxInt if the record does not fit the block.
func (r *blocksReader) failures(rec *record, undoRecord []byte) (n int) {
	outputs := undo.NewReader(undoRecord)
	rules := r.d.network.RulesAt(rec.height, rec.header.Hash)
	txs := consensus.ReadBlock(rec.Data)
	for _, t := range txs.All() {
		if wireform.IsCoinbase(t.Tx) {
			continue
		}
		spent, err := outputs.Transaction(len(t.Tx.TxIn))
		if err != nil {
			return math.MaxInt
		}
		fetch := txscript.NewMultiPrevOutFetcher(nil)
		for i, in := range t.Tx.TxIn {
			fetch.AddPrevOut(in.PreviousOutPoint, wire.NewTxOut(spent[i].Amount, spent[i].Script))
		}
		if bitcoin.VerifyTx(context.Background(), t.Tx, fetch, rules, nil) != nil {
			n++
		}
	}
	return n
}

// transaction adds the inputs of the open block's next transaction to the queue.
func (r *blocksReader) transaction() error {
	t, ok := r.block.Next()
	if !ok {
		r.close()
		return nil
	}
	if wireform.IsCoinbase(t.Tx) {
		return nil
	}
	spent, err := r.spent(len(t.Tx.TxIn))
	if err != nil {
		return nil // the verdict on the block says so
	}
	r.queue.Transaction(&units.Transaction{
		Transaction: bitcoin.Transaction{Tx: t.Tx, Rules: r.rules, Spent: spent},
		ID:          t.ID, Block: r.block.Data, Where: r.block.where(t.At.Begin)})
	return nil
}

// close ends the open block and adds the verdict on the block as a whole to the queue.
func (r *blocksReader) close() {
	b := r.block
	r.block = nil
	spare := r.d.index.spare.has(r.next - 1)
	defer func() {
		if r.have != spentLost && !spare {
			r.queue.Ended(r.d.network, b.height, b.header.Hash)
		}
		r.queue.Mark(reading.NewPlace(0, blocksPlace{r.next - r.d.files[r.i].first}))
	}()
	err := b.flaws(r.d.network)
	if err == nil && b.height < 0 && b.header.Time >= consensus.BIP34Time {
		err = errors.New("its height is not known, and so its rules are not: its parent is not in the " +
			"directory, and its coinbase does not name it (BIP 34)")
	}
	switch {
	case err != nil:
		if r.why != "" {
			err = fmt.Errorf("%w; %s", err, r.why)
		}
		if spare {
			err = fmt.Errorf("a damaged copy of it: %w", err)
		}
		r.queue.Add(b.malformed(err))
	case r.isGap(b):
		v := b.malformed(fmt.Errorf("its parent %v is not in the folder, which begins with "+
			"the first block: a file may be missing", b.header.Prev))
		v.Decided = reading.NotCheckable
		r.queue.Add(v)
	case r.have == spentLost:
		v := b.malformed(nil)
		v.Decided, v.Reason = reading.PassedOver, ""
		r.queue.Add(v)
	case r.have == spentUnknown:
		v := b.malformed(errors.New(r.unknown()))
		if r.why == "" {
			v.Decided = reading.NotCheckable
		}
		r.queue.Add(v)
	}
}

// unknown returns the reason why the outputs that the block spends are unknown.
func (r *blocksReader) unknown() string {
	switch {
	case r.why != "":
		return r.why
	case r.damage != nil:
		return fmt.Sprintf("what its transactions spend is not known: %v", r.damage)
	}
	return fmt.Sprintf("what its transactions spend is not known: %s has no undo record for it, so "+
		"the node has not connected it", r.d.rev(r.o.i))
}

// isGap reports whether the parent of the current block is missing although the folder is not
// pruned.
func (r *blocksReader) isGap(rec *record) bool {
	return r.d.files[0].number == 0 && r.have != spentUnknown && r.d.index.orphans.has(r.next-1)
}

// end runs after the last block of a file. After the last file it also returns errors that concern
// the whole folder.
func (r *blocksReader) end() error {
	err := r.endOfFile()
	if err == nil && r.i == len(r.d.files)-1 {
		err = r.d.missing()
	}
	return cmp.Or(err, io.EOF)
}

// endOfFile returns an error if the blk*.dat file or its rev*.dat file is damaged.
func (r *blocksReader) endOfFile() error {
	bf := &r.d.files[r.i]
	if bf.err != nil || r.skipped {
		return bf.err
	}
	undos := r.o.openUndos()
	if bf.count == 0 && errors.Is(undos.Err, fs.ErrNotExist) {
		return nil
	}
	return undos.Stray()
}
