package check

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"sync"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/framing"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/nodejson"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/prevouts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/flags"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/ethereum"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/node"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/nostr"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/packed"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/parquetfile"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/state"
	"github.com/koblitz-go/koblitz/cmd/koblitz/sample"
)

// networks holds the networks that a value of --network selects, one for each chain. A field is nil
// if its chain has no network of that name.
type networks struct {
	bitcoin  *consensus.Network
	ethereum *ethereum.Chain
}

func parseNetwork(name string) (n networks, ok bool) {
	if b, ok := consensus.ParseNetwork(name); ok {
		n.bitcoin = &b
	}
	if c, ok := ethereum.ParseChain(name); ok {
		n.ethereum = &c
	}
	return n, n != networks{}
}

// networkNames returns the names that --network takes, besides the chain ids of Ethereum.
func networkNames() (names []string) {
	for n := range consensus.EveryNetwork {
		names = append(names, n.String())
	}
	return append(names, ethereum.ChainNames[1:]...)
}

// of returns the network of an input with format f, as the report names it. It returns "" if the
// format has no network or if the blocks themselves name it.
func (n networks) of(f flags.Format) string {
	switch {
	case f.IsEthereum():
		return n.ethereum.String()
	case f.IsBitcoin() && f != flags.Blk:
		return "bitcoin " + n.bitcoin.String()
	}
	return ""
}

// sources opens the inputs of check one after the other.
type sources struct {
	o      *checkOptions
	stdin  io.Reader
	all    []entry
	report *report

	from   state.State // state from which this run resumes
	input  int         // number of inputs that were yielded or that earlier runs read
	before int64       // number of bytes in the files that have been read
	next   state.Input // the input that begins next; it has no name yet
	yield  func(reading.Reader, error) bool

	valid  *validFile      // the file of --keep, or nil
	ctx    context.Context // context of requests to a node
	client *node.Client    // client of --node, or nil
}

// readers yields a reader for each input, or the error with which opening the input failed. A file
// is closed after its reader has been drained.
func (s *sources) readers() iter.Seq2[reading.Reader, error] {
	return func(yield func(reading.Reader, error) bool) {
		s.yield = yield
		if s.client != nil {
			r, err := s.openNode()
			if err == nil || s.ctx.Err() == nil { // an interruption is no error of the node
				s.emit(s.client.Name(), r, err)
			}
			return
		}
		for _, e := range s.all {
			more := true
			switch {
			case e.isNode():
				more = s.directory(e.name)
			case s.passOver(e.name):
			case e.err != nil:
				more = s.emit(e.name, nil, e.err)
			default:
				more = s.one(e.name)
			}
			if !more {
				return
			}
		}
	}
}

// emit yields a reader or an error for the input called name. It also counts the input, and records
// in the report that the input begins.
func (s *sources) emit(name string, r reading.Reader, err error) bool {
	s.next.File = name
	s.report.begins(s.next)
	s.next = state.Input{}
	s.input++
	return s.yield(r, err)
}

// nextIs records the format of the input that begins next, and the network whose rules apply, or
// "" if there is none or the blocks themselves name it.
func (s *sources) nextIs(f flags.Format, network string) {
	s.next.Format = string(f)
	if network != "" {
		s.next.Chain = &reading.Blocks{Network: network}
	}
}

// passOver reports whether an earlier run has already read the next input, the file with the given
// name. If so, it counts the input.
func (s *sources) passOver(name string) bool {
	if s.input >= s.from.Input {
		return false
	}
	s.input++
	if info, err := os.Stat(name); err == nil {
		s.before += info.Size()
	}
	return true
}

// place returns the place where reading of the next input resumes, or nil for the input's
// beginning.
func (s *sources) place() *reading.Place {
	if s.input != s.from.Input {
		return nil
	}
	return s.from.Place
}

// one yields a reader for the file called name.
func (s *sources) one(name string) bool {
	compression := s.o.compression
	if _, ok := flags.Packed[s.o.format]; ok && compression == reading.AutoDetect {
		compression = reading.Uncompressed // rows may begin with any bytes
	}
	in, err := s.open(name, compression)
	if err != nil {
		return s.emit(name, nil, err)
	}
	before := s.before
	defer func() {
		s.before = before + in.Position()
		if in.Size >= 0 {
			s.before = before + in.Size
		}
		in.Close()
	}()
	r, err := s.reader(name, in)
	if err != nil {
		return s.emit(name, nil, err) && !cli.IsUsage(err)
	}
	return s.emit(name, &describedReader{Reader: r, tell: func(whole bool) error {
		content, err := s.contentOf(in, whole)
		s.report.read(content)
		return err
	}}, nil)
}

// open opens the input called name. With --sample it is a file that is embedded in this program.
func (s *sources) open(name string, compression reading.Compression) (*reading.Input, error) {
	if !s.o.sample {
		return reading.Open(name, s.stdin, compression, s.o.sha256)
	}
	f, err := sample.Files.Open(name)
	if err != nil {
		return nil, err
	}
	return reading.NewInput(name, f, -1, compression, s.o.sha256)
}

// reader detects the format of opened, the file called name, and returns a reader for that format.
func (s *sources) reader(name string, opened *reading.Input) (reading.Reader, error) {
	before := s.before
	src := reading.Source{Name: opened.Name, Reader: opened, Consumed: func() int64 {
		return before + opened.Position()
	}, Raw: s.valid != nil}
	if s.o.table.Asked() {
		return s.table(name, opened, src)
	}
	f := s.o.format
	detect := f == flags.Auto || f == flags.Bitcoin || f == flags.Ethereum
	var head []byte
	if detect || f == flags.Nostr && opened.Size >= 0 { // a stream may pause after its first line
		var err error
		if head, err = beginning(opened); err != nil {
			return nil, err
		}
	}
	if detect {
		var err error
		if f, err = detectFormat(name, head, f); err != nil {
			return nil, fmt.Errorf("%s: %w", opened.Name, err)
		}
	}
	if err := s.valid.fits(opened.Name, f); err != nil {
		return nil, err
	}
	if f == flags.Core {
		return nil, fmt.Errorf("%s: --format %s goes with folders of a node, and this is a file",
			opened.Name, f)
	}
	if s.o.spent != "" && f != flags.BlockRaw {
		return nil, fmt.Errorf("%s: --spent goes with a serialized block, and this is %s", opened.Name, f)
	}
	network := s.o.networks
	if f.IsEthereum() && network.ethereum == nil || f.IsBitcoin() && network.bitcoin == nil {
		return nil, fmt.Errorf("%s: this is %s, and --network %s is another chain's", opened.Name, f,
			s.o.network)
	}
	if src.From = s.place(); src.From != nil {
		if err := opened.Skip(src.From.Offset); err != nil {
			return nil, err
		}
	}
	s.nextIs(f, network.of(f))
	switch f {
	case flags.EthereumJSON:
		return ethereum.JSON(src, ethereum.Options{Chain: *network.ethereum}), nil
	case flags.EthereumTx:
		return ethereum.Transactions(src, ethereum.Options{Chain: *network.ethereum}), nil
	case flags.EthereumRLP:
		return ethereum.RLP(src, ethereum.Options{Chain: *network.ethereum}), nil
	case flags.Nostr:
		if nostr.AreDocuments(head) {
			return nostr.NewDocuments(src), nil
		}
		return nostr.NewReader(src), nil
	case flags.PackedBIP340:
		return packed.NewReader(src, packed.BIP340), nil
	case flags.PackedECDSA:
		return packed.NewReader(src, packed.ECDSA), nil
	}
	chain := *network.bitcoin
	switch f {
	case flags.BlockJSON:
		return nodejson.Blocks(src, chain, nil), nil
	case flags.BitcoinTx:
		return nodejson.Transactions(src, chain), nil
	case flags.Blk:
		return bitcoin.NoUndo(src), nil
	}
	return s.rawBlock(src, opened, chain)
}

// beginning returns the bytes that decide on the format of in. For a stream whose first line is an
// event or an envelope, these are that line, because the stream may pause after it.
func beginning(in *reading.Input) ([]byte, error) {
	if in.Size < 0 {
		if line := in.Line(); json.Valid(line) && nostr.Detect(line) {
			return line, nil
		}
	}
	return in.Head()
}

// rawBlock returns a reader of a serialized block. It first reads the file of --spent.
func (s *sources) rawBlock(src reading.Source, in *reading.Input, network consensus.Network) (
	reading.Reader, error) {
	head, err := in.Head()
	if err != nil || s.o.spent == "" {
		return bitcoin.RawBlock(src, isHex(head), nil, network), err
	}
	spentIn, err := s.open(s.o.spent, reading.AutoDetect)
	if err != nil {
		return nil, err
	}
	defer spentIn.Close()
	spent, err := prevouts.Read(spentIn.Name, spentIn)
	if err != nil {
		return nil, err
	}
	content, err := s.contentOf(spentIn, true)
	s.next.With = []state.File{{Name: spentIn.Name, Content: content}}
	return bitcoin.RawBlock(src, isHex(head), spent, network), err
}

// isHex reports whether a block that begins with head is in hexadecimal digits. A binary block has
// zeros in its first 80 bytes.
func isHex(head []byte) bool {
	return len(bytes.Trim(head[:min(len(head), 80)], "0123456789abcdefABCDEF \t\r\n")) == 0
}

// reads reports whether file is read by this run, as an input or as the file of --spent.
func (o *checkOptions) reads(all []entry, file fs.FileInfo) bool {
	return o.spent != "" && cli.IsFile(o.spent, file) || slices.ContainsFunc(all,
		func(e entry) bool { return cli.IsFile(e.name, file) })
}

// contentOf returns the compression, the size and, with --sha256, the digest of an input. complete
// reports whether the input was read to its end; if not, contentOf leaves the digest out.
func (s *sources) contentOf(in *reading.Input, complete bool) (c state.Content, err error) {
	if complete && s.o.sha256 {
		var sum [sha256.Size]byte
		sum, err = in.Sum()
		c.SHA256 = hex.EncodeToString(sum[:])
	}
	if in.Compression != reading.Uncompressed {
		c.Compression = string(in.Compression)
	}
	c.Bytes = max(in.Size, in.Position())
	return c, err
}

// contentOfFile is like contentOf, for a file of the given size that is not read as an Input. For
// the digest it reads the file again, up to that size.
func (s *sources) contentOfFile(name string, size int64, complete bool) (c state.Content,
	err error) {
	c.Bytes = size
	if !complete || !s.o.sha256 {
		return c, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return c, err
	}
	defer f.Close()
	sum := sha256.New()
	switch _, err = io.CopyN(sum, f, size); err {
	case nil:
		c.SHA256 = hex.EncodeToString(sum.Sum(nil))
	case io.EOF: // Next would take it for the end of the input
		err = fmt.Errorf("%s: %w", name, framing.ErrShorter)
	}
	return c, err
}

// A describedReader calls the function tell once, when it reaches the end of the input or is closed
// before that. tell gives the report the input's size and digest. The argument whole says whether
// the input was read to its end.
type describedReader struct {
	reading.Reader
	tell func(whole bool) error
	once sync.Once
}

func (d *describedReader) Next() (reading.Batch, error) {
	b, err := d.Reader.Next()
	if err == io.EOF {
		d.once.Do(func() { err = cmp.Or(d.tell(true), err) })
	}
	return b, err
}

func (d *describedReader) Close() error {
	d.once.Do(func() { d.tell(false) })
	return d.Reader.Close()
}

// table returns a reader for a table. It detects the kind of table from the beginning of the file.
func (s *sources) table(name string, in *reading.Input, src reading.Source) (reading.Reader,
	error) {
	head, err := in.Head()
	if err != nil {
		return nil, err
	}
	parquet := bytes.HasPrefix(head, []byte(parquetfile.Magic))
	jsonl := bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{"))
	if len(head) == 0 {
		return nil, fmt.Errorf("%s: the file is empty", in.Name)
	}
	if src.From = s.place(); src.From != nil && !parquet {
		if err := in.Skip(src.From.Offset); err != nil {
			return nil, err
		}
	}
	s.nextIs(s.o.table.Format(), "")
	if err := noTable(columns.DetectBinary(head)); err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	open := columns.CSV
	switch {
	case parquet && s.valid != nil:
		return nil, cli.Usagef("%s: --keep does not go with Parquet: its rows are no lines", in.Name)
	case parquet:
		return s.parquet(in, src)
	case jsonl:
		open = columns.JSONL
	}
	r, err := open(src, s.o.table.Spec)
	if err == nil {
		err = s.valid.table(in.Name, r)
	}
	return r, err
}

// noTable returns an error that tells the user what to do with an Arrow file or stream, which the
// command check does not read. For other kinds it returns nil.
func noTable(kind columns.Kind) error {
	switch kind {
	case columns.KindFeather:
		return fmt.Errorf("this is %s, which check does not read: write it as Parquet, or as a stream "+
			"of Arrow for 'koblitz stream'", kind)
	case columns.KindStream:
		return fmt.Errorf("this is %s: 'koblitz stream --columns …' reads it from standard input", kind)
	}
	return nil
}

// unnamed returns an error if the input looks like a table and --columns is missing.
func unnamed(head []byte) error {
	kind, names := columns.Detect(head, func(name string) bool {
		switch name { // these are fields of events, of JSON-RPC, and of blocks and transactions
		case "kind", "created_at", "content", "tags", "result", "jsonrpc", "vin", "transactions":
			return true
		}
		return false
	})
	if kind == "" {
		return nil
	}
	if err := noTable(kind); err != nil {
		return err
	}
	text := fmt.Sprintf("this looks like a table (%s): say what its columns hold, as in "+
		"'koblitz check --columns hash=NAME,key=NAME,signature=NAME FILE'", kind)
	if len(names) > 0 {
		text += "; there are " + columns.Listed(names)
	}
	return errors.New(text)
}

// parquet returns a reader of a Parquet table, which needs random access to the file.
func (s *sources) parquet(in *reading.Input, src reading.Source) (reading.Reader, error) {
	if in.Compression != reading.Uncompressed || in.Size < 0 {
		return nil, fmt.Errorf("%s: Parquet is read from a file that is not packed, as it is read "+
			"from its end", in.Name)
	}
	src.Consumed, src.Before = nil, s.before
	return parquetfile.Open(src, in.File, in.Size, s.o.table.Spec)
}
