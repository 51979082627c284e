package check

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/flags"
)

// Each test in this file hides bad signatures in different ways. The report must count each bad
// signature, or name the place where it is hidden.

// broken damages the signature of tx's first input and removes the other inputs.
func broken(tx *wire.MsgTx) {
	tx.TxIn = tx.TxIn[:1]
	tx.TxIn[0].Witness[0][10] ^= 1
}

// edit returns a copy of text in which the string replacement takes the place of the string old.
// The text must contain old exactly once.
func edit(t testing.TB, text, old, replacement string) string {
	t.Helper()
	if n := strings.Count(text, old); n != 1 {
		t.Fatalf("%q is there %d times", old, n)
	}
	return strings.Replace(text, old, replacement, 1)
}

// TestHiddenInGetBlock checks that bad signatures hidden in the JSON of getblock are found.
func TestHiddenInGetBlock(t *testing.T) {
	good, bad := newRegtest(nil), newRegtest(broken)
	text, forged := good.getblock(), bad.getblock()
	tx := good.spending.Transactions[1]
	id := tx.TxHash().String()
	vin := fmt.Sprintf(`{"txid": "%v", "vout": 0, "scriptSig"`, tx.TxIn[0].PreviousOutPoint.Hash)
	one := text[strings.Index(text, "{\"txid\": \""+id):strings.LastIndex(text, "\n]}")]
	sig := hex.EncodeToString(tx.TxIn[0].Witness[0])
	wrong := sig[:20] + map[bool]string{true: "0", false: "1"}[sig[20] != '0'] + sig[21:]
	for _, c := range []struct {
		name, text, words string
		status            int
	}{
		{"nothing", text, "valid          3\n", cli.ExitOK},
		{"a bad signature", forged, "invalid        1\n", cli.ExitInvalid},
		{"a coinbase's field", edit(t, forged, vin, `{"coinbase": "00", `+vin[1:]),
			"not of the block's first transaction", cli.ExitInvalid},
		{"a coinbase's field alone", edit(t, forged, vin, `{"coinbase": "00", "x`+vin[2:]),
			"not of the block's first transaction", cli.ExitInvalid},
		{"an empty coinbase's field", edit(t, forged, vin, `{"coinbase": "", `+vin[1:]),
			"not of the block's first transaction", cli.ExitInvalid},
		{"another case", edit(t, forged, vin, `{"Coinbase": "00", `+vin[1:]), `"Coinbase"`,
			cli.ExitInvalid},
		{"the transaction left out", edit(t, text, ",\n"+one, ""), "Merkle root", cli.ExitInvalid},
		{"all transactions left out", text[:strings.Index(text, "\n{")] + "]}", "without transactions",
			cli.ExitInvalid},
		{"the transaction twice", edit(t, text, one, one+",\n"+one), "Merkle root", cli.ExitInvalid},
		{"the block's hex twice, good last", edit(t, text, `"fee"`, `"hex": "00", "fee"`),
			`"hex" comes a second time`, cli.ExitInvalid},
		{"another case of hex", edit(t, text, `"fee"`, `"Hex": "00", "fee"`), `"Hex"`, cli.ExitInvalid},
		{"a letter that folds", edit(t, text, `"fee"`, "\"ſize\": 1, \"fee\""),
			`"\u017fize" may be taken for "size"`, cli.ExitInvalid},
		{"another case of tx", edit(t, text, `"confirmations": 1234`, `"TX": []`), `"TX"`,
			cli.ExitUnreadable},
		{"the height twice", edit(t, text, `"confirmations": 1234`, `"height": 2`),
			`"height" comes a second time`, cli.ExitUnreadable},
		{"two lists of transactions", edit(t, text, "\n]}", "\n], \"tx\": []}"),
			`"tx" comes a second time`, cli.ExitUnreadable},
		{"a transaction for a block", `[` + text + `, ` + one + `]`, `no "tx" in it`, cli.ExitUnreadable},
		{"two results", `{"result": ` + text + `, "result": null}`, `"result" comes a second time`,
			cli.ExitUnreadable},
		{"another witness in the fields", strings.ReplaceAll(text, `"`+sig+`"`, `"`+wrong+`"`),
			"hex and its other fields differ", cli.ExitInvalid},
		{"another number of transactions", edit(t, text, `"nTx": 2`, `"nTx": 3`), `"nTx"`,
			cli.ExitInvalid},
		{"another height", edit(t, text, `"height": 2`, `"height": 3`), "BIP 34", cli.ExitInvalid},
		{"another version", edit(t, text, `"versionHex": "20000000"`, `"versionHex": "20000001"`),
			`"versionHex"`, cli.ExitInvalid},
		{"another time", edit(t, text, fmt.Sprintf(`"time": %d`, commandtest.RegtestTime+1), `"time": 1`),
			"the header hashes to", cli.ExitInvalid},
		{"another parent", edit(t, text, good.spending.Header.PrevBlock.String(),
			strings.Repeat("1", 64)), "the header hashes to", cli.ExitInvalid},
		{"another Merkle root", edit(t, text, good.spending.Header.MerkleRoot.String(),
			strings.Repeat("0", 64)), "the header hashes to", cli.ExitInvalid},
		{"another fee", edit(t, text, `"fee": 1.0`, `"fee": 2.0`), `"fee"`, cli.ExitInvalid},
		{"another output number", edit(t, text, `"value": 49.00000000, "n": 0`,
			`"value": 49.00000000, "n": 1`), `"n"`, cli.ExitInvalid},
		// the input is no longer called a coinbase but has the bytes of one
		{"no coinbase", edit(t, text, `{"coinbase": "5200"`, fmt.Sprintf(`{"txid": "%064d", "vout": `+
			`4294967295, "scriptSig": {"hex": "5200"}`, 0)), "valid          3\n", cli.ExitOK},
		{"a spend instead of the coinbase", edit(t, text, `{"coinbase": "5200"`,
			`{"coinbase": "5200", "vout": 1`), "\"coinbase\" beside", cli.ExitInvalid},
		{"another address", edit(t, text, `"type": "…"}}, "sequence": 4294967295}],`,
			`"address": "bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqdku202", "type": "…"}}, "sequence": `+
				`4294967295}],`), `"address"`, cli.ExitInvalid},
		{"another hash", edit(t, text, tx.WitnessHash().String(), strings.Repeat("0", 64)), `"hash"`,
			cli.ExitInvalid},
		{"another size", edit(t, text, fmt.Sprintf(`"size": %d, "vsize"`, tx.SerializeSize()),
			`"size": 1, "vsize"`), `"size"`, cli.ExitInvalid},
		{"no nonce", edit(t, text, `"nonce"`, `"nonsense"`), "must stand before", cli.ExitUnreadable},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect(t, c.status, []string{c.words}, c.text, "check", "--network", "regtest", "-")
		})
	}
}

// TestHiddenInBlock checks that bad signatures hidden in serialized blocks are found.
func TestHiddenInBlock(t *testing.T) {
	good, bad := newRegtest(nil), newRegtest(func(tx *wire.MsgTx) { tx.TxIn[0].Witness[0][10] ^= 1 })
	block := commandtest.Serialize(good.spending)
	regtestArgs := []string{"--network", "regtest"}
	less := *good.spending
	less.Transactions = less.Transactions[:1]
	noWork := *good.spending
	for hash256(commandtest.Serialize(&noWork)[:80])[31] < 0x80 {
		noWork.Header.Nonce++
	}
	// The transaction other has a changed witness, which does not change its id.
	other := clitest.Must(wire.NewMsgTx(0), error(nil))
	*other = *good.spending.Transactions[1].Copy()
	other.TxIn[0].Witness[0][10] ^= 1
	swapped := *good.spending
	swapped.Transactions = []*wire.MsgTx{swapped.Transactions[0], other}
	bare := *good.spending
	bare.Transactions = []*wire.MsgTx{stripped(bare.Transactions[0]), bare.Transactions[1]}
	spent := write(t, "spent", good.spent())
	nothing := write(t, "nothing", bitcointest.SpentFile(&less, nil))
	for _, c := range []struct {
		name   string
		block  []byte
		spent  string
		args   []string
		words  string
		status int
	}{
		{"nothing", block, spent, regtestArgs, "valid          3\n", cli.ExitOK},
		{"a bad signature", commandtest.Serialize(bad.spending), spent, regtestArgs, "invalid        1\n",
			cli.ExitInvalid},
		{"a bad signature, no network", commandtest.Serialize(bad.spending), spent, nil,
			"--network regtest", cli.ExitUnreadable},
		{"another network", block, spent, []string{"--network", "signet"},
			"--network regtest", cli.ExitUnreadable},
		{"the transaction left out", commandtest.Serialize(&less), nothing, regtestArgs, "Merkle root",
			cli.ExitInvalid},
		{"no work", commandtest.Serialize(&noWork), spent, regtestArgs, "proof of work", cli.ExitInvalid},
		{"another witness", commandtest.Serialize(&swapped), spent, regtestArgs, "witness commitment",
			cli.ExitInvalid},
		{"no commitment", commandtest.Serialize(&bare), spent, regtestArgs, "Merkle root",
			cli.ExitInvalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect(t, c.status, []string{c.words}, string(c.block),
				append(append([]string{"check", "--spent", c.spent}, c.args...), "-")...)
		})
	}
}

// TestAnybodyCanSpend checks that inputs without a signature are counted separately. They must also
// be listed if they carry data that could be a signature.
func TestAnybodyCanSpend(t *testing.T) {
	free := []byte{txscript.OP_TRUE}
	drop := []byte{txscript.OP_2DROP, txscript.OP_TRUE}
	for _, c := range []struct {
		name   string
		script []byte
		sign   []byte
		want   int
		words  string
	}{
		{"nothing to sign", free, nil, cli.ExitOK, "unsigned       1\n"},
		{"a signature that nobody looks at", drop, append(append([]byte{71}, make([]byte, 71)...), 1, 2),
			cli.ExitNotCheckable, "no signature was looked at"},
	} {
		from := commandtest.CoinbaseTx(1, wire.NewTxOut(1e8, c.script))
		r := newRegtest(nil)
		r.funding = commandtest.Mine(r.genesis.BlockHash(), commandtest.RegtestTime, from)
		tx := wire.NewMsgTx(2)
		tx.AddTxIn(wire.NewTxIn(&wire.OutPoint{Hash: from.TxHash()}, c.sign, nil))
		tx.AddTxOut(wire.NewTxOut(1, free))
		r.spending = commandtest.Mine(r.funding.BlockHash(), commandtest.RegtestTime+1,
			commandtest.CoinbaseTx(2, wire.NewTxOut(1, free)), tx)
		for form, args := range map[string][]string{
			"block": {"--network", "regtest", "--spent", write(t, "spent", r.spent()),
				write(t, "block", commandtest.Serialize(r.spending))},
			"getblock": {"--network", "regtest", write(t, "json", []byte(r.getblock()))},
			"folder":   {r.node(t)},
		} {
			stdout, _ := expect(t, c.want, []string{c.words, "unsigned       1\n",
				"rows           1\n"}, "", append([]string{"check"}, args...)...)
			if strings.Contains(stdout, "engine-checked") || t.Failed() {
				t.Fatalf("%s, %s:\n%s", c.name, form, stdout)
			}
		}
	}
}

// TestHiddenInFolder checks that bad signatures hidden in a node's folder are found.
func TestHiddenInFolder(t *testing.T) {
	good := newRegtest(nil)
	whole := good.blk(commandtest.RegtestMagic)
	record := func(b []byte) []byte {
		return append(binary.LittleEndian.AppendUint32(slices.Clone(commandtest.RegtestMagic[:]),
			uint32(len(b))), b...)
	}
	raw := commandtest.Serialize(good.spending)
	start := len(whole) - len(raw) - 8
	empty := append(raw[:80:80], 0)
	less := *good.spending
	less.Transactions = less.Transactions[:1]
	forged := newRegtest(func(tx *wire.MsgTx) { tx.TxIn[0].Witness[0][10] ^= 1 })
	again := *good.spending
	again.Transactions = []*wire.MsgTx{again.Transactions[0], forged.spending.Transactions[1]}
	two := commandtest.Mine(good.funding.BlockHash(), commandtest.RegtestTime+1,
		commandtest.CoinbaseTx(2, wire.NewTxOut(1, nil)), commandtest.CoinbaseTx(2, wire.NewTxOut(2,
			nil)))
	first := commandtest.Mine(good.funding.BlockHash(), commandtest.RegtestTime+1,
		good.spending.Transactions[1].Copy())
	high := commandtest.Mine(good.funding.BlockHash(), commandtest.RegtestTime+1,
		commandtest.CoinbaseTx(7, wire.NewTxOut(1, nil)))
	otherGenesis := commandtest.Mine([32]byte{}, commandtest.RegtestTime, commandtest.CoinbaseTx(0,
		wire.NewTxOut(1, nil)))
	for _, c := range []struct {
		name   string
		file   []byte
		words  []string
		status int
	}{
		{"nothing", whole, []string{"valid          3\n"}, cli.ExitOK},
		{"a block without transactions", append(whole[:start:start], record(empty)...),
			[]string{"without transactions", "block 2"}, cli.ExitInvalid},
		{"a transaction left out", append(whole[:start:start], record(commandtest.Serialize(&less))...),
			[]string{"Merkle root", "block 2"}, cli.ExitInvalid},
		{"a block again, with another witness", append(slices.Clone(whole),
			record(commandtest.Serialize(&again))...), []string{"witness commitment", "valid          3\n"},
			cli.ExitInvalid},
		{"a block again", append(slices.Clone(whole), record(raw)...), []string{"valid          3\n",
			"passed over    1\n"}, cli.ExitOK},
		{"two coinbases", append(whole[:start:start], record(commandtest.Serialize(two))...),
			[]string{"coinbase"}, cli.ExitInvalid},
		{"no coinbase", append(whole[:start:start], record(commandtest.Serialize(first))...),
			[]string{"coinbase"}, cli.ExitInvalid},
		{"another height", append(whole[:start:start], record(commandtest.Serialize(high))...),
			[]string{"BIP 34"}, cli.ExitInvalid},
		{"another first block", record(commandtest.Serialize(otherGenesis)),
			[]string{"genesis block of regtest"}, cli.ExitUnreadable},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect(t, c.status, c.words, "", "check", good.nodeOf(t, c.file))
		})
	}
	expect(t, cli.ExitUnreadable, []string{"--network mainnet", "regtest"}, "", "check", "--network",
		"mainnet", good.node(t))
	expect(t, cli.ExitOK, nil, "", "check", "--network", "regtest", good.node(t))
}

// TestHiddenInEvents checks the counts of valid, invalid, malformed and skipped values for lines
// that hide events in other messages, including messages that NIP-01 does not define.
func TestHiddenInEvents(t *testing.T) {
	good := commandtest.SignedEvent(t, 1, "hello")
	bad := strings.Replace(good, "hello", "hullo", 1)
	for _, c := range []struct {
		line                              string
		valid, invalid, malformed, passed int64
	}{
		{good, 1, 0, 0, 0},
		{bad, 0, 1, 0, 0},
		{`["AUTH",` + good + `]`, 1, 0, 0, 0},
		{`["AUTH",` + bad + `]`, 0, 1, 0, 0},
		{`["AUTH","challenge"]`, 0, 0, 0, 1},
		{`["AUTH","challenge",` + bad + `]`, 0, 0, 1, 0},
		{`["FOO","x"]`, 0, 0, 0, 1},
		{`["FOO","x",{"ids":["sig"]}]`, 0, 0, 0, 1},
		{`["FOO","x",` + bad + `]`, 0, 0, 1, 0},
		{`["FOO","x",{"a":[[` + bad + `]]}]`, 0, 0, 1, 0},
		{`["FOO",{"\u0073ig":""}]`, 0, 0, 1, 0},
		{`["FOO",{"Sig":""}]`, 0, 0, 1, 0},
		{`["event",` + good + `]`, 0, 0, 1, 0},
		{`["OK","id",true,"",{"x":1,"sig":""}]`, 0, 0, 1, 0},
		{`["COUNT","x",{"count":` + bad + `}]`, 0, 0, 1, 0},
		{`["REQ","x",{"kinds":[1],"more":` + bad + `}]`, 0, 0, 1, 0},
		{`[` + good + `,` + bad + `]`, 1, 1, 0, 0},
		{`[[` + bad + `]]`, 0, 1, 0, 0},
		{`[[[["EVENT","x",` + bad + `],["EOSE","x"]],` + good + `],["AUTH",` + bad + `]]`, 1, 2, 0, 1},
		{`[5,` + bad + `]`, 0, 1, 1, 0},
		{`[` + bad + `,{},[],"x",` + good + `]`, 1, 1, 3, 0},
		{`[` + bad + `,` + good, 0, 0, 1, 0},
		{`[` + bad + `,` + good + `] 5`, 0, 0, 1, 0},
		{`["EVENT","s",` + good + `,` + bad + `]`, 0, 0, 1, 0},
		{`["EOSE","x"]`, 0, 0, 0, 1},
		{`["REQ","x",{"kinds":[1],"ids":["00"]}]`, 0, 0, 0, 1},
		{`["AUTH",` + strings.Replace(good, `"sig"`, `"s1g"`, 1) + `]`, 0, 0, 1, 0},
		{`["REQ","x",{"Kinds":[1]}]`, 0, 0, 0, 1},
		{`["AUTH",` + strings.Replace(bad, `"sig"`, `"\u0073ig"`, 1) + `]`, 0, 1, 0, 0},
		{strings.Replace(good, `"kind"`, `"other":`+bad+`,"kind"`, 1), 1, 0, 0, 0},
		{strings.Replace(good, `"kind"`, `"Content":"hullo","kind"`, 1), 0, 0, 1, 0},
		{`{"event":` + bad + `}`, 0, 0, 1, 0}, // counted as one malformed value
		{`[]`, 0, 0, 1, 0},
	} {
		r := checkJSON(t, c.line+"\n", "--format", "nostr", "-")
		if r.Valid != c.valid || r.Invalid != c.invalid || r.Malformed != c.malformed ||
			r.PassedOver != c.passed {
			t.Errorf("%s: %+v", c.line, r)
		}
		if bad := c.invalid+c.malformed > 0; bad != (r.Exit == cli.ExitInvalid) {
			t.Errorf("%s: exit %d", c.line, r.Exit)
		}
	}
}

// TestNothingToCheck checks that empty input does not get exit status 0.
func TestNothingToCheck(t *testing.T) {
	for _, format := range flags.Formats {
		for _, text := range []string{"", "\n", " \r\n\t\n"} {
			if strings.HasPrefix(string(format.Name), "packed") && text != "" {
				continue // this text is a truncated row
			}
			r := checkJSON(t, text, formatArgs(string(format.Name))...)
			if r.Exit != cli.ExitUnreadable || len(r.Unreadable) != 1 || r.Rows != 0 {
				t.Errorf("%s, %q: %+v", format.Name, text, r)
			}
		}
	}
}

// TestHiddenInEthereum checks that bad signatures hidden in Ethereum blocks in JSON are found.
func TestHiddenInEthereum(t *testing.T) {
	answer := readFile(t, gethFile(t, "internal", "ethapi", "testdata",
		"eth_getBlockByHash-hash-latest-1-fullTx.json"))
	var block struct{ Transactions []json.RawMessage }
	if err := json.Unmarshal([]byte(answer), &block); err != nil {
		t.Fatal(err)
	}
	tx := string(block.Transactions[0])
	root := `"transactionsRoot": "0x0767ed8359337dc6a8fdc77fe52db611bed1be87aac73c4556b1bf1dd3d190a5"`
	for _, c := range []struct {
		name, text, words string
		status            int
	}{
		{"nothing", answer, "valid          1\n", cli.ExitOK},
		{"the transaction left out", edit(t, answer, tx, ""), "transactionsRoot", cli.ExitInvalid},
		{"the transaction twice", edit(t, answer, tx, tx+","+tx), "transactionsRoot", cli.ExitInvalid},
		{"two lists", edit(t, answer, root, root+`, "transactions": []`),
			`"transactions" comes a second time`, cli.ExitUnreadable},
		{"another case", edit(t, answer, root, root+`, "Transactions": []`), `"Transactions"`,
			cli.ExitUnreadable},
		{"a field twice", edit(t, answer, `"gas": "0x5208"`, `"gas": "0x1", "gas": "0x5208"`),
			`"gas" comes a second time`, cli.ExitInvalid},
		{"a field twice in another case", edit(t, answer, `"gas": "0x5208"`,
			`"Gas": "0x1", "gas": "0x5208"`), `"Gas"`, cli.ExitInvalid},
		{"another gas", edit(t, answer, `"gasUsed": "0x5208"`, `"gasUsed": "0x5209"`), `"hash"`,
			cli.ExitInvalid},
		{"a slot that is no number, and a field before it left out", edit(t, answer, root,
			`"slotNumber": "0x`+strings.Repeat("f86c", 60)+`", `+root), `"slotNumber" of the block: not a`,
			cli.ExitInvalid},
		{"another time", strings.Replace(answer, `"timestamp": "0x5a"`, `"timestamp": "0x5b"`, 1),
			`"hash"`, cli.ExitInvalid},
		{"another place", edit(t, answer, `"transactionIndex": "0x0"`, `"transactionIndex": "0x1"`),
			`"transactionIndex"`, cli.ExitInvalid},
		{"another number", edit(t, answer, `"blockNumber": "0x9"`, `"blockNumber": "0x8"`),
			`"blockNumber"`, cli.ExitInvalid},
		{"another block", strings.Replace(answer, `"blockHash": "0x7`, `"blockHash": "0x8`, 1),
			`"blockHash"`, cli.ExitInvalid},
		{"another block, which does not name its hash", edit(t, strings.Replace(answer,
			`"blockHash": "0x7`, `"blockHash": "0x8`, 1), `"hash": "0x7`, `"totalDifficulty": "0x7`),
			`"blockHash"`, cli.ExitInvalid},
		{"in another answer", `[` + answer + `, {"result": ` + tx + `}]`, "no block", cli.ExitUnreadable},
		{"as an answer", `[` + answer + `, {"result": "0x` + strings.Repeat("ab", 100) + `"}]`,
			"where a block is wanted", cli.ExitUnreadable},
		{"as a parameter", `[` + answer + `, {"method": "eth_sendRawTransaction", "params": ["0x` +
			strings.Repeat("ab", 100) + `"]}]`, "is a field of the beacon", cli.ExitUnreadable},
		{"another answer", `[` + answer + `, {"result": "0x1"}, {"result": null}]`, "passed over    2\n",
			cli.ExitOK},
		{"beside an event", `[` + answer + `, {"id": "", "pubkey": "", "sig": ""}]`, "no block",
			cli.ExitUnreadable},
		{"beside a header", `[` + answer + `, {"stateRoot": "0x` + strings.Repeat("ab", 32) + `"}]`,
			"no block", cli.ExitUnreadable},
		{"a transaction of a type that has no signature", edit(t, answer, `"type": "0x0"`,
			`"type": "0x7e"`), "type 126", cli.ExitNotCheckable},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect(t, c.status, []string{c.words}, c.text, "check", "--network", "1337", "-")
		})
	}
}

// TestHiddenInExport checks that bad signatures hidden in Ethereum blocks in RLP are found.
func TestHiddenInExport(t *testing.T) {
	chain := rlp.NewStream(strings.NewReader(readFile(t, gethFile(t, "cmd", "devp2p",
		"internal", "ethtest", "testdata", "chain.rlp"))), 0)
	var block *types.Block
	for block == nil || len(block.Transactions()) < 2 || block.Withdrawals() == nil {
		block = new(types.Block)
		if err := chain.Decode(block); err != nil {
			t.Fatal(err)
		}
	}
	export := func(change func(*types.Body)) string {
		body := *block.Body()
		body.Transactions = slices.Clone(body.Transactions)
		change(&body)
		changed := types.NewBlockWithHeader(block.Header()).WithBody(body)
		return string(clitest.Must(rlp.EncodeToBytes(changed)))
	}
	txs := block.Transactions()
	for _, c := range []struct {
		name, words string
		change      func(*types.Body)
		status      int
	}{
		{"nothing", fmt.Sprintf("recovered      %d\n", len(txs)), func(*types.Body) {}, cli.ExitOK},
		{"all left out", "transactionsRoot", func(b *types.Body) { b.Transactions = nil },
			cli.ExitInvalid},
		{"one left out", "transactionsRoot", func(b *types.Body) { b.Transactions = b.Transactions[1:] },
			cli.ExitInvalid},
		{"one twice", "transactionsRoot", func(b *types.Body) {
			b.Transactions = append(b.Transactions, txs[0])
		}, cli.ExitInvalid},
		{"two swapped", "transactionsRoot", func(b *types.Body) {
			b.Transactions[0], b.Transactions[1] = txs[1], txs[0]
		}, cli.ExitInvalid},
		{"another withdrawal", "withdrawalsRoot",
			func(b *types.Body) { b.Withdrawals = append(types.Withdrawals{{Index: 99}}, b.Withdrawals...) },
			cli.ExitInvalid},
		{"an uncle", "sha3Uncles", func(b *types.Body) { b.Uncles = []*types.Header{block.Header()} },
			cli.ExitInvalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect(t, c.status, []string{c.words}, export(c.change), "check", "--network",
				"3503995874084926", "-")
		})
	}
}

func hash256(b []byte) []byte {
	once := sha256.Sum256(b)
	twice := sha256.Sum256(once[:])
	return twice[:]
}

func stripped(tx *wire.MsgTx) *wire.MsgTx {
	c := tx.Copy()
	for _, in := range c.TxIn {
		in.Witness = nil
	}
	c.TxOut = c.TxOut[:len(c.TxOut)-1]
	return c
}
