package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable/forgetful"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// verdictsOf returns args and the verdicts that an uninterrupted run with args writes.
func verdictsOf(t *testing.T, ending string, args []string) ([]string, string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "v"+ending)
	invoke(t, "", append([]string{"check", "--verdicts", out}, args...)...)
	return args, readFile(t, out)
}

// packedCase returns the arguments of a run over packed rows.
func packedCase(t *testing.T) (args []string) {
	good := commandtest.BIP340Row(t, 1)
	bad := bytes.Clone(good)
	bad[100] ^= 1
	rows := bytes.Join([][]byte{bytes.Repeat(good, 900), bad, bytes.Repeat(good, 700), bad}, nil)
	dir := t.TempDir()
	return []string{"--format", "packed-bip340", write(t, filepath.Join(dir, "a"), rows),
		write(t, filepath.Join(dir, "b"), rows[:len(rows)-50])}
}

// tablesCase returns the arguments of a run over tables.
func tablesCase(t *testing.T) (args []string) {
	table := columnstest.Signed(t, rows.Schnorr, 1100)
	table[3].Values[7][40] ^= 1
	files := tableFiles(t, table)
	return []string{"--columns", commandtest.TableArgs[rows.Schnorr], files["hex.csv"],
		files["base64.jsonl"], files["bytes.parquet"]}
}

// TestStateVerdicts checks a run with --state and --verdicts: the file of verdicts must be that of
// a run without --state, no matter when power is lost and which unsynced data survives.
func TestStateVerdicts(t *testing.T) {
	saveAlways(t)
	for name, run := range map[string]func(*testing.T) []string{"packed": packedCase,
		"tables": tablesCase} {
		for _, ending := range []string{".jsonl", ".csv"} {
			t.Run(name+ending, func(t *testing.T) { testStateVerdicts(t, ending, run(t)) })
		}
	}
}

func testStateVerdicts(t *testing.T, ending string, args []string) {
	args, want := verdictsOf(t, ending, args)
	const file = "folder/state"
	out := "folder/v" + ending
	args = append(args, "--verdicts", out)
	whole := forgetful.New(-1)
	for range 2 { // the second run finds that the first has ended, and changes nothing
		status, report, stderr := checkState(t, whole, file, args...)
		if status != cli.ExitInvalid {
			t.Fatalf("status %d\n%s%s", status, report, stderr)
		}
		if got := clitest.Must(forgetful.ReadFile(whole, out)); string(got) != want {
			t.Fatalf("verdicts\n%s\nwant\n%s", got, want)
		}
	}
	chance := rand.New(rand.NewPCG(5, 6))
	total := whole.Operations()
	step := 1
	if !clitest.EveryCase() {
		step = total / (8 / oneIn(4))
	}
	for n, tried := 0, 0; n < total; n, tried = n+1+chance.IntN(step), tried+1 {
		for memory := forgetful.Nothing; memory <= forgetful.Some; memory++ {
			if (int(memory)+tried)%oneIn(3) != 0 {
				continue
			}
			disk := forgetful.New(n)
			checkState(t, disk, file, args...)
			disk = disk.Restart(memory, chance, chance.IntN(total))
			removeTorn(t, disk, file, args)
			checkState(t, disk, file, args...)
			disk = disk.Restart(memory, chance, -1)
			removeTorn(t, disk, file, args)
			if status, _, stderr := checkState(t, disk, file, args...); status != cli.ExitInvalid {
				t.Fatalf("power lost in operation %d, memory %d: status %d, %s", n, memory, status, stderr)
			}
			if got := clitest.Must(forgetful.ReadFile(disk, out)); string(got) != want {
				t.Fatalf("power lost in operation %d, memory %d: verdicts\n%s\nwant\n%s", n, memory, got, want)
			}
		}
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

// TestStateVerdictsInterrupted checks that an interrupted run saves once, all rows whose verdicts
// were written, and that the next run goes on after them.
func TestStateVerdictsInterrupted(t *testing.T) {
	file := write(t, "rows", bytes.Repeat(commandtest.BIP340Row(t, 1), 14000))
	args := []string{"check", "--format", "packed-bip340", file, "--verdicts"}
	want := filepath.Join(t.TempDir(), "v.jsonl")
	expect(t, cli.ExitOK, nil, "", append(args, want)...)
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
			t.Errorf("write %d: status %d, %d files, %d saves, %d rows", n, status, len(files), saves, rows)
		}
		expect(t, cli.ExitOK, []string{fmt.Sprintf("going on after %d rows", rows)}, "", args...)
		if readFile(t, out) != readFile(t, want) {
			t.Errorf("write %d: the verdicts differ", n)
		}
	}
}

// TestStateVerdictsOfOthers checks that files that this run did not write are neither removed nor
// taken for its verdicts.
func TestStateVerdictsOfOthers(t *testing.T) {
	args, want := verdictsOf(t, ".jsonl", packedCase(t))
	dir := t.TempDir()
	file, out := filepath.Join(dir, "state"), filepath.Join(dir, "v.jsonl")
	args = append(args, "--verdicts", out)
	write(t, out, []byte("another's"))
	status, _, stderr := checkState(t, durable.OS{}, file, args...)
	if status != cli.ExitUsage || !strings.Contains(stderr, out+" is there already") ||
		readFile(t, out) != "another's" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	write(t, out, nil) // an empty file is filled, and then hidden as a new one is
	if err := errors.Join(os.Chmod(out, 0o644), os.Chmod(file, 0o644)); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr = checkState(t, durable.OS{}, file, args...); status != cli.ExitInvalid ||
		readFile(t, out) != want {
		t.Fatalf("status %d, %s", status, stderr)
	}
	for _, name := range []string{file, out} {
		clitest.WantMode(t, name)
	}
	for words, text := range map[string]string{
		"v.jsonl is not as it was written: it has ":   want[:len(want)/2],
		"v.jsonl is not as it was written: its first": strings.Replace(want, "v", "w", 1),
		"bytes, and had ": want + "more",
	} {
		write(t, out, []byte(text))
		status, _, stderr := checkState(t, durable.OS{}, file, args...)
		if status != cli.ExitUnreadable || !strings.Contains(stderr, words) || readFile(t, out) != text {
			t.Errorf("%s: status %d, %s", words, status, stderr)
		}
	}
	held := clitest.Must(durable.OpenOwn(durable.OS{}, filepath.Join(dir, "w.csv"), "", ""))
	defer held.Close()
	for _, test := range []struct {
		out, words string
		status     int
	}{
		{filepath.Join(dir, "none", "v.jsonl"), "--verdicts: ", cli.ExitUnreadable},
		{filepath.Join(dir, "w.csv"), "w.csv is in use by another run", cli.ExitUsage},
		{filepath.Join(dir, "v.parquet"), "a Parquet file cannot be gone on with", cli.ExitUsage},
	} {
		args[len(args)-1] = test.out
		status, _, stderr := checkState(t, durable.OS{}, filepath.Join(dir, "other"), args...)
		if status != test.status || !strings.Contains(stderr, test.words) {
			t.Errorf("%s: status %d, %s", test.out, status, stderr)
		}
	}
}
