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
	"encoding/hex"
	"fmt"
	"io"
	"log"
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
	log.SetFlags(0)
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}\n{{.Version}}", origin).Output()
	if err != nil {
		log.Fatal(err)
	}
	dir, version, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if dir == "" {
		log.Fatalf("%s is not downloaded; run: go mod download %s", origin, origin)
	}
	dir = filepath.Join(dir, "blockchain", "testdata")

	record, recordSum := read(dir, "277647.dat.bz2")
	store, storeSum := read(dir, "277647.utxostore.bz2")
	raw := record[8:]
	if int(binary.LittleEndian.Uint32(record[4:])) != len(raw) {
		log.Fatal("the record's length is not that of the block")
	}
	var block wire.MsgBlock
	if err := block.Deserialize(bytes.NewReader(raw)); err != nil {
		log.Fatal(err)
	}
	outputs, err := parseStore(store)
	if err != nil {
		log.Fatal(err)
	}
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
			o, ok := outputs[in.PreviousOutPoint]
			if !ok {
				log.Fatalf("no output %v", in.PreviousOutPoint)
			}
			wire.WriteTxOut(&b, 0, 0, o)
		}
	}
	blockSum := write("277647.block.gz", raw)
	spentSum := write("277647.block.spent.gz", b.Bytes())

	sources := fmt.Sprintf(`Block %d of Bitcoin's main chain, %v.

Made by generate/main.go from %s %s, blockchain/testdata (ISC licence):
%s  277647.dat.bz2
%s  277647.utxostore.bz2

sha256 of what the files here hold when unpacked:
%s  277647.block
%s  277647.block.spent
`, height, block.BlockHash(), origin, version, recordSum, storeSum, blockSum, spentSum)
	if err := os.WriteFile("SOURCES", []byte(sources), 0o644); err != nil {
		log.Fatal(err)
	}
}

// read returns the decompressed content of a bzip2 file, and the SHA-256 of the compressed file.
func read(dir, name string) (data []byte, sum string) {
	packed, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		log.Fatal(err)
	}
	if data, err = io.ReadAll(bzip2.NewReader(bytes.NewReader(packed))); err != nil {
		log.Fatal(err)
	}
	h := sha256.Sum256(packed)
	return data, hex.EncodeToString(h[:])
}

// write writes data to a file, compressed with gzip, and returns the SHA-256 of data.
func write(name string, data []byte) (sum string) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := z.Write(data); err != nil {
		log.Fatal(err)
	}
	if err := z.Close(); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// parseStore parses a file of unspent outputs in the form in which btcd stores them in its
// database. For each output it has the transaction id, the output's index and the length of the
// entry (32 bits each, little-endian), and the entry.
func parseStore(b []byte) (map[wire.OutPoint]*wire.TxOut, error) {
	outputs := make(map[wire.OutPoint]*wire.TxOut)
	for len(b) > 0 {
		if len(b) < 40 {
			return nil, io.ErrUnexpectedEOF
		}
		p := wire.OutPoint{Hash: chainhash.Hash(b[:32]), Index: binary.LittleEndian.Uint32(b[32:])}
		n := int(binary.LittleEndian.Uint32(b[36:]))
		if b = b[40:]; len(b) < n {
			return nil, io.ErrUnexpectedEOF
		}
		o, err := parseEntry(b[:n])
		if err != nil {
			return nil, fmt.Errorf("%v: %w", p, err)
		}
		outputs[p] = o
		b = b[n:]
	}
	return outputs, nil
}

// parseEntry parses an entry of the file that parseStore reads: height, amount, kind of script, and
// script, each in the form of an undo record. An undo record has one more number, after the height.
func parseEntry(b []byte) (*wire.TxOut, error) {
	height := 1 + slices.IndexFunc(b, func(c byte) bool { return c < 0x80 }) // its length in bytes
	r := undo.NewReader(slices.Concat([]byte{1, 1}, b[:height], []byte{0}, b[height:]))
	outs, err := r.Transaction(1)
	if err != nil {
		return nil, err
	}
	return wire.NewTxOut(outs[0].Amount, outs[0].Script), nil
}
