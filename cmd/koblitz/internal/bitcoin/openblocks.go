package bitcoin

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/framing"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/undo"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/units"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// An openBlocks is an open blk*.dat file of a Directory, with its rev*.dat file.
type openBlocks struct {
	d     *Directory
	i     int // index of the file in the directory
	f     *os.File
	at    []int64 // offset of each record
	size  []uint32
	undos *undo.File // nil until a block's spent outputs are wanted
}

// openBlocks opens file i, whose headers have been read, and finds its records.
func (d *Directory) openBlocks(i int) (*openBlocks, error) {
	bf, name := &d.files[i], d.blk(i)
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, reading.Bare(err))
	}
	o := &openBlocks{d: d, i: i, f: f}
	w := framing.NewWalk(d.blockFraming(name), f, bf.size)
	for range bf.count {
		at, size, err := w.Next()
		if err == io.EOF {
			err = &reading.Error{File: name, Offset: w.At,
				Err: errors.New("the file has changed while it was read")}
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		o.at, o.size = append(o.at, at), append(o.size, size)
	}
	return o, nil
}

// fileOf returns the index of the file with block n.
func (d *Directory) fileOf(n int32) int {
	return sort.Search(len(d.files), func(i int) bool { return d.files[i].first+d.files[i].count > n })
}

// A record is one block of a blk*.dat file, with a cursor at its next transaction.
type record struct {
	consensus.TxCursor
	file   string
	offset int64 // offset of the record in its file
	header wireform.Header
	height int32 // -1 if unknown
}

// read reads block n, which has the given height.
func (o *openBlocks) read(n, height int32) (*record, error) {
	k := n - o.d.files[o.i].first
	at := o.at[k] + framing.HeadSize
	data := make([]byte, o.size[k])
	if _, err := o.f.ReadAt(data, at); err != nil {
		return nil, &reading.Error{File: o.f.Name(), Offset: o.at[k], Err: reading.Bare(err)}
	}
	framing.Unmask(data, o.d.key, at)
	return &record{TxCursor: consensus.ReadBlock(data), file: o.f.Name(), offset: o.at[k],
		header: wireform.ParseHeader(data), height: height}, nil
}

// where returns the place of byte at of the block.
func (r *record) where(at int) reading.Where {
	w := reading.In(r.file)
	w.Block, w.Offset = r.height, r.offset+framing.HeadSize+int64(at)
	return w
}

// flaws returns an error if the block cannot be read, or as a whole is invalid on network n. The
// caller must have read all transactions of the block.
func (r *record) flaws(n consensus.Network) error {
	if r.Err != nil {
		return r.Err
	}
	why := r.Body.Flaws(n, &r.header, r.height)
	if fit := n.Misfit(&r.header); fit != "" {
		why = strings.TrimSuffix(fit+"; "+why, "; ")
	}
	if why == "" {
		return nil
	}
	return errors.New(why)
}

// intact reports whether the block has no flaw on network n, apart from its header, which its
// copies have too.
func (r *record) intact(n consensus.Network) bool {
	txs := consensus.ReadBlock(r.Data)
	for range txs.All() {
	}
	return txs.Err == nil && txs.Body.Flaws(n, &r.header, r.height) == ""
}

// malformed returns a Malformed verdict on the block as a whole, with the reason err.
func (r *record) malformed(err error) *units.Decided {
	at := 0
	if f := (*wireform.FormatError)(nil); errors.As(err, &f) {
		at = f.At
	}
	return units.MalformedBlock(r.where(at), &r.header, fmt.Sprint(err))
}

// openUndos returns the rev*.dat file. The first call opens it.
func (o *openBlocks) openUndos() *undo.File {
	if o.undos == nil {
		o.undos = undo.OpenFile(o.d.rev(o.i), o.d.key, o.d.network)
	}
	return o.undos
}

// close closes the files of o, which may be nil.
func (o *openBlocks) close() error {
	if o == nil {
		return nil
	}
	var err error
	if o.undos != nil {
		err = o.undos.Close()
	}
	return errors.Join(err, o.f.Close())
}
