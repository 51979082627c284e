//go:build linux && !race

package command

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
)

// packed returns the output of the function text, compressed by a writer that open returns. A short
// text suffices, since only the window (the dictionary) matters.
func packed(t *testing.T, open func(io.Writer) (io.WriteCloser, error), text func(*feed)) string {
	t.Helper()
	var b strings.Builder
	z := clitest.Must(open(&b))
	f := &feed{W: z, Short: true}
	if text(f); f.Err != nil || z.Close() != nil {
		t.Fatal(f.Err)
	}
	return b.String()
}

// zstdWindow returns the output of the function text, compressed by zstd with a window of
// 2^log bytes.
func zstdWindow(t *testing.T, log int, text func(*feed)) string {
	return packed(t, func(w io.Writer) (io.WriteCloser, error) {
		return zstd.NewWriter(w, zstd.WithWindowSize(1<<log), zstd.WithEncoderLevel(zstd.SpeedFastest),
			zstd.WithEncoderConcurrency(1))
	}, text)
}

// xzed returns the output of the function text, compressed by xz with a dictionary of 2^log bytes.
func xzed(t *testing.T, log int, text func(*feed)) string {
	return packed(t, func(w io.Writer) (io.WriteCloser, error) {
		return xz.WriterConfig{DictCap: 1 << log}.NewWriter(w)
	}, text)
}

// newlines holds 45,899,235 newlines, which bzip2 compresses to 46 bytes.
const newlines = "425a68393141592653592b71bb71015f8e4000801000082000" +
	"30804d4642a025a90a80971772453850902b71bb71"

// withDictionary returns an xz stream with another dictionary size in its first block. number is
// the encoded size; 40 means 4 GiB (the .xz file format 1.2.0, section 5.3.1).
func withDictionary(stream string, number byte) string {
	// These are the offsets, in an xz file, of the first block and of its dictionary size. The
	// dictionary size follows the block's size, its flags and two bytes of the filter.
	const block, dictionary = 12, 12 + 4
	b := []byte(stream)
	size := 4 * (int(b[block]) + 1)
	b[dictionary] = number
	binary.LittleEndian.PutUint32(b[block+size-4:], crc32.ChecksumIEEE(b[block:block+size-4]))
	return string(b)
}

// TestMemoryOfPackedInputs checks that the command stays within its memory limit on small
// compressed files that expand to far more than that limit, or that ask for much memory.
func TestMemoryOfPackedInputs(t *testing.T) {
	deepOnly(t, "it feeds processes what takes memory")
	lines := string(clitest.Must(hex.DecodeString(newlines)))
	var none strings.Builder
	gzip.NewWriter(&none).Close()
	longLines := func(f *feed) { // more than a window of 32 MiB
		for range 18 {
			f.Text(nostrEvent("["+strings.Repeat(`[""],`, 2<<20/5-100)+"[]]", ""))
		}
	}
	// worst returns the bomb with the given name and format, compressed so that reading it fills the
	// decompression window too. Zeros would compress to nothing, but the bytes of these bombs compress
	// to references as far back as the window reaches.
	worst := func(format, name string) func(*feed) {
		i := slices.IndexFunc(bombs, func(b bomb) bool { return b.format == format && b.name == name })
		return raw(1, zstdWindow(t, 25, bombs[i].text))
	}
	short := &feed{Short: !deep()}
	small := xzed(t, 16, func(f *feed) { f.Text("\n") })
	// Replace all blocks after the header of the xz stream with the blocks of another stream.
	index := 4 * (int(binary.LittleEndian.Uint32([]byte(small[len(small)-8:]))) + 1)
	blocks := small[12 : len(small)-12-index]
	const badID, empty = "the id is not the hash of the event", "an empty file"
	const spaces = "white space of more than 22 MiB"
	for _, b := range []bomb{
		{"zstd, authorizations", "ethereum-rlp", worst("ethereum-rlp", "authorizations"),
			cli.ExitInvalid, "recovered ", nil},
		{"zstd, witness items", "bitcoin-json", worst("bitcoin-json", "witness items"), cli.ExitInvalid,
			"p2wsh script: invalid", nil},
		{"zstd, long strings", "bitcoin-json", worst("bitcoin-json", "long strings"), cli.ExitInvalid,
			"malformed ", nil},
		{"zstd, outputs", "bitcoin-block", worst("bitcoin-block", "many outputs"), cli.ExitInvalid,
			"not checkable  1\n", nil},
		{"bzip2", "ethereum-json", raw(short.Size(4), lines), cli.ExitUnreadable, spaces, nil},
		{"gzip, many members", "nostr", raw(1<<15, none.String()), cli.ExitUnreadable, empty, nil},
		{"gzip", "bitcoin-json", raw(1, string(commandtest.Gzipped(t, bytes.Repeat([]byte("\n"),
			short.Size(200<<20))))), cli.ExitUnreadable, spaces, nil},
		{"zstd, windows that grow", "nostr", raw(1, zstdWindow(t, 20, longLines)+zstdWindow(t, 23,
			longLines)+zstdWindow(t, 24, longLines)+zstdWindow(t, 25, longLines)), cli.ExitInvalid, badID,
			nil},
		{"zstd, too large a window", "nostr", raw(1, zstdWindow(t, 27, longLines)), cli.ExitUnreadable,
			": zstd: refers back by more than 32 MiB", nil},
		{"xz, more than the memory", "nostr", raw(short.Size(8), xzed(t, 25, raw(32<<20, "\n"))),
			cli.ExitUnreadable, empty, nil},
		{"xz, the largest dictionary, full", "nostr", raw(3, xzed(t, 25, longLines)), cli.ExitInvalid,
			badID, nil},
		{"xz, a dictionary of 4 GiB", "nostr", raw(1, withDictionary(small, 40)), cli.ExitUnreadable,
			"xz: refers back by more than 32 MiB", nil},
		{"xz, a large dictionary in the second stream", "nostr", raw(1, small+withDictionary(small, 39)),
			cli.ExitUnreadable, "xz: refers back by more than 32 MiB", nil},
		{"xz, large dictionaries for nothing", "nostr", raw(short.Size(1<<10), withDictionary(small, 26)),
			cli.ExitUnreadable, empty, nil},
		{"xz, streams", "nostr", raw(short.Size(1<<15), small), cli.ExitUnreadable, empty, nil},
		{"xz, blocks", "nostr", raw(1, small[:12]+strings.Repeat(blocks, short.Size(1<<15))),
			cli.ExitUnreadable, "xz: the compressed stream is truncated", nil},
	} {
		t.Run(b.name, b.explode)
	}
}

// TestMemoryOfSpentOutputs checks that the command stays within its memory limit on large blocks
// with large files of spent outputs. A file of spent outputs (the outputs that the block spends) is
// held in memory as a whole, and so are the decompression windows of both files.
func TestMemoryOfSpentOutputs(t *testing.T) {
	deepOnly(t, "it feeds processes what takes memory")
	m := commandtest.Mine(chainhash.Hash{1}, 1700000000, commandtest.CoinbaseTx(900000,
		wire.NewTxOut(0, nil)), &wire.MsgTx{Version: 2, TxIn: commandtest.TxInputs(1,
		wire.OutPoint{Index: 1}), TxOut: commandtest.TxOutputs(1, nil)})
	block := string(commandtest.Serialize(m))
	plain := write(t, "block", []byte(block))
	for _, test := range []struct {
		name  string
		n     int // number of scripts
		size  int // length of each script in bytes
		words string
	}{
		{"too long scripts", 3, 4_000_000, "more than 9437184 bytes of spent outputs"},
		{"too many scripts", 24390, 10000, "more than 9437184 bytes of spent outputs"},
		{"many scripts", 24390, 300, "24390 spent outputs of transaction 1, which has 1 inputs"},
		{"many outputs", 1_000_000, 0, "1000000 spent outputs of transaction 1"},
	} {
		spent := zstdWindow(t, 25, func(f *feed) {
			wire.WriteVarInt(f.W, 0, 2)
			wire.WriteVarInt(f.W, 0, 0)
			wire.WriteVarInt(f.W, 0, uint64(test.n))
			output := wire.NewTxOut(0, make([]byte, test.size))
			for range test.n {
				f.Err = errors.Join(f.Err, wire.WriteTxOut(f.W, 0, 0, output))
			}
		})
		packed := write(t, "block.zst", []byte(zstdWindow(t, 25, func(f *feed) { f.Text(block) })))
		for _, args := range [][]string{{"--spent", "-", plain}, {"--spent", write(t, "spent.zst",
			[]byte(spent)), packed}} {
			t.Run(test.name, func(t *testing.T) {
				clitest.Explode(t, raw(1, spent), cli.ExitUnreadable,
					test.words+"|: at byte ", append([]string{"check", "--network", "regtest"}, args...)...)
			})
		}
	}
}

// TestMemoryOfReport checks that the list of a JSON report takes little memory until it is written,
// even if the file has a long name, which each entry repeats.
func TestMemoryOfReport(t *testing.T) {
	deepOnly(t, "it feeds processes what takes memory")
	dir := t.TempDir()
	for len(dir) < 3500 {
		dir = filepath.Join(dir, strings.Repeat("x", 200))
	}
	clitest.Must(0, os.MkdirAll(dir, 0o700))
	const most = 10_000 // failures in a JSON report
	text := strings.Repeat(rlpBlock(slices.Repeat([][]byte{{0xc0}}, 500)...), 2*most/500)
	file := write(t, filepath.Join(dir, "blocks"), []byte(text))
	if n := clitest.Explode(t, nil, cli.ExitInvalid, `"malformed": 20`, "check", "--json",
		"--max-failures", strconv.Itoa(most), "--format", "ethereum-rlp", file); n < most*3500 {
		t.Errorf("a report of %d bytes", n)
	}
}
