//go:build linux && !race

package command

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
)

const (
	zeros32  = "0000000000000000000000000000000000000000000000000000000000000000"
	ethBlock = `{"number":"0x1000000","timestamp":"0x60000000","transactions":[`
)

// btcBlock is the beginning of a Bitcoin block in JSON, up to and including its coinbase.
var btcBlock = `{"hash":"` + zeros32 + `","height":900000,"version":4,"merkleroot":"` + zeros32 +
	`","time":1700000000,"nonce":0,"bits":"1d00ffff","previousblockhash":"01","tx":[` + func() string {
	var tx wire.MsgTx
	if err := tx.Deserialize(strings.NewReader(commandtest.Coinbase(900000))); err != nil {
		panic(err)
	}
	in := tx.TxIn[0]
	return fmt.Sprintf(`{"txid":"%v","version":2,"locktime":0,"vin":[{"coinbase":"%x",`+
		`"sequence":%d}],"vout":[{"value":0,"scriptPubKey":{"hex":""}}]},`,
		tx.TxHash(), in.SignatureScript, in.Sequence)
}()

// nostrEvent returns a nostr event with a wrong id.
func nostrEvent(tags, content string) string {
	return `{"id":"` + zeros32 + `","pubkey":"` + zeros32 + `","created_at":1,"kind":1,"tags":` +
		tags + `,"content":"` + content + `","sig":"` + zeros32 + zeros32 + `"}` + "\n"
}

const ethFields = `"nonce":"0x0","gas":"0x0","value":"0x0","gasPrice":"0x0","maxFeePerGas":` +
	`"0x0","maxPriorityFeePerGas":"0x0","v":"0x0","r":"0x1","s":"0x1","chainId":"0x1","to":` +
	`"0x0000000000000000000000000000000000000000",`

// authorizations returns an encoded Ethereum transaction of type 4 (EIP-7702). It has as many
// authorizations of minimal length as fit into size bytes.
func authorizations(size int) []byte {
	one := []any{[]byte{}, make([]byte, 20), []byte{}, []byte{}, []byte{}, []byte{}}
	list := make([]any, size/28)
	for i := range list {
		list[i] = one
	}
	body := clitest.Must(rlp.EncodeToBytes([]any{uint(1), uint(0), uint(0), uint(0), uint(0),
		make([]byte, 20), uint(0), []byte{}, []any{}, list, uint(0), uint(1), uint(1)}))
	return append([]byte{4}, body...)
}

// rlpBlock returns an Ethereum block in RLP with the given encoded transactions.
func rlpBlock(txs ...[]byte) string {
	header := &types.Header{Number: big.NewInt(23000000), Time: 1753000000, Difficulty: new(big.Int)}
	list := []any{}
	for _, tx := range txs {
		if tx[0] < 0xc0 {
			list = append(list, tx)
		} else {
			list = append(list, rlp.RawValue(tx))
		}
	}
	return string(clitest.Must(rlp.EncodeToBytes([]any{header, list, []any{}})))
}

// rlpHead returns the RLP header of a list with size bytes of content.
func rlpHead(size int) string {
	return "\xfb" + string(binary.BigEndian.AppendUint32(nil, uint32(size)))
}

// getBlockInput returns a transaction input in the JSON of getblock. It has the given witness and
// spends a P2WSH output with the script OP_1.
func getBlockInput(witness string) string {
	return fmt.Sprintf(`{"txid":"%s","vout":0,"scriptSig":{"hex":""},"sequence":0,"txinwitness":`+
		`[%s],"prevout":{"value":0,"scriptPubKey":{"hex":"0020%x"}}}`,
		zeros32, witness, sha256.Sum256([]byte{0x51}))
}

// getBlockTxs writes a block. Its n transactions after the coinbase have equal inputs and outputs.
func getBlockTxs(f *feed, n, inputs int, input string, outputs int) {
	f.Text(btcBlock)
	for i := range n {
		if i > 0 {
			f.Text(",")
		}
		f.Text(`{"txid":"` + zeros32 + `","version":2,"locktime":0,"vin":[`)
		f.List(inputs, input)
		f.Text(`],"vout":[`)
		f.List(outputs, `{"value":0,"scriptPubKey":{"hex":""}}`)
		f.Text(`]}`)
	}
	f.Text(`]}`)
}

// witnessItems is an encoded Bitcoin transaction with very many witness items.
var witnessItems = commandtest.WireTx([]*wire.TxIn{commandtest.TxInput(0, 1<<19)}, nil)

// bombBlock returns an encoded Bitcoin block of a coinbase with the given outputs, and of txs.
func bombBlock(outputs []*wire.TxOut, txs ...string) string {
	b, _ := commandtest.Block(chainhash.Hash{1}, 0, append([]string{commandtest.Coinbase(900000,
		outputs...)}, txs...)...)
	return b
}

var bombs = []bomb{
	{"newlines", "nostr", func(f *feed) { f.Times(f.Size(64<<20), "\n") }, cli.ExitUnreadable,
		"an empty file", nil},
	{"one line", "nostr", func(f *feed) { f.Times(f.Size(64<<20), "x") }, cli.ExitInvalid,
		"stdin:1: malformed: the line is longer than 2 MiB", nil},
	{"long lines", "nostr", func(f *feed) {
		for range f.Size(24) {
			f.Text(nostrEvent("[]", strings.Repeat(`\u00e9\n`, 2<<20/8-100)))
			f.Text(nostrEvent("["+strings.Repeat(`[""],`, 2<<20/5-100)+"[]]", ""))
		}
	}, cli.ExitInvalid, "the id is not the hash of the event", nil},
	{"bad lines, all listed", "nostr", func(f *feed) { f.Times(f.Size(1<<18), "{}\n") },
		cli.ExitInvalid, "the event has no id", []string{"--max-failures", "-1"}},
	{"nested", "nostr", func(f *feed) {
		for range f.Size(16) {
			f.Text(`["EOSE",`)
			f.Times(2<<20-100, "[")
			f.Text("\n")
		}
	}, cli.ExitInvalid, "nested more than 200 deep", nil},
	{"many names", "nostr", func(f *feed) {
		for i := range f.Size(1 << 14) {
			f.Text("{")
			for j := range 17 {
				f.Text(fmt.Sprintf(`"%d.%d":0,`, i, j))
			}
			f.Text("\"sig\":0}\n")
		}
	}, cli.ExitInvalid, "malformed      {16384}\n", nil},

	{"transactions before the number", "ethereum-json", func(f *feed) {
		f.Text(`{"transactions":[`)
		f.List(f.Size(20<<20), `{}`)
		f.Text(`],"number":"0x1","timestamp":"0x1"}`)
	}, cli.ExitInvalid, "malformed      1\n", nil},
	{"many such blocks", "ethereum-json", func(f *feed) {
		for range f.Size(8) {
			f.Text(`{"transactions":[`)
			f.List(1<<14, `{"type":"0x7f","input":"0x`+strings.Repeat("00", 450)+`"}`)
			f.Text(`],"number":"0x1","timestamp":"0x1"}`)
		}
	}, cli.ExitNotCheckable, "of type 127", nil},
	{"very long transactions", "ethereum-json", func(f *feed) {
		f.Text(ethBlock)
		for range 4 {
			f.Text(`"0x`)
			f.Times(10<<20, "00")
			f.Text(`",`)
		}
		f.Text(`{}]}`)
	}, cli.ExitInvalid, "a list of transactions of more than 25165824 bytes|malformed      1\n", nil},
	{"long access lists", "ethereum-json", func(f *feed) {
		f.Text(ethBlock)
		tx := "{" + ethFields + `"type":"0x1","input":"0x","accessList":[` +
			strings.Repeat("{},", 1<<16-1) + "{}]}"
		keys := "{" + ethFields + `"type":"0x1","input":"0x","accessList":[{"storageKeys":[` +
			strings.Repeat(`"",`, 1<<16-1) + `""]}]}`
		authorizations := "{" + ethFields + `"type":"0x4","input":"0x","authorizationList":[` +
			strings.Repeat("{},", 1<<16-1) + "{}]}"
		f.List(f.Size(24), tx+","+keys+","+authorizations)
		f.Text(`]}`)
	}, cli.ExitInvalid, "elements in its lists|malformed      1\n", nil},
	{"values that are passed over", "ethereum-json", func(f *feed) {
		f.Text(`{"a":"`)
		f.Times(20<<20, "x")
		f.Text(`","b":`)
		f.Times(20<<20, "1")
		f.Text(`,"`)
		f.Times(20<<20, "k")
		f.Text(`":[`)
		f.List(f.Size(10<<20), "[]")
		f.Text(`],`)
		f.Times(20<<20, " ")
		f.Text(`"transactions":[]}`)
	}, cli.ExitNotCheckable, "not checkable  1\n", nil},
	{"a long number", "ethereum-json", func(f *feed) {
		f.Text(`{"number":"0x`)
		f.Times(20<<20, "0")
		f.Text(`1","transactions":[]}`)
	}, cli.ExitInvalid, "of the block has 20971523 characters", nil},
	{"a long answer", "ethereum-json", func(f *feed) {
		f.Text(`{"error":"`)
		f.Times(20<<20, "e")
		f.Text(`"}`)
	}, cli.ExitUnreadable, "answered with a very long error", nil},
	{"many names", "ethereum-json", func(f *feed) {
		for i := range f.Size(5) {
			f.Text(fmt.Sprintf(`{"n%d":1,"transactions":[{"to":1`, i))
			for j := range 400_000 {
				f.Text(fmt.Sprintf(`,"%d.%d":0`, i, j))
			}
			f.Text("}]}\n")
		}
	}, cli.ExitInvalid, "malformed      {5}\n", nil},
	{"nested, passed over", "ethereum-json", func(f *feed) {
		f.Text(`{"a":`)
		f.Times(f.Size(64<<20), `[`)
	}, cli.ExitUnreadable, "exceeded max depth", nil},
	{"blocks without transactions", "ethereum-json", func(f *feed) {
		f.Times(f.Size(1<<18),
			`{"transactions":[]}`)
	}, cli.ExitNotCheckable, "not checkable  {262144}\n", nil},
	{"authorizations", "ethereum-tx", func(f *feed) {
		f.Times(f.Size(8), fmt.Sprintf(`"0x%x"`, authorizations(4<<20-1000)))
		f.Times(f.Size(32), fmt.Sprintf(`"0x%x"`, authorizations(28<<15)))
	}, cli.ExitOK, "recovered      {40}\n", nil},

	{"authorizations", "ethereum-rlp", func(f *feed) {
		tx, many := authorizations(28<<15), authorizations(4<<20-1000)
		f.Times(f.Size(8), rlpBlock(tx, tx, many, tx, tx))
	}, cli.ExitInvalid, "recovered      {40}\n|malformed      {8}\n", nil},
	{"claimed lengths", "ethereum-rlp", func(f *feed) {
		f.Text(rlpHead(250<<20) + rlpHead(249<<20))
		f.Times(f.Size(100<<20), "\x80")
	}, cli.ExitUnreadable, "262144000 bytes, more than the 16777216 of a block", nil},
	{"a long transaction", "ethereum-rlp", func(f *feed) {
		const long = 100 << 20
		content, _, _ := rlp.SplitList([]byte(rlpBlock()))
		header := string(content[:len(content)-2])
		f.Text(rlpHead(len(header)+2*5+long) + header + rlpHead(5+long) + rlpHead(long))
		f.Times(long, "x")
	}, cli.ExitUnreadable, "bytes, more than the 16777216 of a block", nil},
	{"empty transactions", "ethereum-rlp", func(f *feed) {
		f.Text(rlpBlock(bytes.Split(bytes.Repeat([]byte("\xc0,"), f.Size(1<<18)),
			[]byte(","))[:f.Size(1<<18)]...))
	}, cli.ExitInvalid, "RLP: ", nil},

	{"empty inputs", "bitcoin-json", func(f *feed) {
		for range f.Size(8) {
			f.Text(btcBlock + `{"vin":[`)
			f.List(6<<20, `{}`)
			f.Text(`]}]}`)
		}
	}, cli.ExitInvalid, "more than 135501 elements in its lists|malformed      {8}\n", nil},
	{"as many empty inputs as are read", "bitcoin-json", func(f *feed) {
		f.Text(btcBlock)
		f.List(f.Size(24), `{"vin":[`+strings.Repeat("{},", 135500)+`{}]}`)
		f.Text(`]}`)
	}, cli.ExitInvalid, "malformed      {24}\n", nil},
	{"witness items", "bitcoin-json", func(f *feed) {
		getBlockTxs(f, f.Size(8), 1, getBlockInput(strings.Repeat(`"",`, 1<<19-2)+`"51"`), 1)
	}, cli.ExitInvalid, "p2wsh script: invalid: the script engine", nil},
	{"many inputs", "bitcoin-json", func(f *feed) {
		getBlockTxs(f, f.Size(4), 23900, getBlockInput(`"51"`), 1)
	}, cli.ExitInvalid, "unsigned       {95600}\n", nil},
	{"many outputs", "bitcoin-json", func(f *feed) {
		getBlockTxs(f, f.Size(8), 1, getBlockInput(`"51"`), 111000)
	}, cli.ExitInvalid, "unsigned       {8}\n|a block that weighs more than 4000000", nil},
	{"long strings", "bitcoin-json", func(f *feed) {
		f.Text(btcBlock)
		f.List(f.Size(12), `{"txid":"`+strings.Repeat("a", 10<<20)+`","hex":"`+
			strings.Repeat("00", 4_900_000)+`"}`)
		f.Text(`]}`)
	}, cli.ExitInvalid, "malformed      {12}\n", nil},

	{"a hex block of spaces", "bitcoin-block", func(f *feed) {
		f.Text(fmt.Sprintf("%x", bombBlock(nil, witnessItems)))
		f.Times(12<<20, " ")
	}, cli.ExitInvalid, "not checkable  1\n", nil},
	{"a hex block of any length", "bitcoin-block", func(f *feed) { f.Times(f.Size(500<<20), "0") },
		cli.ExitUnreadable, "more bytes than a block can have", nil},
	{"many inputs", "bitcoin-block", func(f *feed) {
		f.Text(bombBlock(nil, bombInputs(90000)))
	}, cli.ExitUnreadable, "90000 inputs are more than a block can have", nil},
	{"many outputs", "bitcoin-block", func(f *feed) {
		outputs := commandtest.TxOutputs(55000, nil)
		f.Text(bombBlock(outputs, commandtest.WireTx([]*wire.TxIn{commandtest.TxInput(0, 1)}, outputs)))
	}, cli.ExitInvalid, "not checkable  1\n", nil},
	{"too many outputs", "bitcoin-block", func(f *feed) {
		outputs := commandtest.TxOutputs(110000, nil)
		f.Text(bombBlock(outputs, commandtest.WireTx([]*wire.TxIn{commandtest.TxInput(0, 0)}, outputs)))
	}, cli.ExitUnreadable, "with this transaction the block weighs more than 4000000", nil},
	{"witness items", "bitcoin-block", func(f *feed) {
		f.Text(bombBlock(nil, slices.Repeat([]string{witnessItems}, 7)...))
	}, cli.ExitInvalid, "not checkable  1\n", nil},

	{"bad rows, all listed", "packed-bip340",
		func(f *feed) { f.Times(f.Size(1<<18), strings.Repeat("\xff", 128)) }, cli.ExitInvalid,
		"malformed      {262144}\n", []string{"--max-failures", "-1"}},
	{"many bad rows", "packed-bip340",
		func(f *feed) { f.Times(f.Size(1<<22), strings.Repeat("\xff", 128)) }, cli.ExitInvalid,
		"malformed      {4194304}\n", nil},
	{"bad rows", "packed-ecdsa", func(f *feed) { f.Times(f.Size(1<<18), strings.Repeat("\xff", 129)) },
		cli.ExitInvalid, "malformed      {262144}\n", nil},
}
