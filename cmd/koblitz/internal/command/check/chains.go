package check

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/flags"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/node"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/state"
)

// These are the values of --format that are allowed with a folder of blk*.dat files, and with a
// node.
var (
	folderFormats = []flags.Format{flags.Auto, flags.Bitcoin, flags.Core}
	nodeFormats   = []flags.Format{flags.Auto, flags.Bitcoin, flags.BlockJSON, flags.Ethereum,
		flags.EthereumJSON}
)

// parseRange parses --from and --to, which are allowed only with nodes and their folders. nodeless
// is an input that is not a node's folder, or empty if there is none.
func (o *checkOptions) parseRange(nodeless string) error {
	err := o.span.Parse()
	if err == nil && o.span.Range != bitcoin.WholeRange() && nodeless != "" {
		err = cli.Usagef("--from and --to go with a node's folder blocks, and there is none in %q",
			nodeless)
	}
	return err
}

// directory yields a reader for each blk*.dat file of a node's folder.
func (s *sources) directory(dir string) bool {
	d, err := s.o.sized[dir], error(nil)
	if s.o.sized = nil; d == nil {
		d, err = s.o.openFolder(dir)
	}
	if err != nil {
		return s.passOver(dir) || s.emit(dir, nil, err)
	}
	if !d.HasUndo() {
		if s.passOver(dir) {
			return true
		}
		s.nextIs(flags.Blk, "")
		return s.emit(dir, bitcoin.NoUndo(reading.Source{Name: dir}), nil)
	}
	for _, f := range d.Inputs() {
		if s.passOver(f.Name) {
			continue
		}
		from := s.place()
		s.nextIs(flags.Core, "bitcoin "+d.Network().String())
		if !s.emit(f.Name, s.coreFile(f, f.Open(s.before, from)), nil) {
			return false
		}
		s.before += f.Size
	}
	return true
}

// coreFile wraps r, the reader of the blk*.dat file f, so that the report gets the size and digest
// of f and of its rev*.dat file.
func (s *sources) coreFile(f bitcoin.FolderFile, r reading.Reader) reading.Reader {
	return &describedReader{Reader: r, tell: func(whole bool) error {
		content, err := s.contentOfFile(f.Name, f.Size, whole)
		var with []state.File
		if info, missing := os.Stat(f.Undo()); whole && missing == nil && err == nil {
			var undo state.Content
			undo, err = s.contentOfFile(f.Undo(), info.Size(), true)
			with = append(with, state.File{Name: f.Undo(), Content: undo})
		}
		s.report.read(content, with...)
		return err
	}}
}

// openFolder opens a folder with blk*.dat files.
func (o *checkOptions) openFolder(dir string) (*bitcoin.Directory, error) {
	if !slices.Contains(folderFormats, o.format) {
		return nil, fmt.Errorf("%s: a folder with blk*.dat files, and --format %s is another one",
			dir, o.format)
	}
	if o.spent != "" {
		return nil, fmt.Errorf("%s: --spent goes with a serialized block, and this is %s", dir,
			flags.Core)
	}
	d, err := bitcoin.OpenDirectory(dir)
	if err != nil {
		return nil, err
	}
	network := o.networks.bitcoin
	if n := d.Network(); o.networkNamed && (network == nil || *network != n) {
		return nil, fmt.Errorf("%s: blocks of %v, and not of %s, the network that is named "+
			"(--network %[3]s)", dir, n, o.network)
	}
	d.SetRange(o.span.Range)
	return d, nil
}

// folderSize returns the total size in bytes of the blk*.dat files that will be read. It returns 0
// if the folder cannot be read. Its headers are kept for the method directory, so that they are not
// read again, unless those of another folder are kept: their tables are large.
func (o *checkOptions) folderSize(dir string) (bytes int64) {
	d, err := o.openFolder(dir)
	if err != nil {
		return 0
	}
	for _, f := range d.Inputs() {
		bytes += f.Size
	}
	if o.sized == nil {
		o.sized = map[string]*bitcoin.Directory{dir: d}
	}
	return bytes
}

// openNode returns a reader of the node's blocks. It first calls the method of Bitcoin nodes. If
// the node does not know it, openNode calls the method of Ethereum nodes.
func (s *sources) openNode() (reading.Reader, error) {
	named := s.o.networks
	other := func(is string) error {
		return fmt.Errorf("%s: a node of %s, and not of %s, the network that is named (--network %[3]s)",
			s.client.Name(), is, s.o.network)
	}
	if !s.o.format.IsEthereum() {
		b, err := s.client.Bitcoin(s.ctx)
		switch {
		case err == nil && s.o.networkNamed && (named.bitcoin == nil || *named.bitcoin != b.Network()):
			return nil, other(b.Network().String())
		case err == nil:
			return s.chain(flags.BlockJSON, "bitcoin "+b.Network().String(), int64(b.Tip()), b.Reader)
		case s.o.format.IsBitcoin() || !node.LacksMethod(err):
			return nil, err
		}
	}
	e, err := s.client.Ethereum(s.ctx)
	switch {
	case err != nil:
		return nil, err
	case s.o.networkNamed && (named.ethereum == nil || named.ethereum.ID != e.Chain.ID):
		return nil, other("chain " + strconv.FormatUint(e.Chain.ID, 10))
	}
	return s.chain(flags.EthereumJSON, e.Chain.String(), e.Tip, e.Reader)
}

// chain returns a reader of the blocks of a node's chain that --from and --to select. The function
// open opens it. tip is the number of the chain's last block.
func (s *sources) chain(f flags.Format, network string, tip int64,
	open func(from, to int64) reading.Reader) (reading.Reader, error) {
	from, to := max(0, int64(s.o.span.From)), tip
	if s.o.span.To >= 0 {
		to = int64(s.o.span.To)
	}
	if last := max(from, to); last > tip {
		return nil, fmt.Errorf("%s: the node's last block is %d, and %d is asked for", s.client.Name(),
			tip, last)
	}
	s.nextIs(f, network)
	return open(from, to), nil
}
