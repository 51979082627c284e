//go:build linux && !race

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"
	"github.com/ulikunitz/xz"
)

// xzed returns the text that the function text writes, compressed with xz and a dictionary of 2^log
// bytes.
func xzed(t *testing.T, log int, text func(f *feed)) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := xz.WriterConfig{DictCap: 1 << log}.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	f := &feed{w: z, short: true} // a short text suffices, since only the dictionary size matters
	text(f)
	if f.err != nil || z.Close() != nil {
		t.Fatal(f.err)
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
	short := &feed{short: !deep()}
	small := xzed(t, 16, func(f *feed) { f.text("\n") })
	lines := xzed(t, 25, func(f *feed) { f.times(32<<20, "\n") })
	events := xzed(t, 25, func(f *feed) {
		for range 18 {
			f.text(nostrEvent("["+strings.Repeat(`[""],`, 2<<20/5-100)+"[]]", ""))
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
		{"more than the memory", lines, short.size(8), exitUnreadable, "an empty file"},
		{"the largest dictionary, full", events, 3, exitInvalid, "the id is not the hash of the event"},
		{"a dictionary of 64 MiB", withDictionary(small, 28), 1, exitUnreadable,
			"xz: refers back by more than 32 MiB"},
		{"a dictionary of 4 GiB", withDictionary(small, 40), 1, exitUnreadable,
			"xz: refers back by more than 32 MiB"},
		{"a large dictionary in the second stream", append(bytes.Clone(small),
			withDictionary(small, 39)...), 1, exitUnreadable, "xz: refers back by more than 32 MiB"},
		{"large dictionaries for nothing", withDictionary(small, 26), short.size(1 << 10), exitUnreadable,
			"an empty file"},
		{"streams", small, short.size(1 << 15), exitUnreadable, "an empty file"},
		{"blocks", append(bytes.Clone(small[:12]), bytes.Repeat(blocks, short.size(1<<15))...), 1,
			exitUnreadable, "xz: the compressed stream is truncated"},
	} {
		t.Run(strings.ReplaceAll(test.name, " ", "-"), func(t *testing.T) {
			r, w := io.Pipe()
			go func() {
				f := &feed{w: w}
				f.times(test.times, string(test.data))
				w.Close()
			}()
			status, stdout, stderr := limited(t, fourWorkers, r, nil, "check", "--workers", "4",
				"--format", "nostr", "-")
			r.Close()
			if report := stdout.String() + stderr.String(); status != test.status ||
				!strings.Contains(report, test.words) {
				t.Errorf("status %d, want %d, and %q\n%.3000s", status, test.status, test.words, report)
			}
		})
	}
}

// mined appends a valid block and its undo record. The block has a coinbase and a transaction with
// the given number of inputs.
func (b *bombFolder) mined(undo string, inputs int) {
	b.height++
	txs := []*wire.MsgTx{coinbaseTx(int32(b.height))}
	if inputs > 0 {
		txs = append(txs, &wire.MsgTx{Version: 2, TxIn: txInputs(inputs,
			wire.OutPoint{Hash: chainhash.Hash{1}}), TxOut: txOutputs(1, nil)})
	}
	m := mine(b.tip, regtestTime, txs...)
	b.blk.WriteString(b.record(string(serialize(m))))
	b.undo(undo, b.tip)
	b.tip = m.BlockHash()
}

// TestMemoryOfSpentFolders checks that the command "koblitz spent" stays within its memory limit on
// folders with hostile files, and that it reports the expected error or success.
func TestMemoryOfSpentFolders(t *testing.T) {
	deepOnly(t, "it feeds processes what takes memory")
	for _, test := range []struct {
		name   string
		write  func(b *bombFolder)
		status int
		words  string
	}{
		{"as many scripts as go to a file", func(b *bombFolder) {
			b.mined(undoOf(rawScript(340), 24000), 24000)
		}, exitOK, "24000 spent outputs"},
		{"more scripts", func(b *bombFolder) {
			b.add(undoOf(rawScript(600), 12000, 12000), bombInputs(12000), bombInputs(12000))
		}, exitUnreadable, "the scripts that it spends have more than 8388608 bytes"},
		{"one long script after the other", func(b *bombFolder) {
			b.add(undoOf(rawScript(1<<20), 15), bombInputs(15))
		}, exitUnreadable, "the scripts that it spends have more than 8388608 bytes"},
		{"too long a record", func(b *bombFolder) {
			b.add(undoOf(rawScript(800), 12000, 12000), bombInputs(12000), bombInputs(12000))
		}, exitUnreadable, "has no undo record for it"},
		{"witness items", func(b *bombFolder) {
			tx := wireTx([]*wire.TxIn{txInput(0, 1<<19)}, nil)
			b.add(undoOf(rawScript(1), 1, 1, 1, 1, 1, 1, 1), tx, tx, tx, tx, tx, tx, tx)
		}, exitUnreadable, "transactions stand in it twice"},
		{"many records", func(b *bombFolder) {
			b.mined(undoOf(rawScript(1), 1), 1)
			for range 1<<20 + 10 {
				b.rev.WriteString(b.record("\x00"))
				b.rev.WriteString(strings.Repeat("\x01", 32))
			}
		}, exitOK, "1 spent outputs"},
		{"many blocks", func(b *bombFolder) {
			b.mined("\x00", 0)
			for range b.size(1 << 17) {
				b.add("\x00")
			}
		}, exitOK, "block 1, "},
		{"blocks without parents", func(b *bombFolder) {
			for i := range 40000 {
				raw, _ := block(chainhash.Hash{1, byte(i), byte(i >> 8)}, 1, coinbase(1))
				b.blk.WriteString(b.record(raw))
			}
		}, exitUnreadable, "32768 blocks before it have no parent before them"},
		{"claimed lengths", func(b *bombFolder) {
			b.rev.WriteString("\xfa\xbf\xb5\xda\xff\xff\xff\xff")
			b.blk.WriteString("\xfa\xbf\xb5\xda\xff\xff\xff\xff")
		}, exitUnreadable, "a record of 4294967295 bytes"},
	} {
		t.Run(strings.ReplaceAll(test.name, " ", "-"), func(t *testing.T) {
			b := newBombFolder(t)
			test.write(b)
			b.close()
			out := filepath.Join(t.TempDir(), "spent")
			status, stdout, stderr := limited(t, fourWorkers, nil, nil, "spent", b.dir, "1", "-o", out,
				"--block", out+".block")
			report := stdout.String() + stderr.String()
			if status != test.status || !strings.Contains(report, test.words) {
				t.Errorf("status %d, want %d, and %q\n%.3000s", status, test.status, test.words, report)
			}
			if info, err := os.Stat(out); (err == nil) != (status == exitOK) {
				t.Errorf("the file: %v, %v", info, err)
			}
		})
	}
}

// TestMemoryOfSpentAnswers checks that the command "koblitz spent" stays within its memory limit on
// responses to getblock that could take a lot of memory.
func TestMemoryOfSpentAnswers(t *testing.T) {
	deepOnly(t, "it feeds processes what takes memory")
	// transactions writes a block of n transactions with correct ids. Each transaction has the
	// given number of inputs, and each input spends an output with a script of size bytes.
	transactions := func(f *feed, n, inputs, size int) {
		tx := wire.MsgTx{Version: 2, TxIn: txInputs(inputs, wire.OutPoint{}), TxOut: txOutputs(1, nil)}
		input := fmt.Sprintf(`{"txid":"%s","vout":0,"scriptSig":{"hex":""},"sequence":0,"prevout":`+
			`{"value":0,"scriptPubKey":{"hex":"%s"}}}`, zeros32, strings.Repeat("61", size))
		f.text(btcBlock)
		for i := range n {
			if i > 0 {
				f.text(",")
			}
			f.text(fmt.Sprintf(`{"txid":"%v","version":2,"locktime":0,"vin":[`, tx.TxHash()))
			f.list(inputs, input)
			f.text(`],"vout":[` + getBlockOutput + `]}`)
		}
		f.text("]}")
	}
	all := []bomb{
		{name: "long scripts", text: func(f *feed) { transactions(f, f.size(100), 900, 9000) },
			words: "the scripts that it spends have more than 8388608 bytes"},
		{name: "many inputs", text: func(f *feed) { transactions(f, f.size(100), 24000, 1) },
			words: "it has more than 24390 inputs"},
	}
	for _, b := range bombs {
		if b.format == "bitcoin-json" && b.name != "many inputs" {
			b.words = ""
			all = append(all, b)
		}
	}
	for _, b := range all {
		t.Run(strings.ReplaceAll(b.name, " ", "-"), func(t *testing.T) {
			r, w := io.Pipe()
			go func() {
				b.text(&feed{w: w, short: !deep()})
				w.Close()
			}()
			status, stdout, stderr := limited(t, fourWorkers, r, nil, "spent", "-o",
				filepath.Join(t.TempDir(), "spent"), "-")
			r.Close()
			report := stdout.String() + stderr.String()
			if status != exitUnreadable || !strings.Contains(report, b.words) {
				t.Errorf("status %d, want %d, and %q\n%.3000s", status, exitUnreadable, b.words, report)
			}
		})
	}
}
