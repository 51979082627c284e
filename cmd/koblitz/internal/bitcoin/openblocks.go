package bitcoin

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sort"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/framing"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/undo"
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

// read reads block n.
func (o *openBlocks) read(n int32) (*record, error) {
	k := n - o.d.files[o.i].first
	at := o.at[k] + framing.HeadSize
	data := make([]byte, o.size[k])
	if _, err := o.f.ReadAt(data, at); err != nil {
		return nil, &reading.Error{File: o.f.Name(), Offset: o.at[k], Err: reading.Bare(err)}
	}
	framing.Unmask(data, o.d.key, at)
	return &record{file: o.f.Name(), offset: o.at[k], header: wireform.ParseHeader(data),
		data: data}, nil
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
