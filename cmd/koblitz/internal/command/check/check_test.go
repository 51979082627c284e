package check

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/sample"
)

// TestRealFiles checks that the command reports the right counts for real blocks, events and
// transactions, whose formats it finds by content. testdata/inputs has more of them.
func TestRealFiles(t *testing.T) {
	zstdSpent := write(t, "outputs.zst", zstded(t, bitcointest.Unpack(t, sample.Spent)))
	events := readFile(t, nostrFile(t))
	txs := strings.Join(transactions(t, string(sampleAsGetBlock(t))), "\n")
	for _, test := range []struct {
		name   string
		stdin  string
		args   []string
		want   [9]int64
		format string
	}{
		{"nostr", events, []string{"-"}, [9]int64{537, 532, 0, 5, 0, 0, 1}, "nostr"},
		{"hex block", fmt.Sprintf("%x\n", bitcointest.Unpack(t, sample.Block)), []string{"--format",
			"bitcoin", "--spent", zstdSpent, "-"}, [9]int64{732, 732}, "bitcoin-block"},
		{"getrawtransaction", txs, []string{"--format", "bitcoin", "-"},
			[9]int64{732, 732, 6: 1}, "bitcoin-tx"},
		{"a transaction that is longer than what decides on the format", strings.Replace(transactions(t,
			readFile(t, ethereumAnswer(t)))[0], `"nonce"`, `"other":"`+strings.Repeat("0", 70000)+
			`","nonce"`, 1), []string{"--network", "1337", "-"}, [9]int64{1, 1}, "ethereum-tx"},
		{"two files", "", []string{mainnetBlock(18189758), nostrFile(t)},
			[9]int64{537 + 100, 532, 0, 5, 0, 0, 1, 100}, "ethereum-rlp"},
	} {
		r := checkJSON(t, test.stdin, test.args...)
		if r.numbers() != test.want || (r.Exit == cli.ExitOK) != (test.want[3] == 0) ||
			len(r.Unreadable) != 0 || r.Formats[0] != test.format {
			t.Errorf("%s: %+v", test.name, r)
		}
	}
}

// TestWorkers checks that the report does not depend on the number of workers.
func TestWorkers(t *testing.T) {
	block, _ := sampleFiles(t)
	for _, args := range [][]string{{nostrFile(t)}, {block, "--json"},
		{mainnetBlock(19431837), "--senders"},
		{"--format", "packed-bip340", write(t, "rows", corruptRows(t))}} {
		args := append([]string{"check", "--max-failures", "10000"}, args...)
		status, want, _ := invoke(t, "", append(args, "--workers", "1")...)
		for _, how := range []string{"--workers=4", "--workers=13", "--one-by-one"} {
			s, got, _ := invoke(t, "", append(args, how)...)
			if s != status || clitest.WithoutTime(got) != clitest.WithoutTime(want) || len(want) < 50 {
				t.Errorf("%q, %s: status %d and %d, other report", args, how, s, status)
			}
		}
	}
}

const corruptCount = 2500 // fills more than two batches

// corruptRows returns BIP-340 rows. Every seventh row has a wrong signature.
func corruptRows(t testing.TB) []byte {
	row := commandtest.BIP340Row(t, 1)
	rows := bytes.Repeat(row, corruptCount)
	for i := 0; i < corruptCount; i += 7 {
		rows[i*len(row)+i%len(row)] ^= 1
	}
	return rows
}

func TestMaxFailures(t *testing.T) {
	file := write(t, "rows", corruptRows(t))
	const bad = (corruptCount + 6) / 7
	for limit, listed := range map[string]int{"0": 0, "1": 1, "100": 100, "10000": bad} {
		args := []string{"--format", "packed-bip340", file}
		if limit != "100" { // that is the default
			args = append(args, "--max-failures", limit)
		}
		r := checkJSON(t, "", args...)
		if len(r.Failures) != listed || r.Invalid+r.Malformed != bad || r.Unlisted != int64(bad-listed) ||
			r.Rows != corruptCount {
			t.Errorf("limit %q: %d listed, %d bad", limit, len(r.Failures), r.Invalid+r.Malformed)
		}
		stdout, _ := expect(t, cli.ExitInvalid, nil, "", append([]string{"check"}, args...)...)
		if n := strings.Count(stdout, "rows: row "); n != listed {
			t.Errorf("limit %q: %d lines", limit, n)
		}
		if has := strings.Contains(stdout, fmt.Sprintf("… and %d more", bad-listed)); has !=
			(listed < bad) {
			t.Errorf("limit %q: 'and more' is there: %v", limit, has)
		}
	}
}

// TestBadInputs checks the errors for inputs that cannot be read, or not with the flags, and that
// other inputs are reported.
func TestBadInputs(t *testing.T) {
	dir, empty := t.TempDir(), t.TempDir()
	lines := strings.SplitAfter(readFile(t, nostrFile(t)), "\n")[:20]
	for name, data := range map[string][]byte{"events": []byte(strings.Join(lines, "")),
		"block": bitcointest.Unpack(t, sample.Block), "spent": bitcointest.Unpack(t, sample.Spent)} {
		write(t, filepath.Join(dir, name), data)
	}
	words := strings.NewReplacer("DIR", dir, "EMPTY", empty, "CORE", commandtest.CoreFolder,
		"RLP", mainnetBlock(18189758))
	for _, test := range []struct {
		args   string
		status int
		rows   int64 // number of rows that were checked before the error
		words  string
	}{
		{"EMPTY", cli.ExitUnreadable, 0, "EMPTY: there is no file in this folder"},
		{"DIR/events DIR/nobody DIR/events", cli.ExitUnreadable, 40, "nobody: no such file"},
		{"--compression gzip DIR/events", cli.ExitUnreadable, 0, "events: as gzip:"},
		{"--spent DIR/nobody DIR/block", cli.ExitUnreadable, 0, "nobody: no such file"},
		{"--spent DIR DIR/block", cli.ExitUnreadable, 0, "is a directory"},
		{"--spent DIR/spent DIR/events", cli.ExitUnreadable, 0,
			"events: --spent goes with a serialized block"},
		{"--spent DIR/spent CORE", cli.ExitUnreadable, 0, "core: --spent goes with a serialized block"},
		{"DIR/block", cli.ExitNotCheckable, 63, "no file of spent outputs"},
		{"CORE/rev00000.dat", cli.ExitUnreadable, 0,
			"a node's file, which is read together with others: name the folder, CORE\n"},
		{"--network testnet3 RLP", cli.ExitUnreadable, 0,
			"this is ethereum-rlp, and --network testnet3 is another chain's"},
		{"--network sepolia DIR/block", cli.ExitUnreadable, 0,
			"this is bitcoin-block, and --network sepolia is another chain's"},
	} {
		args := strings.Fields(words.Replace(test.args))
		expect(t, test.status, []string{words.Replace(test.words)}, "", append([]string{"check"},
			args...)...)
		r := checkJSON(t, "", args...)
		if r.Exit != test.status || r.Rows != test.rows || r.Invalid+r.Malformed > 0 {
			t.Errorf("%s: %+v", test.args, r)
		}
	}
}

// TestPackedCompression checks that packed rows are unpacked only if --compression says so, because
// they may begin with any bytes, and that each report names the compression.
func TestPackedCompression(t *testing.T) {
	row := commandtest.ECDSARow(t, 1)
	rows := bytes.Repeat(row, 5)
	args := []string{"check", "--format", "packed-ecdsa"}
	for compression, data := range map[string]string{"gzip": string(commandtest.Gzipped(t, rows)),
		"zstd": string(zstded(t, rows))} {
		padded := data + strings.Repeat("\x00", len(row)-len(data)%len(row))
		file := write(t, "rows", []byte(padded))
		expect(t, cli.ExitInvalid, []string{fmt.Sprintf("rows           %d\n", len(padded)/len(row))}, "",
			append(args, file)...)
		for _, in := range []string{write(t, "packed", []byte(data)), "-"} {
			_, stderr := expect(t, cli.ExitOK, []string{" (packed-ecdsa, " + compression + ", ",
				"valid          5\n"}, data, append(args, "--compression", compression, in)...)
			if stderr != "" {
				t.Errorf("%s: %s", compression, stderr)
			}
		}
	}
}

func zstded(t testing.TB, data []byte) []byte {
	t.Helper()
	z := clitest.Must(zstd.NewWriter(nil))
	defer z.Close()
	return z.EncodeAll(data, nil)
}
