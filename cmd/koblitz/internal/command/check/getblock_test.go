package check

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/sample"
)

// sampleAsGetBlock returns the sample block in the form in which Bitcoin Core's "getblock HASH 3"
// prints it, with only the fields that the reader uses.
func sampleAsGetBlock(t testing.TB) []byte {
	t.Helper()
	var block wire.MsgBlock
	if err := block.Deserialize(bytes.NewReader(bitcointest.Unpack(t, sample.Block))); err != nil {
		t.Fatal(err)
	}
	spent := bitcointest.SpentOutputs(t, bitcointest.Unpack(t, sample.Spent))
	return commandtest.GetBlock(t, &block, 277647, spent)
}

// TestTransactionsJSON checks that the command check finds all signatures of the sample block valid
// if its transactions are in the form in which getrawtransaction prints them.
func TestTransactionsJSON(t *testing.T) {
	var block struct{ Tx []json.RawMessage }
	if err := json.Unmarshal(sampleAsGetBlock(t), &block); err != nil {
		t.Fatal(err)
	}
	text := string(bytes.Join(raw(block.Tx), []byte("\n")))
	for _, args := range [][]string{{}, {"--format", "bitcoin"}, {"--format", "bitcoin-tx"}} {
		r := checkJSON(t, text, append(args, "-")...)
		if r.numbers() != [9]int64{732, 732, 6: 1} || r.Exit != cli.ExitOK ||
			r.Formats[0] != "bitcoin-tx" {
			t.Errorf("%v: %+v", args, r)
		}
	}
	expect(t, cli.ExitUnreadable, []string{"is another chain's"}, text, "check", "--network",
		"sepolia", "-")
}

// TestNetworkNumbers checks that no number is taken for a network of Bitcoin, nor any text but its
// name.
func TestNetworkNumbers(t *testing.T) {
	file := write(t, "block.json", sampleAsGetBlock(t))
	for status, names := range map[int][]string{
		cli.ExitOK: {"mainnet"},
		cli.ExitUsage: {"", " ", "mainnet ", "Mainnet", "-1", "0", "1.0", "+1", "1e0", "0x1", "1_0",
			"none", "no network", "18446744073709551616", "-9223372036854775808", "-2147483648"},
		cli.ExitUnreadable: {"1", "01", "5", "255", "256", "2147483648", "18446744073709551615",
			"sepolia", "regtest"},
	} {
		for _, name := range names {
			got, stdout, stderr := invoke(t, "", "check", "--network="+name, file)
			if got != status || status == cli.ExitUsage && stdout != "" {
				t.Errorf("--network=%q: status %d, want %d\n%s%s", name, got, status, stdout, stderr)
			}
		}
	}
}

// raw converts the values to byte slices.
func raw(values []json.RawMessage) (texts [][]byte) {
	for _, v := range values {
		texts = append(texts, v)
	}
	return texts
}

func TestGetBlockJSON(t *testing.T) {
	text := sampleAsGetBlock(t)
	file := write(t, "block.json", text)
	for _, args := range [][]string{{file}, {"--format", "bitcoin", file}, {"--format", "bitcoin-json",
		file}, {write(t, "block.json.gz", commandtest.Gzipped(t, text))}} {
		if r := checkJSON(t, "", args...); r.numbers() != [9]int64{732, 732} || r.Exit != cli.ExitOK ||
			r.Formats[0] != "bitcoin-json" {
			t.Errorf("%v: %+v", args, r)
		}
	}

	// The text is cut in the middle. The complete transactions must be checked, and the error must
	// state the position.
	cut := write(t, "cut.json", text[:len(text)/2])
	stdout, stderr := expect(t, cli.ExitUnreadable,
		[]string{"cut.json:2: the file ends in the middle " + "of a block"}, "", "check", cut)
	if r := checkJSON(t, "", cut); r.Valid < 100 || r.Valid != r.Rows || len(r.Unreadable) != 1 {
		t.Errorf("%+v\n%s%s", r, stdout, stderr)
	}

	// In this copy of the text, one digit of a signature is changed.
	s := string(text)
	at := strings.Index(s, `"scriptSig":{"hex":"48304`)
	if at < 0 {
		t.Fatal("no signature found")
	}
	at += 60
	digit := byte('5')
	if s[at] == digit {
		digit = '7'
	}
	r := checkJSON(t, s[:at]+string(digit)+s[at+1:], "-")
	if len(r.Failures) != 3 || r.Failures[0].Kind != "transaction" || r.Failures[2].Kind != "block" {
		t.Fatalf("%+v", r)
	}
	last := r.Failures[1]
	if r.Valid != 731 || r.Exit != cli.ExitInvalid || len(last.Tx) != 64 || last.Input == nil ||
		*last.Block != 277647 || last.Line != 2 {
		t.Errorf("%+v", r)
	}
}
