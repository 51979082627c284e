package check

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
)

// Each test in this file hides bad signatures in different ways. The report must count each bad
// signature, or name the place where it is hidden. testdata/hostile has more of them.

// edit returns a copy of text in which the string replacement takes the place of the string old.
// The text must contain old exactly once.
func edit(t testing.TB, text, old, replacement string) string {
	t.Helper()
	if n := strings.Count(text, old); n != 1 {
		t.Fatalf("%q is there %d times", old, n)
	}
	return strings.Replace(text, old, replacement, 1)
}

// TestHiddenInJSON checks that bad signatures hidden in the JSON of nodes are found.
func TestHiddenInJSON(t *testing.T) {
	block := readFile(t, regtestJSON)
	tx := transactions(t, block)[1]
	vin := tx[strings.Index(tx, `{"txid":"`)+1:] // its second "txid" is that of the first input
	vin = vin[strings.Index(vin, `{"txid":"`):]
	vin = vin[:strings.Index(vin, `,"scriptSig"`)]
	hex := tx[strings.Index(tx, `"txinwitness":["`)+16:]
	hex = hex[:strings.Index(hex, `"`)]
	forged := strings.ReplaceAll(block, hex, spoilt(hex, "", 20))

	answer := readFile(t, ethereumAnswer(t))
	raw := `"0x` + strings.Repeat("ab", 100) + `"`
	for _, c := range []struct {
		name, text, words string
		status            int
	}{
		{"a bad signature", forged, "invalid        1\n", cli.ExitInvalid},
		{"a coinbase's field", edit(t, forged, vin, `{"coinbase":"00",`+vin[1:]),
			"not of the block's first transaction", cli.ExitInvalid},
		{"an empty coinbase's field", edit(t, forged, vin, `{"coinbase":"",`+vin[1:]),
			"not of the block's first transaction", cli.ExitInvalid},
		{"the transaction left out", edit(t, block, ","+tx, ""), "Merkle root", cli.ExitInvalid},
		{"all left out", block[:strings.Index(block, `"tx":[`)+6] + "]}", "without transactions",
			cli.ExitInvalid},
		{"the transaction twice", edit(t, block, tx, tx+","+tx), "Merkle root", cli.ExitInvalid},
		{"hex twice, good last", edit(t, block, `"fee"`, `"hex":"00","fee"`),
			`"hex" comes a second time`, cli.ExitInvalid},
		{"a letter that folds", edit(t, block, `"fee"`, "\"ſize\":1,\"fee\""),
			`"\u017fize" may be taken for "size"`, cli.ExitInvalid},
		{"another case of tx", edit(t, block, `"confirmations":1234`, `"TX":[]`), `"TX"`,
			cli.ExitUnreadable},
		{"the height twice", edit(t, block, `"confirmations":1234`, `"height":2`),
			`"height" comes a second time`, cli.ExitUnreadable},
		{"two lists", edit(t, block, `"tx":[`, `"tx":[],"tx":[`), `"tx" comes a second time`,
			cli.ExitUnreadable},
		{"a transaction for a block", `[` + block + `, ` + tx + `]`, `no "tx" in it`,
			cli.ExitUnreadable},
		{"two results", `{"result": ` + block + `, "result": null}`, `"result" comes a second time`,
			cli.ExitUnreadable},
		{"another witness in the fields", edit(t, block, `["`+hex, `["`+spoilt(hex, "", 20)),
			"hex and its other fields differ", cli.ExitInvalid},
		// the input is no longer called a coinbase but has the bytes of one
		{"no coinbase", edit(t, block, `{"coinbase":"5200"`, fmt.Sprintf(`{"txid":"%064d","vout":`+
			`4294967295,"scriptSig":{"hex":"5200"}`, 0)), "valid          3\n", cli.ExitOK},
		{"a spend instead of the coinbase", edit(t, block, `{"coinbase":"5200"`,
			`{"coinbase":"5200","vout":1`), "\"coinbase\" beside", cli.ExitInvalid},
		{"no nonce", edit(t, block, `"nonce"`, `"nonsense"`), "must stand before", cli.ExitUnreadable},

		{"nothing in Ethereum", answer, "valid          1\n", cli.ExitOK},
		{"another block, which does not name its hash", edit(t, strings.Replace(answer,
			`"blockHash": "0x7`, `"blockHash": "0x8`, 1), `"hash": "0x7`, `"totalDifficulty": "0x7`),
			`"blockHash"`, cli.ExitInvalid},
		{"as an answer", `[` + answer + `, {"result": ` + raw + `}]`, "where a block is wanted",
			cli.ExitUnreadable},
		{"as a parameter", `[` + answer + `, {"method": "eth_sendRawTransaction", "params": [` + raw +
			`]}]`, "is a field of the beacon", cli.ExitUnreadable},
		{"another answer", `[` + answer + `, {"result": "0x1"}, {"result": null}]`, "passed over    2\n",
			cli.ExitOK},
		{"beside an event", `[` + answer + `, {"id": "", "pubkey": "", "sig": ""}]`, "no block",
			cli.ExitUnreadable},
		{"beside a header", `[` + answer + `, {"stateRoot": "0x` + strings.Repeat("ab", 32) + `"}]`,
			"no block", cli.ExitUnreadable},
	} {
		network := "regtest"
		if strings.Contains(c.text, answer[:9]) {
			network = "1337"
		}
		t.Run(c.name, func(t *testing.T) {
			expect(t, c.status, []string{c.words}, c.text, "check", "--network", network, "-")
		})
	}
}

// TestHiddenInFolder checks that a bad signature in a second copy of a block is found, and that a
// chain has its network's first block.
func TestHiddenInFolder(t *testing.T) {
	_, records := regtestBlocks(t)
	again := bytes.Clone(records[2])
	again[len(again)-40] ^= 1 // in the signature of the last input
	whole := bytes.Join(records, nil)
	for _, c := range []struct {
		file   []byte
		status int
		words  []string
	}{
		{append(whole[:len(whole):len(whole)], records[2]...), cli.ExitOK,
			[]string{"valid          3\n", "passed over    1\n"}},
		{append(whole[:len(whole):len(whole)], again...), cli.ExitInvalid,
			[]string{"valid          3\n", "witness commitment"}},
		{whole[len(records[0]):], cli.ExitUnreadable, []string{"genesis block"}},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "blk00000.dat"), c.file)
		write(t, filepath.Join(dir, "rev00000.dat"), []byte(readFile(t, regtestRev)))
		expect(t, c.status, c.words, "", "check", dir)
	}
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
		{`[` + bad + `,` + good + `] 5`, 0, 0, 1, 0},
		{`["EOSE","x"]`, 0, 0, 0, 1},
		{`["REQ","x",{"kinds":[1],"ids":["00"]}]`, 0, 0, 0, 1},
		{`["AUTH",` + strings.Replace(bad, `"sig"`, `"\u0073ig"`, 1) + `]`, 0, 1, 0, 0},
		{strings.Replace(good, `"kind"`, `"other":`+bad+`,"kind"`, 1), 1, 0, 0, 0},
		{`{"event":` + bad + `}`, 0, 0, 1, 0}, // counted as one malformed value
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
