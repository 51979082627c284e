package check

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/sample"
)

// These files hold a chain of three blocks on regtest, which btcd has made: the genesis block, a
// block whose coinbase pays to three keys with different script types, and a block with a
// transaction that spends these outputs.
var (
	// All three blocks as in blk00000.dat, and their undo records.
	regtestBlk = testdata("inputs", "bitcoin-blk-1")
	regtestRev = testdata("hostile", "bitcoin-core-001", "rev00000.dat")
	// The last block as getblock prints it, and the outputs that it spends.
	regtestJSON  = testdata("inputs", "bitcoin-json-3")
	regtestSpent = testdata("hostile", "bitcoin-block-007.spent")
)

func testdata(path ...string) string {
	return filepath.Join(append([]string{commandtest.Module, "testdata"}, path...)...)
}

// regtestBlocks returns the blocks of the chain, and the records of them in blk00000.dat.
func regtestBlocks(t testing.TB) (blocks, records [][]byte) {
	t.Helper()
	for rest := []byte(readFile(t, regtestBlk)); len(rest) > 0; {
		end := 8 + binary.LittleEndian.Uint32(rest[4:])
		blocks, records = append(blocks, rest[8:end]), append(records, rest[:end])
		rest = rest[end:]
	}
	return blocks, records
}

// sampleAsGetBlock returns the sample block in the form in which Bitcoin Core's "getblock HASH 3"
// prints it, with only the fields that the reader uses.
func sampleAsGetBlock(t testing.TB) []byte {
	t.Helper()
	var block wire.MsgBlock
	clitest.Must(0, block.Deserialize(bytes.NewReader(bitcointest.Unpack(t, sample.Block))))
	spent := bitcointest.SpentOutputs(t, bitcointest.Unpack(t, sample.Spent))
	return commandtest.GetBlock(t, &block, 277647, spent)
}

// transactions returns the transactions of a block in JSON.
func transactions(t testing.TB, block string) (list []string) {
	t.Helper()
	var parsed struct{ Tx, Transactions []json.RawMessage }
	clitest.Must(0, json.Unmarshal([]byte(block), &parsed))
	for _, tx := range append(parsed.Tx, parsed.Transactions...) {
		list = append(list, string(tx))
	}
	return list
}

// TestNetworkNumbers checks that only its name selects a Bitcoin network, and no number.
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
