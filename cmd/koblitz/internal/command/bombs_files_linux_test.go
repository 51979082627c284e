//go:build linux && !race

package command

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
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

// zstdWindow returns the text that the function text writes, compressed with zstd and a window of
// 2^log bytes.
func zstdWindow(t *testing.T, log int, text func(f *feed)) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b, zstd.WithWindowSize(1<<log), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	f := &clitest.Feed{W: z, Short: true} // a short text suffices, since only the window size matters
	text(f)
	if f.Err != nil || z.Close() != nil {
		t.Fatal(f.Err)
	}
	return b.Bytes()
}

// newlines holds 45,899,235 newlines, which bzip2 compresses to 46 bytes.
const newlines = "425a68393141592653592b71bb71015f8e4000801000082000" +
	"30804d4642a025a90a80971772453850902b71bb71"

// TestMemoryOfPackedInputs checks that the command stays within its memory limit on small
// compressed files that expand to far more than that limit.
func TestMemoryOfPackedInputs(t *testing.T) {
	deepOnly(t, "it feeds processes what takes memory")
	lines, err := hex.DecodeString(newlines)
	if err != nil {
		t.Fatal(err)
	}
	var none bytes.Buffer
	gzip.NewWriter(&none).Close()
	longLines := func(f *feed) {
		for range f.Size(32) {
			f.Text(nostrEvent("["+strings.Repeat(`[""],`, 2<<20/5-100)+"[]]", ""))
		}
	}
	// worst returns the bomb (hostile input) with the given name and format, compressed so that
	// reading it fills the decompression window too. Zeros would compress to nothing, but the bytes
	// of these bombs compress to references as far back as the window reaches.
	worst := func(format, name string) []byte {
		for _, b := range bombs {
			if b.format == format && b.name == name {
				return zstdWindow(t, 25, b.text)
			}
		}
		t.Fatalf("no %s of %s", name, format)
		return nil
	}
	for _, test := range []struct {
		name, format string
		data         []byte
		status       int
		words        string
	}{
		{"zstd, authorizations", "ethereum-tx", worst("ethereum-tx", "authorizations"), cli.ExitOK,
			"recovered "},
		{"zstd, authorizations in RLP", "ethereum-rlp", worst("ethereum-rlp", "authorizations"),
			cli.ExitInvalid, "recovered "},
		{"zstd, witness items", "bitcoin-json", worst("bitcoin-json", "witness items"), cli.ExitInvalid,
			"p2wsh script: invalid"},
		{"zstd, long strings", "bitcoin-json", worst("bitcoin-json", "long strings"), cli.ExitInvalid,
			"malformed "},
		{"zstd, outputs", "bitcoin-block", worst("bitcoin-block", "many outputs"), cli.ExitInvalid,
			"not checkable  1\n"},
		{"bzip2", "ethereum-json", bytes.Repeat(lines, (&clitest.Feed{Short: !deep()}).Size(4)),
			cli.ExitUnreadable, "white space of more than 22 MiB"},
		{"gzip, many members", "nostr", bytes.Repeat(none.Bytes(), 1<<15), cli.ExitUnreadable,
			"an empty file"},
		{"gzip", "bitcoin-json",
			commandtest.Gzipped(t, bytes.Repeat([]byte("\n"),
				(&clitest.Feed{Short: !deep()}).Size(200<<20))), cli.ExitUnreadable,
			"white space of more than 22 MiB"},
		{"zstd, the largest window", "nostr", zstdWindow(t, 25, longLines), cli.ExitInvalid,
			"the id is not the hash of the event"},
		{"zstd, windows that grow", "nostr", slices.Concat(zstdWindow(t, 20, longLines),
			zstdWindow(t, 23, longLines), zstdWindow(t, 24, longLines), zstdWindow(t, 25, longLines)),
			cli.ExitInvalid, "the id is not the hash of the event"},
		{"zstd, too large a window", "nostr", zstdWindow(t, 27, longLines), cli.ExitUnreadable,
			": zstd: refers back by more than 32 MiB"},
	} {
		t.Run(test.name, func(t *testing.T) {
			args := []string{"check", "--format", test.format, "-"}
			if test.format == "bitcoin-block" {
				args = append(args, onRegtest...)
			}
			clitest.Explode(t, func(f *feed) { f.Text(string(test.data)) }, test.status, test.words, args...)
		})
	}
}

// xzed returns the text that the function text writes, compressed with xz and a dictionary of 2^log
// bytes.
func xzed(t *testing.T, log int, text func(f *feed)) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := xz.WriterConfig{DictCap: 1 << log}.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	f := &clitest.Feed{W: z,
		Short: true} // a short text suffices, since only the dictionary size matters
	text(f)
	if f.Err != nil || z.Close() != nil {
		t.Fatal(f.Err)
	}
	return b.Bytes()
}

// withDictionary returns an xz stream with another dictionary size in its first block. number is
// the encoded size; 40 means 4 GiB (the .xz file format 1.2.0, section 5.3.1).
func withDictionary(stream []byte, number byte) []byte {
	// These are the offsets, in an xz file, of the first block and of its dictionary size. The
	// dictionary size follows the block's size, its flags and two bytes of the filter.
	const block, dictionary = 12, 12 + 4
	b := bytes.Clone(stream)
	size := 4 * (int(b[block]) + 1)
	b[dictionary] = number
	binary.LittleEndian.PutUint32(b[block+size-4:], crc32.ChecksumIEEE(b[block:block+size-4]))
	return b
}

// TestMemoryOfXZ checks that the command stays within its memory limit on small xz files that could
// take a lot of memory.
func TestMemoryOfXZ(t *testing.T) {
	deepOnly(t, "it feeds processes what takes memory")
	short := &clitest.Feed{Short: !deep()}
	small := xzed(t, 16, func(f *feed) { f.Text("\n") })
	lines := xzed(t, 25, func(f *feed) { f.Times(32<<20, "\n") })
	events := xzed(t, 25, func(f *feed) {
		for range 18 {
			f.Text(nostrEvent("["+strings.Repeat(`[""],`, 2<<20/5-100)+"[]]", ""))
		}
	})
	// Replace all blocks after the header of the xz stream with the blocks of another stream.
	index := 4 * (int(binary.LittleEndian.Uint32(small[len(small)-8:])) + 1)
	blocks := small[12 : len(small)-12-index]
	for _, test := range []struct {
		name   string
		data   []byte
		times  int
		status int
		words  string
	}{
		{"more than the memory", lines, short.Size(8), cli.ExitUnreadable, "an empty file"},
		{"the largest dictionary, full", events, 3, cli.ExitInvalid,
			"the id is not the hash of the event"},
		{"a dictionary of 64 MiB", withDictionary(small, 28), 1, cli.ExitUnreadable,
			"xz: refers back by more than 32 MiB"},
		{"a dictionary of 4 GiB", withDictionary(small, 40), 1, cli.ExitUnreadable,
			"xz: refers back by more than 32 MiB"},
		{"a large dictionary in the second stream", append(bytes.Clone(small),
			withDictionary(small, 39)...), 1, cli.ExitUnreadable, "xz: refers back by more than 32 MiB"},
		{"large dictionaries for nothing", withDictionary(small, 26), short.Size(1 << 10),
			cli.ExitUnreadable, "an empty file"},
		{"streams", small, short.Size(1 << 15), cli.ExitUnreadable, "an empty file"},
		{"blocks", append(bytes.Clone(small[:12]), bytes.Repeat(blocks, short.Size(1<<15))...), 1,
			cli.ExitUnreadable, "xz: the compressed stream is truncated"},
	} {
		t.Run(strings.ReplaceAll(test.name, " ", "-"), func(t *testing.T) {
			r, w := io.Pipe()
			go func() {
				f := &clitest.Feed{W: w}
				f.Times(test.times, string(test.data))
				w.Close()
			}()
			status, stdout, stderr := clitest.Limited(t, r, "check", "--workers", "4",
				"--format", "nostr", "-")
			r.Close()
			if report := stdout.String() + stderr.String(); status != test.status ||
				!strings.Contains(report, test.words) {
				t.Errorf("status %d, want %d, and %q\n%.3000s", status, test.status, test.words, report)
			}
		})
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
	raw := string(commandtest.Serialize(m))
	plain := write(t, "block", []byte(raw))
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
		packed := write(t, "block.zst", zstdWindow(t, 25, func(f *feed) { f.Text(raw) }))
		for _, args := range [][]string{{"--spent", "-", plain}, {"--spent", write(t, "spent.zst",
			spent), packed}} {
			status, stdout, stderr := clitest.Limited(t, bytes.NewReader(spent), append([]string{"check",
				"--workers", "4", "--network", "regtest"}, args...)...)
			if report := stdout.String() + stderr.String(); status != cli.ExitUnreadable ||
				!strings.Contains(report, test.words) || !strings.Contains(report, ": at byte ") {
				t.Errorf("%s: status %d, want %d, and %q\n%.3000s", test.name, status, cli.ExitUnreadable,
					test.words, report)
			}
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
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	const most = 10_000 // failures in a JSON report
	text := strings.Repeat(rlpBlock(slices.Repeat([][]byte{{0xc0}}, 500)...), 2*most/500)
	file := write(t, filepath.Join(dir, "blocks"), []byte(text))
	cmd := clitest.LimitedCommand("check", "--workers", "4", "--json", "--max-failures",
		strconv.Itoa(most), "--format", "ethereum-rlp", file)
	var stdout bytes.Buffer
	var stderr clitest.Ends
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var r struct {
		Failures  []any
		Malformed int64
	}
	if cmd.ProcessState.ExitCode() != cli.ExitInvalid || json.Unmarshal(stdout.Bytes(), &r) != nil ||
		len(r.Failures) != most || r.Malformed <= 2*most {
		t.Errorf("%v, %d failures of %d\n%.3000s", err, len(r.Failures), r.Malformed, &stderr)
	}
}
