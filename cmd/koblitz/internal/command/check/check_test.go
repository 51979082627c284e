package check

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/sample"
)

func TestSample(t *testing.T) {
	r := checkJSON(t, "", "--sample")
	if r.numbers() != [9]int64{732, 732} || r.Exit != cli.ExitOK || len(r.Failures) != 0 ||
		r.Files != 1 {
		t.Errorf("%+v", r)
	}
	stdout, stderr := expect(t, cli.ExitOK, nil, "", "check", "--sample")
	const want = "file           277647.block.gz (bitcoin-block, gzip, 112416 bytes)\n" +
		"with           277647.block.spent.gz (gzip, 10584 bytes)\n" +
		"chain          bitcoin mainnet: 1 block, 277647, tip " +
		"0000000000000000054a714e580b16c583701712ab91060e92dbde6eb1e052a8\n" +
		"rows           732\nvalid          732\ntime \nrate \nrun \n"
	varies := regexp.MustCompile(`(?m)^(time|rate|run) .*`)
	if got := varies.ReplaceAllString(stdout, "$1 "); got != want || stderr != "" {
		t.Errorf("%q, want %q\n%s", got, want, stderr)
	}
}

// TestRealFiles checks that the command reports the right counts for real blocks, events and
// transactions in every format that can hold them.
func TestRealFiles(t *testing.T) {
	events, err := os.ReadFile(nostrFile(t))
	if err != nil {
		t.Fatal(err)
	}
	block, spent := sampleFiles(t)
	raw := bitcointest.Unpack(t, sample.Block)
	rawDir := t.TempDir()
	plain := write(t, filepath.Join(rawDir, "b"), raw)
	digits := write(t, filepath.Join(rawDir, "hex"), fmt.Appendf(nil, "%x\n", raw))
	plainSpent := write(t, filepath.Join(rawDir, "outputs"), bitcointest.Unpack(t, sample.Spent))
	zstdSpent := write(t, filepath.Join(rawDir, "outputs.zst"), zstded(t, bitcointest.Unpack(t,
		sample.Spent)))

	nostr := [9]int64{537, 532, 0, 5, 0, 0, 1}
	whole := [9]int64{732, 732}
	for _, test := range []struct {
		name   string
		stdin  []byte
		args   []string
		want   [9]int64
		status int
	}{
		{"nostr", nil, []string{nostrFile(t)}, nostr, cli.ExitInvalid},
		{"nostr from stdin", events, []string{"-"}, nostr, cli.ExitInvalid},
		{"nostr, gzip", commandtest.Gzipped(t, events), []string{"-"}, nostr, cli.ExitInvalid},
		{"nostr, zstd", zstded(t, events), []string{"-"}, nostr, cli.ExitInvalid},
		{"nostr by name", events, []string{"--format", "nostr", "-"}, nostr, cli.ExitInvalid},
		{"raw block, packed", nil, []string{"--spent", spent, block}, whole, cli.ExitOK},
		{"raw block", nil, []string{"--spent", plainSpent, plain}, whole, cli.ExitOK},
		{"raw block by name", nil, []string{"--format", "bitcoin-block", "--spent", spent, plain},
			whole, cli.ExitOK},
		{"raw block, bitcoin", nil, []string{"--format", "bitcoin", "--spent", spent, plain}, whole,
			cli.ExitOK},
		{"hex block, spent packed", nil, []string{"--spent", zstdSpent, digits}, whole, cli.ExitOK},
		{"raw block from stdin", raw, []string{"--spent", spent, "-"}, whole, cli.ExitOK},
		{"spent from stdin", bitcointest.Unpack(t, sample.Spent), []string{"--spent", "-", block}, whole,
			cli.ExitOK},
		{"two files", nil, []string{mainnetBlock(18189758), nostrFile(t)},
			[9]int64{537 + 100, 532, 0, 5, 0, 0, 1, 100}, cli.ExitInvalid},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := checkJSON(t, string(test.stdin), test.args...)
			if r.numbers() != test.want || r.Exit != test.status || len(r.Unreadable) != 0 {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestNostrFailures(t *testing.T) {
	r := checkJSON(t, "", nostrFile(t))
	var lines []int
	for _, f := range r.Failures {
		lines = append(lines, f.Line)
		if f.Verdict != "malformed" || f.Reason == "" || f.File != nostrFile(t) || f.Row != nil ||
			f.Offset != nil || f.Block != nil || f.Input != nil {
			t.Errorf("%+v", f)
		}
	}
	if want := []int{330, 331, 332, 504, 505}; !slices.Equal(lines, want) {
		t.Errorf("lines %v, want %v", lines, want)
	}
}

// TestWorkers checks that the report does not depend on the number of workers.
func TestWorkers(t *testing.T) {
	block, _ := sampleFiles(t)
	files := []string{nostrFile(t), block, write(t, "rows", corruptRows(t))}
	for i, file := range files {
		for k, json := range []bool{false, true} {
			if (i+k)%oneIn(2) != 0 {
				continue
			}
			args := []string{"check", "--max-failures", "10000", file}
			if json {
				args = append(args, "--json")
			}
			if i == 2 {
				args = append(args, "--format", "packed-bip340")
			}
			status, want, _ := invoke(t, "", append(args, "--workers", "1")...)
			for _, n := range []string{"4", "13"} {
				s, got, _ := invoke(t, "", append(args, "--workers", n)...)
				if s != status || clitest.WithoutTime(got) != clitest.WithoutTime(want) {
					t.Errorf("%s, %s workers: status %d and %d, other report", file, n, s, status)
				}
			}
			s, got, _ := invoke(t, "", append(args, "--one-by-one")...)
			if s != status || clitest.WithoutTime(got) != clitest.WithoutTime(want) {
				t.Errorf("%s, one by one: status %d and %d, other report", file, s, status)
			}
			if len(want) < 50 {
				t.Errorf("%s: %q", file, want)
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
	for limit, listed := range map[string]int{"0": 0, "1": 1, "100": 100, "": 100, "10000": bad} {
		args := []string{"--format", "packed-bip340", file}
		if limit != "" {
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

// TestBadInputs checks that the error for a bad input states the position in the input, and that
// the rows before it are reported.
func TestBadInputs(t *testing.T) {
	dir, empty := t.TempDir(), t.TempDir()
	file := func(name string, data []byte) string {
		return write(t, filepath.Join(dir, name), data)
	}
	events, err := os.ReadFile(nostrFile(t))
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.Join(bytes.SplitAfter(events, []byte("\n"))[:20], nil)
	lines := bytes.SplitAfter(first, []byte("\n"))
	seven := bytes.Join(slices.Concat(lines[:6], [][]byte{[]byte("{\"id\":tru\n")}, lines[7:]), nil)
	rows := bytes.Repeat(commandtest.BIP340Row(t, 1), 1500)
	_, spent := sampleFiles(t)
	raw, rawSpent := bitcointest.Unpack(t, sample.Block), bitcointest.Unpack(t, sample.Spent)
	file("block.spent", rawSpent)
	file("short.spent", rawSpent)
	file("wrong.spent", append([]byte{rawSpent[0] ^ 1}, rawSpent[1:]...))
	file("cut.spent", rawSpent[:len(rawSpent)/2])
	file("nospent", raw)
	packedFirst := commandtest.Gzipped(t, first)

	for _, test := range []struct {
		name   string
		args   []string
		status int
		rows   int64 // number of rows that were checked before the error
		words  []string
	}{
		{"missing", []string{filepath.Join(dir, "nobody")}, cli.ExitUnreadable, 0,
			[]string{"nobody: no such file"}},
		{"directory", []string{empty}, cli.ExitUnreadable, 0,
			[]string{empty + ": there is no file in this folder"}},
		{"empty", []string{file("empty", nil)}, cli.ExitUnreadable, 0,
			[]string{"empty: the file is empty"}},
		{"no format", []string{file("noise", []byte("just some text\n"))}, cli.ExitUnreadable, 0,
			[]string{"noise: the format is not recognized", "--format"}},
		{"binary noise", []string{file("rows", rows)}, cli.ExitUnreadable, 0,
			[]string{"rows: the format is not recognized", "packed rows"}},
		{"no block", []string{"--format", "bitcoin", file("nostr", first)}, cli.ExitUnreadable, 0,
			[]string{"nostr: neither a block"}},
		{"missing among others", []string{file("a", first), filepath.Join(dir, "nobody"),
			file("b", first)}, cli.ExitUnreadable, 40, []string{"nobody: no such file"}},
		{"bad JSON on line 7", []string{file("seven", seven)}, cli.ExitInvalid, 20,
			[]string{"seven:7: malformed: column 7: id: expected a string"}},
		{"events cut in a line", []string{file("cutline", first[:len(first)-100])}, cli.ExitInvalid, 20,
			[]string{"cutline:20:", "malformed: column", "ends too early"}},
		{"gzip cut", []string{file("cut.gz", packedFirst[:len(packedFirst)/2])}, cli.ExitUnreadable, -1,
			[]string{"cut.gz:", "gzip: the compressed stream is truncated"}},
		{"gzip cut early", []string{file("tiny.gz", packedFirst[:12])}, cli.ExitUnreadable, 0,
			[]string{"tiny.gz:", "truncated"}},
		{"not gzip", []string{"--compression", "gzip", file("plain", first)}, cli.ExitUnreadable, 0,
			[]string{"plain: as gzip:"}},
		{"rows cut", []string{"--format", "packed-bip340", file("cut", rows[:len(rows)-5])},
			cli.ExitUnreadable, 1499,
			[]string{"cut: at byte 191995: the file ends inside row 1499, after 123 of its 128 bytes"}},
		{"other rows", []string{"--format", "packed-ecdsa", "--max-failures", "1", file("other", rows)},
			cli.ExitInvalid, 1488, []string{"inside row 1488, after 48 of its 129 bytes"}},
		{"spent alone", []string{spent}, cli.ExitUnreadable, 0, []string{"the format is not recognized"}},
		{"block cut", []string{"--spent", filepath.Join(dir, "short.spent"),
			file("short", raw[:len(raw)/2])}, cli.ExitUnreadable, -1, []string{"short: at byte"}},
		{"hex block cut", []string{"--spent", filepath.Join(dir, "short.spent"), file("hexcut",
			fmt.Appendf(nil, "%x", raw)[:len(raw)+1])}, cli.ExitUnreadable, -1, []string{"hexcut: byte"}},
		{"spent of another block", []string{"--spent", filepath.Join(dir, "wrong.spent"),
			file("wrong", raw)}, cli.ExitUnreadable, 0, []string{"wrong.spent: at byte"}},
		{"spent cut", []string{"--spent", filepath.Join(dir, "cut.spent"), file("block", raw)},
			cli.ExitUnreadable, -1, []string{"cut.spent: at byte", "bytes left can hold"}},
		{"spent missing", []string{"--spent", filepath.Join(dir, "nobody"), filepath.Join(dir, "block")},
			cli.ExitUnreadable, 0, []string{"nobody: no such file"}},
		{"spent is a directory", []string{"--spent", dir, filepath.Join(dir, "block")},
			cli.ExitUnreadable, 0, []string{"is a directory"}},
		{"spent for events", []string{"--spent", filepath.Join(dir, "block.spent"), file("ev", first)},
			cli.ExitUnreadable, 0, []string{"ev: --spent goes with a serialized block"}},
		{"no spent", []string{filepath.Join(dir, "nospent")}, cli.ExitNotCheckable, 63,
			[]string{"not checkable", "no file of spent outputs"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			expect(t, test.status, test.words, "", append([]string{"check"}, test.args...)...)
			r := checkJSON(t, "", test.args...)
			if r.Exit != test.status || test.rows >= 0 && r.Rows != test.rows || test.rows < 0 &&
				r.Rows == 0 {
				t.Errorf("%+v", r)
			}
			if bad := r.Invalid+r.Malformed > 0; bad != (test.status == cli.ExitInvalid) {
				t.Errorf("%+v", r.summary)
			}
		})
	}
}

// TestPrecedence checks the exit status of a run with both invalid rows and unreadable inputs. It
// must be the one for invalid rows.
func TestPrecedence(t *testing.T) {
	row := commandtest.BIP340Row(t, 1)
	bad := slices.Clone(row)
	bad[0] ^= 1
	alone := write(t, "block", bitcointest.Unpack(t, sample.Block))
	missing := filepath.Join(t.TempDir(), "nobody")
	malformed := "[\"EVENT\"\n" // counted as one malformed line
	for _, test := range []struct {
		args []string
		want int
	}{
		{[]string{alone}, cli.ExitNotCheckable},
		{[]string{alone, missing}, cli.ExitUnreadable},
		{[]string{alone, missing, "-"}, cli.ExitInvalid},
		{[]string{missing, "-"}, cli.ExitInvalid},
		{[]string{alone, "-"}, cli.ExitInvalid},
	} {
		expect(t, test.want, nil, malformed, append([]string{"check"}, test.args...)...)
	}
}

func zstded(t testing.TB, data []byte) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	return z.EncodeAll(data, nil)
}
