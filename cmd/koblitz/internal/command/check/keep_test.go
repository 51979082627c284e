package check

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable/forgetful"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/parquetfile/parquettest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// saveAlways makes runs in this process save their state at every mark, a position at which the run
// can be resumed.
func saveAlways(t testing.TB) {
	before := cli.SaveEvery
	cli.SaveEvery = 0
	t.Cleanup(func() { cli.SaveEvery = before })
}

// A stateCase holds the arguments of a run over several files that can be resumed at many
// positions, and the ending of its file of verdicts, in tests with such a file.
type stateCase struct {
	name     string
	args     []string
	verdicts string
}

// stateCases returns runs with several kinds of failures, with senders, compressed files,
// truncated files and a missing file.
func stateCases(t testing.TB) []stateCase {
	dir := t.TempDir()
	good := commandtest.BIP340Row(t, 1)
	bad := bytes.Clone(good)
	bad[100] ^= 1
	packed := bytes.Join([][]byte{bytes.Repeat(good, 1500), bad, bytes.Repeat(good, 600), bad, bad,
		bytes.Repeat(good, 1000)}, nil)
	events := readFile(t, nostrFile(t))
	forged := strings.Replace(events, `"kind":1`, `"kind":7`, 2)
	block := readFile(t, mainnetBlock(18189758))
	file := func(name string, data []byte) string {
		return write(t, filepath.Join(dir, name), data)
	}
	node := commandtest.CoreBlocks(t)
	damaged := filepath.Join(node, "rev00000.dat") // one checksum is changed below
	record := []byte(readFile(t, damaged))
	record[100] ^= 1
	write(t, damaged, record)
	table := columnstest.Signed(t, reading.Recover, 1200)
	table[3].Values[7][40] ^= 1
	table[2].Values[1100][3] ^= 1
	table[1].Values[900] = nil
	hexed := columnstest.AsText(table, columnstest.Forms["hex"])
	csv := columnstest.CSV(hexed, "\n")
	return []stateCase{
		{"tables", []string{"--senders", "--columns", commandtest.TableArgs[reading.Recover],
			"--max-failures", "9", file("a.csv", append(csv, csv[:len(csv)/2]...)),
			file("b.jsonl.gz", commandtest.Gzipped(t, columnstest.JSONL(hexed))),
			file("c.parquet", parquettest.Write(t, table, parquettest.Layout{Group: 500})),
			file("none.csv", []byte("h,s\n1,2\n")), file("empty.csv", nil)}, ".csv"},
		{"folders of a node", []string{"--format", "bitcoin-core", "--sha256", node,
			commandtest.CoreBlocks(t), node}, ""},
		{"packed", []string{"--format", "packed-bip340", "--max-failures", "2",
			file("a", packed), file("b", packed[:len(packed)-50]), filepath.Join(dir, "none"),
			file("odd \xff name", packed)}, ".jsonl"},
		{"lines and blocks", []string{"--senders", "--sha256", "--workers", "2",
			file("events.jsonl", []byte(events+forged+events)), file("blocks.json",
				[]byte(block+block+block)), file("events.gz",
				commandtest.Gzipped(t, []byte(forged+events+"{broken"))),
			file("empty", nil), file("broken.json", []byte(block+block[:len(block)/2]))},
			""},
	}
}

// checkState runs check with --state on the given disk. It removes the times from the report.
func checkState(t testing.TB, disk durable.FS, file string, args ...string) (status int, report,
	stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	args = append([]string{"check", "--state", file}, args...)
	status = program.RunOn(t.Context(), disk, args, strings.NewReader(""), &out, &errs)
	return status, clitest.WithoutTime(out.String()), errs.String()
}

// TestPowerLoss simulates a loss of power at each operation on the files of a run with --state. Of
// the data that was not synced, either nothing, everything or a random part survives. The resumed
// run must give the report and the verdicts of an uninterrupted run, even after several losses of
// power.
func TestPowerLoss(t *testing.T) {
	saveAlways(t)
	chance := rand.New(rand.NewPCG(3, 4))
	for _, test := range clitest.Few(stateCases(t)) {
		const file = "folder/state"
		args, out := test.args, ""
		var wantRows string
		if test.verdicts != "" {
			name := filepath.Join(t.TempDir(), "v"+test.verdicts)
			invoke(t, "", append([]string{"check", "--verdicts", name}, args...)...)
			wantRows, out = readFile(t, name), "folder/v"+test.verdicts
			args = append(args, "--verdicts", out)
		}
		wantStatus, want, _ := invoke(t, "", append([]string{"check"}, test.args...)...)
		want = clitest.WithoutTime(want)
		compare := func(disk *forgetful.FS, what string) {
			status, report, stderr := checkState(t, disk, file, args...)
			if status != wantStatus || report != want {
				t.Fatalf("%s, %s: status %d, want %d\n%s%s, want\n%s", test.name, what, status, wantStatus,
					report, stderr, want)
			}
			if out == "" {
				return
			}
			if rows := clitest.Must(disk.ReadFile(out)); string(rows) != wantRows {
				t.Fatalf("%s, %s: verdicts\n%s\nwant\n%s", test.name, what, rows, wantRows)
			}
		}
		whole := forgetful.New(-1)
		compare(whole, "with a state")
		total := whole.Operations()
		compare(whole, "once more") // changes nothing
		late := forgetful.New(total - total/4)
		checkState(t, late, file, args...)
		late = late.Restart(forgetful.Nothing, nil, -1)
		if _, _, stderr := checkState(t, late, file, args...); !strings.Contains(stderr,
			"going on after ") || strings.Contains(stderr, "after 0 rows") {
			t.Errorf("%s: power lost late: the run begins again: %s", test.name, stderr)
		}
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
				if status, _, stderr := checkState(t, disk, file, args...); status == cli.ExitOK ||
					!strings.Contains(stderr, forgetful.ErrPower.Error()) {
					t.Fatalf("%s: power lost in operation %d: status %d, %s", test.name, n, status, stderr)
				}
				disk = disk.Restart(memory, chance, -1)
				if memory == forgetful.Some { // power is lost three more times
					for range 3 {
						disk = disk.Restart(forgetful.Some, chance, chance.IntN(total/2))
						removeTorn(t, disk, file, args)
						checkState(t, disk, file, args...)
					}
					disk = disk.Restart(forgetful.Some, chance, -1)
				}
				removeTorn(t, disk, file, args)
				compare(disk, fmt.Sprintf("power lost in operation %d of %d, memory %d", n, total, memory))
			}
		}
	}
}

// removeTorn removes a state file with a zero in its first line, as may be left if power is lost
// during the first write. A run with --state does not replace such a file, because it may belong to
// another program.
func removeTorn(t *testing.T, disk *forgetful.FS, file string, args []string) {
	t.Helper()
	if data, err := disk.ReadFile(file); err != nil ||
		bytes.IndexByte(data[:min(len(data), 32)], 0) < 0 {
		return
	}
	if status, _, stderr := checkState(t, disk, file, args...); status != cli.ExitUsage {
		t.Fatalf("a file of zeros: status %d, %s", status, stderr)
	}
	disk.Remove(file)
}

// TestStateEnds checks that a second run with the state file of a finished run gives the same
// report, as text or JSON, without reading any input.
func TestStateEnds(t *testing.T) {
	for _, test := range stateCases(t) {
		file := filepath.Join(t.TempDir(), "state")
		wantStatus, want, _ := checkState(t, durable.OS{}, file, test.args...)
		if text := readFile(t, file); !strings.Contains(text, `"done":true`) {
			t.Errorf("%s: %s", test.name, text)
		}
		begin := readFile(t, file)
		status, got, stderr := checkState(t, durable.OS{}, file, append(test.args, "--workers", "1")...)
		if status != wantStatus || got != want || !strings.Contains(stderr, "has ended") {
			t.Errorf("%s: status %d\n%s%s, want\n%s", test.name, status, got, stderr, want)
		}
		if readFile(t, file) != begin {
			t.Errorf("%s: the state has changed", test.name)
		}
		if slices.Contains(test.args, "--senders") {
			continue // --json has no list of senders
		}
		one := checkJSON(t, "", test.args...)
		again := checkJSON(t, "", append([]string{"--state", file}, test.args...)...)
		if one.Counts != again.Counts || len(one.Failures) != len(again.Failures) ||
			!reflect.DeepEqual(one.Inputs, again.Inputs) ||
			!slices.Equal(one.Unreadable, again.Unreadable) || one.Files != again.Files ||
			!slices.Equal(one.Formats, again.Formats) || one.Unlisted != again.Unlisted {
			t.Errorf("%s: %+v, want %+v", test.name, again.summary, one.summary)
		}
	}
}

// TestStateRefused checks that the state file of a different run, or a file that is not a state
// file, is refused, and that all files stay unchanged.
func TestStateRefused(t *testing.T) {
	dir := t.TempDir()
	file, state := filepath.Join(dir, "rows"), filepath.Join(dir, "state")
	row := commandtest.BIP340Row(t, 1)
	rows := bytes.Repeat(row, 3000)
	old := time.Now().Add(-time.Hour)
	reset := func(data []byte) {
		write(t, file, data)
		clitest.Must(0, os.Chtimes(file, old, old))
	}
	reset(rows)
	args := []string{"check", "--format", "packed-bip340", "--state", state}
	expect(t, cli.ExitOK, nil, "", append(args, file)...)
	other := write(t, filepath.Join(dir, "other"), rows)
	before := readFile(t, state)
	first, last := bytes.Clone(rows), bytes.Clone(rows)
	first[0] ^= 1
	last[len(last)-1] ^= 1
	for _, test := range []struct {
		name   string
		change func()
		args   []string
		status int
		words  string
	}{
		{"the same", func() {}, []string{file}, cli.ExitOK, "has ended"},
		{"another format", func() {}, []string{file, "--format", "packed-ecdsa"}, cli.ExitUsage,
			`--format was "packed-bip340", and is "packed-ecdsa"`},
		{"other failures", func() {}, []string{file, "--max-failures", "7"}, cli.ExitUsage,
			`--max-failures was "100", and is "7"`},
		{"another file", func() {}, []string{other}, cli.ExitUsage, "it is " + other + ", and was " +
			file},
		{"one more file", func() {}, []string{file, other}, cli.ExitUsage,
			"there were 1 files, and there are 2"},
		{"longer", func() { reset(append(rows, row...)) }, []string{file}, cli.ExitUsage,
			"has changed: its size, its time"},
		{"begins otherwise", func() { reset(first) }, []string{file}, cli.ExitUsage, "has changed"},
		{"ends otherwise", func() { reset(last) }, []string{file}, cli.ExitUsage, "has changed"},
		{"gone", func() { os.Remove(file) }, []string{file}, cli.ExitUsage, "has changed"},
		{"touched", func() {
			reset(rows)
			clitest.Must(0, os.Chtimes(file, old, old.Add(time.Second)))
		}, []string{file}, cli.ExitUsage, "has changed"},
		{"the same again", func() { reset(rows) }, []string{file}, cli.ExitOK, "has ended"},
		{"standard input", func() {}, []string{"-"}, cli.ExitUsage, "cannot be read a second time"},
		{"a sample", func() {}, []string{"--sample", "--sha256"}, cli.ExitUsage, "go with --sample"},
	} {
		test.change()
		expect(t, test.status, []string{test.words}, "", append(args, test.args...)...)
		if now := readFile(t, state); now != before {
			t.Errorf("%s: the state has changed", test.name)
		}
	}

	for _, test := range []struct {
		status      int
		words, text string
	}{
		{cli.ExitUsage, state + " is not a state", "{}"},
		{cli.ExitUsage, state + " is not a state", strings.Repeat("text\n", 1000)},
		{cli.ExitUsage, state + " is not a state", before[1:]},
		{cli.ExitUnreadable, state + " is not as it was saved: the lines up to line 5 ",
			strings.Replace(before, `"valid":3000`, `"valid":3001`, 1)},
		{cli.ExitUnreadable, state + " is not as it was saved: the lines up to line 3 ",
			strings.Replace(before, "packed-bip340", "packed-ecdsa", 1)},
		{cli.ExitOK, "valid          3000", ""}, // an empty file, as made by mktemp
		{cli.ExitOK, "valid          3000", before[:len(before)-1]},
	} {
		write(t, state, []byte(test.text))
		expect(t, test.status, []string{test.words}, "", append(args, file)...)
		if now := readFile(t, state); test.status != cli.ExitOK && now != test.text {
			t.Errorf("%.40q: the file has changed to %.40q", test.text, now)
		}
	}
	expect(t, cli.ExitUsage, []string{"is read too"}, "", "check", "--state", file, file)
	missing := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "none"), missing); err == nil {
		expect(t, cli.ExitUsage, []string{"link is there already"}, "", "check", "--state", missing, file)
	}
	expect(t, cli.ExitUsage, []string{"is not a file"}, "", "check", "--state", dir, file)
}

// TestStateFolder checks that the state of a run over a node's folder is refused if the folder can
// no longer be opened, even if its files have the same sizes and times. Such a run would take the
// files after the folder for files that were read.
func TestStateFolder(t *testing.T) {
	saveAlways(t)
	node, state := commandtest.CoreBlocks(t), "folder/state"
	rows := bytes.Repeat([]byte(commandtest.SignedEvent(t, 1, "x")+"\n"), 3000)
	args := []string{node, write(t, filepath.Join(t.TempDir(), "a"), rows), nostrFile(t)}
	whole := forgetful.New(-1)
	checkState(t, whole, state, args...)
	late := forgetful.New(whole.Operations() / 2)
	checkState(t, late, state, args...)
	key := filepath.Join(node, "xor.dat")
	info := clitest.Must(os.Stat(key))
	write(t, key, []byte("another."))
	clitest.Must(0, os.Chtimes(key, info.ModTime(), info.ModTime()))
	status, _, stderr := checkState(t, late.Restart(forgetful.Nothing, nil, -1), state, args...)
	if status != cli.ExitUsage || !strings.Contains(stderr, node+" has changed") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// TestStateAlone checks that a run with --state does not change other files in the folder of its
// state file, and leaves no temporary files there.
func TestStateAlone(t *testing.T) {
	saveAlways(t)
	dir := t.TempDir()
	events, _, _ := strings.Cut(readFile(t, nostrFile(t)), "\n")
	file := write(t, filepath.Join(dir, "events"), []byte(events))
	namesake, verdicts := filepath.Join(dir, "s.csv"), filepath.Join(t.TempDir(), "s.csv")
	for range 2 {
		expect(t, cli.ExitOK, nil, "", "check", "--state", namesake, "--verdicts", verdicts, dir)
	}
	os.Remove(namesake)
	args := []string{"check", "--state", filepath.Join(dir, "s"), "--verdicts",
		filepath.Join(dir, "v.jsonl"), dir}
	expect(t, cli.ExitOK, nil, "", args...)
	if left := clitest.Must(os.ReadDir(dir)); len(left) != 3 {
		t.Errorf("%v", left)
	}
	// A run skips its own state files, but another run takes them for inputs.
	expect(t, cli.ExitOK, []string{"has ended"}, "", args...)
	expect(t, cli.ExitUnreadable, []string{"s: this is where a run with --state has saved",
		"v.jsonl: this looks like a table"}, "", "check", dir)
	for _, name := range []string{"s", "v.jsonl"} {
		os.Remove(filepath.Join(dir, name))
	}
	others := []string{"s.report", "s.lock", "s.new", ".s.tmp"}
	for _, name := range others {
		write(t, filepath.Join(dir, name), []byte("another's"))
	}
	expect(t, cli.ExitOK, nil, "", append(args[:len(args)-1], file)...)
	for _, name := range others {
		if readFile(t, filepath.Join(dir, name)) != "another's" {
			t.Errorf("%s has changed", name)
		}
	}
}

// TestStateInUse checks that two runs cannot use the same state file at once.
func TestStateInUse(t *testing.T) {
	file := write(t, "rows", bytes.Repeat(commandtest.BIP340Row(t, 1), 3))
	state := filepath.Join(t.TempDir(), "state")
	held := clitest.Must(durable.OS{}.Create(state))
	if ok, err := held.Lock(); !ok || err != nil {
		t.Fatal(err)
	}
	args := []string{"check", "--format", "packed-bip340", "--state", state, file}
	expect(t, cli.ExitUsage, []string{"in use"}, "", args...)
	held.Close()
	expect(t, cli.ExitOK, nil, "", args...)
}
