package tweakfile

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
)

// A Writer appends blocks to a file of tweaks. Only one goroutine may use it.
type Writer struct {
	File
	files   [2]durable.File  // the data and the index
	pending [2]*bufio.Writer // of files; that of the index is written by Save alone
	tweaks  int64            // number of tweaks in the file and in pending
	saved   int32            // number of blocks on the disk
	err     error            // the first error of a write; nothing is written after it
}

// maxUnsaved is the maximum number of blocks that are not on the disk. A file in which more blocks
// at the end are wrong was not damaged by a loss of power.
const maxUnsaved = 1024

// OpenWriter opens the file of tweaks called name, to append to it, or creates it and its index. A
// new file begins at the height first; one that exists may begin at any. dropped is the number of
// blocks at the end that a loss of power has left incomplete, and that OpenWriter has removed.
func OpenWriter(disk durable.FS, name string, network consensus.Network, first int32) (
	_ *Writer, dropped int32, err error) {
	w := &Writer{File: File{name: name}}
	defer func() {
		if err == nil {
			return
		}
		for _, f := range w.files {
			if f != nil {
				f.Close()
			}
		}
	}()
	h := head{network: network, first: first}
	rand.Read(h.id[:])
	if err := w.open(disk, h); err != nil {
		return nil, 0, err
	}
	w.data, w.index = w.files[0], w.files[1]
	if err := w.readHeads(); err != nil {
		return nil, 0, err
	}
	if w.network != network {
		return nil, 0, durable.Refusedf("%s has the tweaks of %v, and these blocks are of %v",
			name, w.network, network)
	}
	for i := range w.files {
		w.pending[i] = bufio.NewWriterSize(w.files[i], entrySize*maxUnsaved)
	}
	dropped, err = w.repair()
	return w, dropped, err
}

// open opens and locks both files. It creates what is missing, with the header h. The index is
// written first, so that a file with a header has an index, and so a loss of power may leave an
// index whose file has no header. The lock on the file of tweaks protects its index too.
func (w *Writer) open(disk durable.FS, h head) (err error) {
	w.files[0], err = durable.OpenOwn(disk, w.name, dataMagic, "a file of tweaks: it does not begin "+
		"with "+strconv.Quote(dataMagic))
	if err != nil {
		return err
	}
	indexName := w.name + IndexSuffix
	if w.files[1], err = disk.Open(indexName); durable.Missing(err) {
		w.files[1], err = nil, nil
	}
	if err != nil {
		return err
	}
	size, err := w.files[0].Size()
	if err != nil {
		return err
	}
	_, _, bad := readHead(w.name, dataMagic, w.files[0])
	switch {
	case bad != nil && size > headerSize:
		return durable.Refusedf("%v (it stays as it is, so name another file)", bad)
	case bad == nil && w.files[1] == nil:
		return durable.Refusedf("%s is missing", indexName)
	case bad == nil:
		return nil
	case w.files[1] != nil:
		if h, _, err = readHead(indexName, indexMagic, w.files[1]); err != nil {
			return durable.Refusedf("%v (it stays as it is, so name another file)", err)
		}
	default:
		if err := durable.WriteFile(disk, indexName, h.bytes(indexMagic)); err != nil {
			return err
		}
		if w.files[1], err = disk.Open(indexName); err != nil {
			return err
		}
	}
	if err := w.files[0].Truncate(int64(len(dataMagic))); err != nil {
		return err
	}
	if _, err := w.files[0].Write(h.bytes(dataMagic)[len(dataMagic):]); err != nil {
		return err
	}
	return w.files[0].Sync()
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
	w.blocks++
	_, w.err = w.pending[0].Write(rows)
	w.pending[1].Write(binary.LittleEndian.AppendUint64(e.hash[:], uint64(e.end)))
	w.pending[1].Write(sum[:])
	if w.blocks-w.saved == maxUnsaved {
		return w.Save()
	}
	return w.err
}

// Save makes all blocks durable: first their tweaks, then their entries in the index. After an
// error, Save and Append return it again, and the blocks that were saved before remain valid.
func (w *Writer) Save() error {
	for i := range w.files {
		if w.err == nil {
			w.err = w.pending[i].Flush()
		}
		if w.err == nil {
			w.err = w.files[i].Sync()
		}
	}
	if w.err == nil {
		w.saved, w.size = w.blocks, headerSize+w.tweaks*rowSize
	}
	return w.err
}

// Rewind removes the block at the given height and all blocks after it.
func (w *Writer) Rewind(height int32) error {
	if err := w.Save(); err != nil {
		return err
	}
	w.blocks = min(w.blocks, max(0, height-w.first))
	return w.cut()
}
