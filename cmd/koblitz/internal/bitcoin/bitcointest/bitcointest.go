// Package bitcointest makes transactions, scripts and undo data for tests of block verification.
package bitcointest

//ci:untested The tests of the packages around it run it.

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"slices"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/sample"
)

// Sized returns a transaction with the given numbers of inputs, outputs and witness items, all of
// them empty.
func Sized(ins, outs, items int) *wire.MsgTx {
	tx := &wire.MsgTx{Version: 2}
	for i := range ins {
		tx.AddTxIn(&wire.TxIn{PreviousOutPoint: wire.OutPoint{Hash: chainhash.Hash{1}, Index: uint32(i)}})
	}
	for range outs {
		tx.AddTxOut(&wire.TxOut{})
	}
	if items > 0 {
		tx.TxIn[0].Witness = make(wire.TxWitness, items)
	}
	return tx
}

// Serialized returns tx as it is encoded in a block.
func Serialized(t testing.TB, tx *wire.MsgTx) []byte {
	var b bytes.Buffer
	if err := tx.Serialize(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TxOut returns o as it is encoded in a transaction.
func TxOut(o *wire.TxOut) []byte {
	var b bytes.Buffer // writing to it cannot fail
	wire.WriteTxOut(&b, 0, 0, o)
	return b.Bytes()
}

// SpentFile returns the outputs that the inputs of block spend, in the form of Bitcoin Core's
// /rest/spenttxouts/HASH.bin.
func SpentFile(block *wire.MsgBlock, outputs []*wire.TxOut) []byte {
	b := append(Size(len(block.Transactions)), 0)
	for _, tx := range block.Transactions[1:] {
		b = append(b, Size(len(tx.TxIn))...)
		for range tx.TxIn {
			b = append(b, TxOut(outputs[0])...)
			outputs = outputs[1:]
		}
	}
	if len(outputs) > 0 {
		panic("more outputs than inputs")
	}
	return b
}

// SpentOutputs returns the outputs in a file as SpentFile makes it.
func SpentOutputs(t testing.TB, file []byte) (outputs []*wire.TxOut) {
	r := bytes.NewReader(file)
	number := func() uint64 {
		n, err := wire.ReadVarInt(r, 0)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for range number() {
		for range number() {
			var o wire.TxOut
			if err := wire.ReadTxOut(r, 0, 0, &o); err != nil {
				t.Fatal(err)
			}
			outputs = append(outputs, &o)
		}
	}
	return outputs
}

// Unpack returns the decompressed content of a file of package sample.
func Unpack(t testing.TB, name string) []byte {
	f, err := sample.Files.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Script assembles a script from opcodes (int) and pushes ([]byte).
func Script(parts ...any) []byte {
	b := txscript.NewScriptBuilder()
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			b.AddOp(byte(p))
		case []byte:
			b.AddData(p)
		}
	}
	s, err := b.Script()
	if err != nil {
		panic(err)
	}
	return s
}

// Coin returns the encoding of an output that was created at height, in the format of
// TxInUndoFormatter (Bitcoin Core's src/undo.h).
func Coin(output *wire.TxOut, height int32, coinbase bool) []byte {
	code := uint64(height) * 2
	if coinbase {
		code++
	}
	b := VarInt(code)
	if height > 0 {
		b = append(b, 0)
	}
	b = append(b, VarInt(CompressAmount(uint64(output.Value)))...)
	return append(b, CompressScript(output.PkScript)...)
}

// RawCoin encodes an output of an undo record from the raw values of its fields: the height code,
// the version bytes after the code, the amount, the script type and the script data.
func RawCoin(code uint64, version string, amount, kind uint64, data string) []byte {
	return slices.Concat(VarInt(code), []byte(version), VarInt(CompressAmount(amount)), VarInt(kind),
		[]byte(data))
}

// Record returns content as a record of a blk*.dat or rev*.dat file: magic, the size, and content.
func Record(magic [4]byte, content []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(magic[:], uint32(len(content))), content...)
}

// Size returns n in Bitcoin's CompactSize encoding.
func Size(n int) []byte {
	var b bytes.Buffer // writing to it cannot fail
	wire.WriteVarInt(&b, 0, uint64(n))
	return b.Bytes()
}

// VarInt encodes n as a VarInt of Bitcoin Core (src/serialize.h). It computes the last digit first.
func VarInt(n uint64) []byte {
	b := []byte{byte(n & 0x7f)}
	for n >>= 7; n > 0; n >>= 7 {
		n--
		b = append([]byte{byte(n&0x7f) | 0x80}, b...)
	}
	return b
}

// CompressAmount returns Bitcoin Core's compressed form of an amount.
func CompressAmount(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	zeros := uint64(0)
	for ; n%10 == 0 && zeros < 9; zeros++ {
		n /= 10
	}
	if zeros == 9 {
		return 10 * n
	}
	return 1 + (n/10*9+n%10-1)*10 + zeros
}

// CompressScript returns Bitcoin Core's compressed form of the script s. The form starts with a
// number for the script's type.
func CompressScript(s []byte) []byte {
	switch n := len(s); {
	case n == 25 && bytes.HasPrefix(s, []byte{0x76, 0xa9, 20}) &&
		bytes.HasSuffix(s, []byte{0x88, 0xac}):
		return append([]byte{0}, s[3:23]...)
	case n == 23 && bytes.HasPrefix(s, []byte{0xa9, 20}) && s[22] == 0x87:
		return append([]byte{1}, s[2:22]...)
	case n == 35 && s[0] == 33 && s[34] == 0xac && (s[1] == 2 || s[1] == 3):
		return append([]byte{s[1]}, s[2:34]...)
	case n == 67 && s[0] == 65 && s[66] == 0xac && s[1] == 4:
		if _, err := btcec.ParsePubKey(s[1:66]); err == nil {
			return append([]byte{4 | s[65]&1}, s[2:34]...)
		}
	}
	return append(VarInt(uint64(len(s))+6), s...)
}
