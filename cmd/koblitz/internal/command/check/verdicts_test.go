package check

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

func readVerdicts(t *testing.T, name string) (list []failure) {
	t.Helper()
	for line := range strings.Lines(readFile(t, name)) {
		var v failure
		clitest.Decode(t, line, &v)
		list = append(list, v)
	}
	return list
}

// listedSender matches a line of --senders.
var listedSender = regexp.MustCompile(`(?m): from (0x[0-9a-f]{40})$`)

// checkSenders returns the report of a check, and the rows of its verdicts that have a sender.
func checkSenders(t *testing.T, stdin string, args ...string) (r result, list []failure) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "v.jsonl")
	r = checkJSON(t, stdin, append([]string{"--verdicts", out}, args...)...)
	for _, v := range readVerdicts(t, out) {
		if v.Sender != "" {
			list = append(list, v)
		}
	}
	return r, list
}

// TestVerdicts checks that the verdict file has one row for each signature, in order, in every
// format. It also checks files that have only the failures.
func TestVerdicts(t *testing.T) {
	table := columnstest.Signed(t, reading.Recover, 1500)
	table[3].Values[700][3] ^= 1
	table[3].Values[900] = bytes.Repeat([]byte{0xff}, 65)
	tables := tableFiles(t, table)
	block, spent := sampleFiles(t)
	for name, args := range map[string][]string{
		"table": {"--columns", commandtest.TableArgs[reading.Recover], tables["bytes.parquet"],
			tables["hex.jsonl"]},
		"block": {"--spent", spent, block},
		"nostr": {nostrFile(t)},
	} {
		dir := t.TempDir()
		out := filepath.Join(dir, "v.jsonl")
		r := checkJSON(t, "", append(args, "--verdicts", out)...)
		list := readVerdicts(t, out)
		if int64(len(list)) != r.Rows {
			t.Fatalf("%s: %d verdicts, %d rows", name, len(list), r.Rows)
		}
		failed := []failure{}
		senders := map[string]int{}
		for _, v := range list {
			if v.Sender != "" {
				senders[v.Sender]++
			}
			if v.Verdict != "valid" {
				failed = append(failed, v)
			}
		}
		if fmt.Sprint(cli.JSONLine(failed)) != fmt.Sprint(cli.JSONLine(r.Failures)) {
			t.Errorf("%s: failures\n%s\nreport\n%s", name, cli.JSONLine(failed), cli.JSONLine(r.Failures))
		}
		stdout, _ := expect(t, r.Exit, nil, "", append([]string{"check", "--senders"}, args...)...)
		for _, m := range listedSender.FindAllStringSubmatch(stdout, -1) {
			senders[m[1]]--
		}
		for from, n := range senders {
			if n != 0 {
				t.Errorf("%s: sender %s %d times too often", name, from, n)
			}
		}
		few := filepath.Join(dir, "few.jsonl")
		checkJSON(t, "", append(args, "--verdicts", few, "--verdicts-only", "failures",
			"--max-failures", "0", "--one-by-one")...)
		if got := readVerdicts(t, few); len(got) != len(failed) {
			t.Errorf("%s: %d failures, want %d", name, len(got), len(failed))
		}
		// A CSV file has the same verdicts.
		table := filepath.Join(dir, "v.csv")
		checkJSON(t, "", append(args, "--verdicts", table)...)
		compareCSV(t, table, out)
		clitest.WantMode(t, table)
		if left, err := os.ReadDir(dir); err != nil || len(left) != 3 {
			t.Errorf("%s: %d files are left: %v", name, len(left), left)
		}
	}
}

// compareCSV checks that the CSV file called name has the fields of the lines of a JSONL file.
func compareCSV(t *testing.T, name, jsonl string) {
	t.Helper()
	records := clitest.Must(csv.NewReader(strings.NewReader(readFile(t, name))).ReadAll())
	lines := strings.SplitAfter(readFile(t, jsonl), "\n")
	if len(records) != len(lines) { // a header, and nothing after the last line
		t.Fatalf("%d records of %d", len(records), len(lines))
	}
	for i, line := range lines[:len(lines)-1] {
		fields := map[string]any{}
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		clitest.Must(0, d.Decode(&fields))
		for c, column := range records[0] {
			want := ""
			if fields[column] != nil {
				want = fmt.Sprint(fields[column])
			}
			if got := records[i+1][c]; got != want {
				t.Fatalf("row %d, %s: %q, want %q", i, column, got, want)
			}
		}
	}
}

// TestVerdictsUsage checks flags that contradict each other, and a file that cannot be written.
func TestVerdictsUsage(t *testing.T) {
	dir := t.TempDir()
	in := write(t, filepath.Join(dir, "in.csv"), []byte("hash,key,signature\n00,00,00\n"))
	for _, test := range []struct {
		args   string
		status int
		want   string
	}{
		{"--verdicts x.txt", cli.ExitUsage, "ends in neither .jsonl nor .csv"},
		{"--verdicts-only failures", cli.ExitUsage, "--verdicts-only goes with --verdicts"},
		{"--verdicts x.csv --verdicts-only good", cli.ExitUsage, "known are all, failures"},
		{"--verdicts DIR/in.csv", cli.ExitUsage, "the file is read too"},
		{"--verdicts DIR/in.csv DIR", cli.ExitUsage, "the file is read too"},
		{"--verdicts DIR/no/x.csv", cli.ExitUnreadable, "--verdicts: "},
		{"--encoding oct", cli.ExitUsage, "known are auto, hex, base64"},
	} {
		args := strings.Fields(strings.ReplaceAll(test.args, "DIR", dir))
		expect(t, test.status, []string{test.want}, "", append([]string{"check", "--columns",
			"hash,key,signature", in}, args...)...)
	}
}

// A stopping file system interrupts the run at a write to a file of verdicts. left is the number of
// writes up to and including that one.
type stopping struct {
	durable.OS
	left *int
	stop func()
}

type stoppingFile struct {
	durable.File
	fs stopping
}

func (s stopping) Create(name string) (durable.File, error) {
	f, err := s.OS.Create(name)
	if strings.HasPrefix(filepath.Base(name), "v.") {
		f = stoppingFile{f, s}
	}
	return f, err
}

func (f stoppingFile) Write(b []byte) (int, error) {
	if *f.fs.left--; *f.fs.left == 0 {
		f.fs.stop()
	}
	return f.File.Write(b)
}

// TestStateVerdictsInterrupted checks that an interrupted run saves its state once, after the last
// row whose verdict was written. The next run must continue after that row, and end with the report
// of a run without interruption. One input is a file of rows, another a list of Ethereum exports,
// whose chains the report merges.
func TestStateVerdictsInterrupted(t *testing.T) {
	rows := []string{"--format", "packed-bip340", write(t, "rows",
		bytes.Repeat(commandtest.BIP340Row(t, 1), 14000))}
	exports := append([]string{"--network", exportedChain}, slices.Repeat([]string{ethereumExport(t)},
		6)...)
	for _, args := range [][]string{rows, exports} {
		args := append(append([]string{"check"}, args...), "--verdicts")
		want := filepath.Join(t.TempDir(), "v.jsonl")
		report, _ := expect(t, cli.ExitOK, nil, "", append(args, want)...)
		for n := 1; n <= 12; n += oneIn(3) {
			dir := t.TempDir()
			out, state := filepath.Join(dir, "v.jsonl"), filepath.Join(dir, "state")
			args := append(args, out, "--state", state)
			ctx, stop := context.WithCancel(t.Context())
			left := n
			status := program.RunOn(ctx, stopping{left: &left, stop: stop}, args, strings.NewReader(""),
				io.Discard, io.Discard)
			files := clitest.Must(os.ReadDir(dir))
			saves := strings.Count(readFile(t, state), "\nmark ") - 1 // the first is before any row
			rows := strings.Count(readFile(t, out), "\n")
			if status != cli.ExitInterrupted || len(files) != 2 || saves != 1 || rows == 0 {
				t.Errorf("write %d: status %d, %d files, %d saves, %d rows", n, status, len(files), saves,
					rows)
			}
			stdout, _ := expect(t, cli.ExitOK, []string{fmt.Sprintf("going on after %d rows", rows)}, "",
				args...)
			if readFile(t, out) != readFile(t, want) ||
				clitest.WithoutTime(stdout) != clitest.WithoutTime(report) {
				t.Errorf("write %d: the verdicts differ, or the report\n%s, want\n%s", n, stdout, report)
			}
		}
	}
}

// TestStateVerdictsOfOthers checks that files that this run did not write are neither removed nor
// taken for its verdicts.
func TestStateVerdictsOfOthers(t *testing.T) {
	dir := t.TempDir()
	file, out := filepath.Join(dir, "state"), filepath.Join(dir, "v.jsonl")
	rows := write(t, "rows", corruptRows(t))
	args := []string{"check", "--format", "packed-bip340", rows, "--verdicts"}
	invoke(t, "", append(args, out)...)
	want := readFile(t, out)
	// run finds text in the file of verdicts and leaves the text left there.
	run := func(status int, words, text, left string) {
		t.Helper()
		write(t, out, []byte(text))
		expect(t, status, []string{words}, "", append(args, out, "--state", file)...)
		if got := readFile(t, out); got != left {
			t.Errorf("%q: %d bytes are left, want %d", words, len(got), len(left))
		}
	}
	run(cli.ExitUsage, out+" is there already", "another's", "another's")
	// An empty file is filled, and then hidden as a new one is.
	clitest.Must(0, errors.Join(os.Chmod(out, 0o644), os.Chmod(file, 0o644)))
	run(cli.ExitInvalid, "", "", want)
	for _, name := range []string{file, out} {
		clitest.WantMode(t, name)
	}
	for words, text := range map[string]string{
		"v.jsonl is not as it was written: it has ":   want[:len(want)/2],
		"v.jsonl is not as it was written: its first": strings.Replace(want, "v", "w", 1),
		"bytes, and had ": want + "more",
	} {
		run(cli.ExitUnreadable, words, text, text)
	}
	args = append([]string{"check", "--state", filepath.Join(dir, "other")}, args[1:]...)
	expect(t, cli.ExitUnreadable, []string{"--verdicts: "}, "", append(args, filepath.Join(dir, "none",
		"v.jsonl"))...)
	name := filepath.Join(dir, "w.csv")
	held := clitest.Must(durable.OpenOwn(durable.OS{}, name, "", ""))
	defer held.Close()
	expect(t, cli.ExitUsage, []string{"w.csv is in use by another run"}, "", append(args, name)...)
}
