// Generate makes the sample's files from the module that contains their data. One file is block
// 277647 without the record header that a blk*.dat file has. The other file has the block's spent
// outputs in the form of Bitcoin Core's /rest/spenttxouts/HASH.bin.
//
// Run it with go generate in the folder sample.
package main

//ci:untested The step regenerate runs it.

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/undo"
)

const (
	origin = "github.com/btcsuite/btcd"
	height = 277647
)

func main() {
	out := must(exec.Command("go", "list", "-m", "-f", "{{.Dir}}\n{{.Version}}", origin).Output())
	dir, version, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	dir = filepath.Join(dir, "blockchain", "testdata")
	record, recordSum := read(filepath.Join(dir, "277647.dat.bz2"))
	store, storeSum := read(filepath.Join(dir, "277647.utxostore.bz2"))
	raw := record[8:] // after the magic and the length

	var block wire.MsgBlock
	must(0, block.Deserialize(bytes.NewReader(raw)))
	outputs := parseStore(store)
	for _, tx := range block.Transactions {
		for i, o := range tx.TxOut {
			outputs[wire.OutPoint{Hash: tx.TxHash(), Index: uint32(i)}] = o
		}
	}
	var b bytes.Buffer // writing to it cannot fail
	wire.WriteVarInt(&b, 0, uint64(len(block.Transactions)))
	wire.WriteVarInt(&b, 0, 0) // the coinbase spends nothing
	for _, tx := range block.Transactions[1:] {
		wire.WriteVarInt(&b, 0, uint64(len(tx.TxIn)))
		for _, in := range tx.TxIn {
			wire.WriteTxOut(&b, 0, 0, outputs[in.PreviousOutPoint])
		}
	}
	write("277647.block.gz", raw)
	write("277647.block.spent.gz", b.Bytes())

	must(0, os.WriteFile("SOURCES", fmt.Appendf(nil, `Block %d of Bitcoin's main chain, %v.

Made by generate/main.go from %s %s, blockchain/testdata (ISC licence):
%x  277647.dat.bz2
%x  277647.utxostore.bz2

sha256 of what the files here hold when unpacked:
%x  277647.block
%x  277647.block.spent
`, height, block.BlockHash(), origin, version, recordSum, storeSum, sha256.Sum256(raw),
		sha256.Sum256(b.Bytes())), 0o644))
}

// must returns v, and panics if err is not nil.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// read returns the decompressed content of a bzip2 file, and the SHA-256 of the compressed file.
func read(name string) (data []byte, sum [32]byte) {
	packed := must(os.ReadFile(name))
	return must(io.ReadAll(bzip2.NewReader(bytes.NewReader(packed)))), sha256.Sum256(packed)
}

// write writes data to a file, compressed with gzip.
func write(name string, data []byte) {
	var b bytes.Buffer // writing to it cannot fail
	z := must(gzip.NewWriterLevel(&b, gzip.BestCompression))
	z.Write(data)
	z.Close()
	must(0, os.WriteFile(name, b.Bytes(), 0o644))
}

// parseStore parses a file of unspent outputs in the form in which btcd stores them in its
// database. For each output it has the transaction id, the output's index and the length of the
// entry (32 bits each, little-endian), and the entry.
func parseStore(b []byte) map[wire.OutPoint]*wire.TxOut {
	outputs := make(map[wire.OutPoint]*wire.TxOut)
	for len(b) > 0 {
		p := wire.OutPoint{Hash: chainhash.Hash(b[:32]), Index: binary.LittleEndian.Uint32(b[32:])}
		n := 40 + binary.LittleEndian.Uint32(b[36:])
		outputs[p] = parseEntry(b[40:n])
		b = b[n:]
	}
	return outputs
}

// parseEntry parses an entry of the file that parseStore reads: height, amount, kind of script, and
// script, each in the form of an undo record. An undo record has one more number, after the height.
func parseEntry(b []byte) *wire.TxOut {
	height := 1 + slices.IndexFunc(b, func(c byte) bool { return c < 0x80 }) // its length in bytes
	r := undo.NewReader(slices.Concat([]byte{1, 1}, b[:height], []byte{0}, b[height:]))
	outs := must(r.Transaction(1))
	return wire.NewTxOut(outs[0].Amount, outs[0].Script)
}
