package bitcoin

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/framing"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A Directory is Bitcoin Core's folder blocks/. Its blk*.dat files hold blocks, including those of
// forks, in the order in which they arrived. The rev*.dat file with the same number holds the
// outputs that these blocks spend: a node records them in an undo record when it connects the
// block. So any part of the chain can be checked without the earlier blocks.
//
// A Directory first reads the headers in all files (see headerIndex), to find the height of each
// block and the stale blocks. Then it reads the files one after another. It finds a block's undo
// record in the rev*.dat file by the record's checksum. It ignores data that a node appends after
// the headers were read.
type Directory struct {
	path    string
	files   []blocksFile
	key     [8]byte // xor key of all files; all zeros if they are not obfuscated
	network consensus.Network
	span    Range

	index  *headerIndex // nil until the headers have been read
	failed bool         // reading the headers has failed
}

// A blocksFile is one blk*.dat file.
type blocksFile struct {
	number int
	size   int64
	first  int32 // index number of the file's first block
	count  int32
	err    error // the error that ended reading the file's headers, or nil
}

// FindBlocks returns the folder that contains the blk*.dat files: path itself or, if path is a
// node's data directory, its subfolder blocks.
func FindBlocks(path string) (blocks string, ok bool) {
	for _, dir := range []string{path, filepath.Join(path, "blocks")} {
		if list, err := os.ReadDir(dir); err == nil && len(blkFiles(dir, list)) > 0 {
			return dir, true
		}
	}
	return "", false
}

// OpenDirectory lists the files in path and reads the network of the first block.
func OpenDirectory(path string) (*Directory, error) {
	d := &Directory{path: path, span: WholeRange()}
	list, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, reading.Bare(err))
	}
	if d.files = blkFiles(path, list); len(d.files) == 0 {
		return nil, fmt.Errorf("%s: no blk*.dat files", path)
	}
	if err := d.readKey(); err != nil {
		return nil, err
	}
	return d, d.readNetwork()
}

// readKey reads the xor key from xor.dat. Nodes before version 28 do not write that file.
func (d *Directory) readKey() error {
	name := filepath.Join(d.path, "xor.dat")
	f, err := framing.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		defer f.Close()
		var b []byte
		if b, err = io.ReadAll(io.LimitReader(f, 1000)); err == nil && len(b) == len(d.key) {
			d.key = [8]byte(b)
			return nil
		}
		err = cmp.Or(err, fmt.Errorf("%d bytes, and not the 8 of a key", len(b)))
	}
	return fmt.Errorf("%s: %w", name, reading.Bare(err))
}

// readNetwork sets the network by the magic of the first record.
func (d *Directory) readNetwork() error {
	name := d.blk(0)
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, reading.Bare(err))
	}
	defer f.Close()
	var magic [4]byte
	if _, err := io.ReadFull(f, magic[:]); err != nil {
		return &reading.Error{File: name, Offset: 0, Err: errors.New("no record in it")}
	}
	framing.Unmask(magic[:], d.key, 0)
	var ok bool
	if d.network, ok = consensus.NetworkOf(magic[:]); !ok {
		hint := ""
		if d.key == ([8]byte{}) {
			hint = ": if a node wrote it since version 28, the file xor.dat belongs to it"
		}
		return &reading.Error{File: name, Offset: 0, Err: fmt.Errorf("a record begins with %x, which no "+
			"network has%s", magic, hint)}
	}
	return nil
}

func (d *Directory) name(kind string, i int) string {
	return filepath.Join(d.path, fmt.Sprintf("%s%05d.dat", kind, d.files[i].number))
}

func (d *Directory) blk(i int) string { return d.name("blk", i) }
func (d *Directory) rev(i int) string { return d.name("rev", i) }

// blockFraming returns the record format of the blk*.dat file with the given name.
func (d *Directory) blockFraming(name string) framing.Form {
	return framing.OfBlocks(name, d.network, d.key)
}

// Network returns the network of the first record. The other records must have the same network.
func (d *Directory) Network() consensus.Network { return d.network }

// HasUndo reports whether the folder contains at least one rev*.dat file.
func (d *Directory) HasUndo() bool {
	for i := range d.files {
		if _, err := os.Stat(d.rev(i)); err == nil {
			return true
		}
	}
	return false
}

// SetRange restricts reading to the blocks in r.
func (d *Directory) SetRange(r Range) { d.span = r }

// A FolderFile is a blk*.dat file of a Directory.
type FolderFile struct {
	Name string
	Size int64 // size of the file in bytes
	d    *Directory
	i    int
}

// Undo returns the name of the rev*.dat file with the same number as f. That file may be missing.
func (f FolderFile) Undo() string { return f.d.rev(f.i) }

// Inputs returns the blk*.dat files in reading order.
func (d *Directory) Inputs() (files []FolderFile) {
	for i := range d.files {
		files = append(files, FolderFile{d.blk(i), d.files[i].size, d, i})
	}
	return files
}

// Open returns a reader for the file. The reader begins at the position start in the file, or at
// the beginning of the file if start is nil. The first reader of a folder also reads the headers in
// all files. earlier is the total size of the earlier files in bytes.
func (f FolderFile) Open(earlier int64, start *reading.Place) reading.Reader {
	r := &blocksReader{d: f.d, i: f.i, from: start}
	r.Steps = reading.Steps{Queue: &r.queue, Start: r.start, Step: r.step,
		Position: func() int64 { return earlier + r.position() }}
	return r
}

// readIndex reads the headers if they have not been read. If that fails, the first call returns the
// error, and later calls return io.EOF, so that the error is reported once.
func (d *Directory) readIndex() error {
	if d.index != nil {
		return nil
	}
	if d.failed {
		return io.EOF
	}
	var err error
	d.index, err = newHeaderIndex(d)
	d.failed = err != nil
	return err
}

// A Range selects blocks of a Directory by height. Both ends are inclusive. A negative value means
// that there is no limit at that end.
type Range struct{ From, To int32 }

// WholeRange returns the Range without limits.
func WholeRange() Range { return Range{-1, -1} }

// ParseHeight parses the height of a block.
func ParseHeight(s string) (int32, error) {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return -1, fmt.Errorf("%q is not the height of a block", s)
	}
	return int32(n), nil
}

// isLimited reports whether r has a limit.
func (r *Range) isLimited() bool { return r.From >= 0 || r.To >= 0 }

// has reports whether height h is in the range. A negative h is an unknown height, which is in the
// range only if the range has no limit.
func (r *Range) has(h int32) bool {
	return !r.isLimited() || h >= 0 && h >= r.From && (r.To < 0 || h <= r.To)
}

// missing returns an error if a block inside the range is missing from the folder. Stale blocks do
// not count as blocks, because they are passed over.
func (d *Directory) missing() error {
	if !d.span.isLimited() {
		return nil
	}
	chain, err := d.BestChain()
	if err != nil {
		return err
	}
	from, to := int64(d.span.From), int64(d.span.To)
	if from < 0 {
		from = to
	}
	if to < 0 {
		to = from
	}
	for h := from; h <= to; h++ {
		if h > int64(chain.Tip()) || chain.blocks[h] < 0 {
			return fmt.Errorf("%s: there is no block %d, which --from and --to ask for; the last one is %d",
				d.path, h, chain.Tip())
		}
	}
	return nil
}
