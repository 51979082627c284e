package tweakfile

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
)

// A Writer appends blocks to a file of tweaks. Only one goroutine may use it.
type Writer struct {
	File
	files   [2]durable.File // the data and the index
	pending [2][]byte       // bytes not yet written to the files
	tweaks  int64           // number of tweaks in the file and in pending
	saved   int32           // number of blocks on the disk
	err     error           // the first error of a write; nothing is written after it
}

// maxUnsaved is the maximum number of blocks that are not on the disk. A file in which more blocks
// at the end are wrong was not damaged by a loss of power.
const maxUnsaved = 1024

// maxPending is the number of bytes of tweaks that a Writer collects before it writes them.
const maxPending = 1 << 20

// OpenWriter opens the file of tweaks called name, to append to it, or creates it and its index. A
// new file begins at the height first. If first is below 0, it begins at otherwise, and a file that
// exists may begin at any height. dropped is the number of blocks at the end that a loss of power
// has left incomplete, and that OpenWriter has removed.
func OpenWriter(disk durable.FS, name string, network consensus.Network, first, otherwise int32) (
	_ *Writer, dropped int32, err error) {
	w := new(Writer)
	w.close = func() error {
		var err error
		for _, f := range w.files {
			if f != nil {
				err = errors.Join(err, f.Close())
			}
		}
		return err
	}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	h := head{network: network, first: first}
	if first < 0 {
		h.first = otherwise
	}
	rand.Read(h.id[:])
	if err := w.create(disk, name, h); err != nil {
		return nil, 0, err
	}
	f, err := open(name, w.files[0], w.files[1])
	if err != nil {
		return nil, 0, err
	}
	f.close = w.close
	w.File = *f
	switch {
	case w.network != network:
		return nil, 0, durable.Refusedf("%s has the tweaks of %v, and these blocks are of %v",
			name, w.network, network)
	case first >= 0 && w.first != first:
		return nil, 0, durable.Refusedf("%s begins at block %d, and not at %d", name, w.first,
			first)
	}
	dropped, err = w.repair()
	return w, dropped, err
}

// create opens and locks both files. It creates what is missing, with the header h, or with that of
// the file of tweaks if there is one: a loss of power may leave that file without an index.
func (w *Writer) create(disk durable.FS, name string, h head) (err error) {
	w.files[0], err = durable.OpenOwn(disk, name, dataMagic, "a file of tweaks: it does not begin "+
		"with "+strconv.Quote(dataMagic))
	if err != nil {
		return err
	}
	size, err := w.files[0].Size()
	if err != nil {
		return err
	}
	indexName := name + IndexSuffix
	indexSize := int64(0)
	if w.files[1], err = disk.Open(indexName); err == nil {
		indexSize, err = w.files[1].Size()
	} else if durable.Missing(err) {
		w.files[1], err = nil, nil
	}
	if err != nil {
		return err
	}
	if indexSize == 0 && size <= headerSize { // the file is new, or its header is incomplete
		size = headerSize
		if err := writeHead(w.files[0], h.bytes(dataMagic)); err != nil {
			return err
		}
	}
	if h, err = readHead(name, dataMagic, w.files[0], size); err != nil {
		return durable.Refusedf("%v (it stays as it is, so name another file)", err)
	}
	switch {
	case indexSize > 0:
		return nil
	case size > headerSize:
		return durable.Refusedf("%s is missing or empty, and its file has tweaks", indexName)
	case w.files[1] != nil:
		w.files[1].Close()
	}
	// The lock on the file of tweaks protects its index too.
	if err := durable.WriteFile(disk, indexName, h.bytes(indexMagic)); err != nil {
		return err
	}
	w.files[1], err = disk.Open(indexName)
	return err
}

// writeHead writes the header b after the magic, with which f begins, and makes it durable.
func writeHead(f durable.File, b []byte) error {
	if err := f.Truncate(int64(len(dataMagic))); err != nil {
		return err
	}
	if _, err := f.Write(b[len(dataMagic):]); err != nil {
		return err
	}
	return f.Sync()
}

// repair removes blocks at the end that are incomplete, and bytes after the last block. A loss of
// power may leave any of the blocks that were not saved incomplete, and the ones after it complete.
func (w *Writer) repair() (dropped int32, err error) {
	first := max(w.first, w.Next()-maxUnsaved-1) // of the blocks to check
	for h := first; h < w.Next(); h++ {
		_, bad := w.Block(h)
		switch {
		case bad == nil:
		case h == first && h > w.first:
			return 0, fmt.Errorf("%w (more than the last %d blocks are wrong; remove %s and %s to begin "+
				"again)", bad, maxUnsaved, w.name, w.name+IndexSuffix)
		default:
			dropped = w.Next() - h
			w.blocks -= dropped
		}
	}
	return dropped, w.cut()
}

// cut shortens both files to the first w.blocks blocks.
func (w *Writer) cut() error {
	var err error
	if w.tweaks, err = w.Tweaks(w.Next() - 1); err != nil {
		return err
	}
	w.saved = w.blocks
	size := headerSize + w.tweaks*rowSize
	indexSize := headerSize + int64(w.blocks)*entrySize
	// The index is cut first, so that its entries always have their tweaks.
	if err := cutFile(w.files[1], indexSize); err != nil {
		return err
	}
	if err := cutFile(w.files[0], size); err != nil {
		return err
	}
	w.size = size
	return nil
}

// cutFile shortens f to size bytes, and makes that durable.
func cutFile(f durable.File, size int64) error {
	now, err := f.Size()
	if err != nil || now == size {
		return err
	}
	if err := f.Truncate(size); err != nil {
		return err
	}
	return f.Sync()
}

// Count returns the number of tweaks in the file.
func (w *Writer) Count() int64 { return w.tweaks }

// Append adds the next block.
func (w *Writer) Append(b *Block) error {
	if w.err != nil {
		return w.err
	}
	rows := append([]byte(nil), b.Tweaks...)
	for _, p := range b.Positions {
		rows = binary.LittleEndian.AppendUint16(rows, p)
	}
	w.tweaks += int64(len(b.Positions))
	e := entry{hash: b.Hash, end: w.tweaks}
	sum := w.checksum(w.Next(), &e, rows)
	w.pending[0] = append(w.pending[0], rows...)
	w.pending[1] = append(w.pending[1], e.hash[:]...)
	w.pending[1] = binary.LittleEndian.AppendUint64(w.pending[1], uint64(e.end))
	w.pending[1] = append(w.pending[1], sum[:]...)
	w.blocks++
	if w.blocks-w.saved == maxUnsaved {
		return w.Save()
	}
	if len(w.pending[0]) < maxPending {
		return nil
	}
	return w.flush(0)
}

// flush writes the pending bytes of file i.
func (w *Writer) flush(i int) error {
	if w.err != nil {
		return w.err
	}
	var n int
	n, w.err = w.files[i].Write(w.pending[i])
	if i == 0 {
		w.size += int64(n)
	}
	w.pending[i] = w.pending[i][:0]
	return w.err
}

// Save makes all blocks durable: first their tweaks, then their entries in the index. After an
// error, Save and Append return it again, and the blocks that were saved before remain valid.
func (w *Writer) Save() error {
	for i := range w.files {
		if err := w.flush(i); err != nil {
			return err
		}
		if w.err = w.files[i].Sync(); w.err != nil {
			return w.err
		}
	}
	w.saved = w.blocks
	return nil
}

// Rewind removes the block at the given height and all blocks after it.
func (w *Writer) Rewind(height int32) error {
	if err := w.Save(); err != nil {
		return err
	}
	w.blocks = min(w.blocks, max(0, height-w.first))
	return w.cut()
}
