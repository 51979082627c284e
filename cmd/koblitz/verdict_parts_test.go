package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable/forgetful"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// joined returns the concatenation of the verdict files v.00001.jsonl, v.00002.jsonl, … in a folder
// (the parts of v.jsonl), and the number of these parts. Other files whose names contain "v." fail
// the test.
func joined(t *testing.T, disk durable.FS, folder string) (text string, parts int) {
	t.Helper()
	names, err := disk.List(folder)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	for _, name := range names {
		if !strings.Contains(name, "v.") {
			continue
		}
		parts++
		if want := fmt.Sprintf("v.%05d.jsonl", parts); name != want {
			t.Fatalf("the file %s, want %s", name, want)
		}
		data, err := forgetful.ReadFile(disk, filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		text += string(data)
	}
	return text, parts
}

// verdictCase returns the arguments of a run and the verdicts that it writes.
func verdictCase(t *testing.T) (args []string, want string) {
	t.Helper()
	return verdictsOf(t, packedCase(t))
}

// verdictsOf returns args and the verdicts that an uninterrupted run with args writes.
func verdictsOf(t *testing.T, args []string) ([]string, string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "v.jsonl")
	cli(t, "", append([]string{"check", "--verdicts", out}, args...)...)
	return args, readFile(t, out)
}

// packedCase returns the arguments of a run over packed rows.
func packedCase(t *testing.T) (args []string) {
	good := bip340Row(t, 1)
	bad := bytes.Clone(good)
	bad[100] ^= 1
	rows := bytes.Join([][]byte{bytes.Repeat(good, 900), bad, bytes.Repeat(good, 700), bad}, nil)
	dir := t.TempDir()
	return []string{"--format", "packed-bip340", write(t, filepath.Join(dir, "a"), rows),
		write(t, filepath.Join(dir, "b"), rows[:len(rows)-50])}
}

// tablesCase returns the arguments of a run over tables.
func tablesCase(t *testing.T) (args []string) {
	table := signedTable(t, rows.Schnorr, 1100)
	table[3].Values[7][40] ^= 1
	files := tableFiles(t, table)
	return []string{"--columns", tableArgs[rows.Schnorr], files["hex.csv"], files["base64.jsonl"],
		files["bytes.parquet"]}
}

// TestVerdictParts checks a run with --state and --verdicts, which writes the verdicts in several
// files, the parts. The parts together must hold what one run without --state writes into one file,
// no matter when power is lost and which unsynced data survives.
func TestVerdictParts(t *testing.T) {
	saveAlways(t)
	for name, run := range map[string]func(*testing.T) []string{"packed": packedCase,
		"tables": tablesCase} {
		t.Run(name, func(t *testing.T) { testVerdictParts(t, run(t)) })
	}
}

func testVerdictParts(t *testing.T, args []string) {
	args, want := verdictsOf(t, args)
	args = append(args, "--verdicts", "folder/v.jsonl")
	const file = "folder/state"
	whole := forgetful.New(-1)
	if status, report, stderr := checkState(t, whole, file, args...); status != exitInvalid {
		t.Fatalf("status %d\n%s%s", status, report, stderr)
	}
	got, parts := joined(t, whole, "folder")
	if got != want || parts < 2 {
		t.Fatalf("%d parts, together\n%s\nwant\n%s", parts, got, want)
	}
	// The run has ended. Running it again must change nothing.
	if status, _, stderr := checkState(t, whole, file, args...); status != exitInvalid {
		t.Fatalf("after the end: status %d, %s", status, stderr)
	}
	if again, _ := joined(t, whole, "folder"); again != want {
		t.Error("a run after the end changes parts")
	}

	chance := rand.New(rand.NewPCG(5, 6))
	total := whole.Operations()
	step := 1
	if !everyCase() {
		step = total / (8 / oneIn(4))
	}
	for n := 0; n < total; n += 1 + chance.IntN(step) {
		for _, memory := range []forgetful.Memory{forgetful.Nothing, forgetful.All, forgetful.Some} {
			disk := forgetful.New(n)
			checkState(t, disk, file, args...)
			disk = disk.Restart(memory, chance, chance.IntN(total))
			checkState(t, disk, file, args...)
			disk = disk.Restart(memory, chance, -1)
			if status, _, stderr := checkState(t, disk, file, args...); status != exitInvalid {
				t.Fatalf("power lost in operation %d, memory %d: status %d, %s", n, memory, status, stderr)
			}
			if got, _ := joined(t, disk, "folder"); got != want {
				t.Fatalf("power lost in operation %d, memory %d: verdicts\n%s\nwant\n%s", n, memory, got, want)
			}
		}
	}
}

// TestVerdictPartsOfOthers checks that files that this run did not write are neither removed nor
// taken for parts of its verdicts.
func TestVerdictPartsOfOthers(t *testing.T) {
	saveAlways(t)
	args, want := verdictCase(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "state")
	args = append(args, "--verdicts", filepath.Join(dir, "v.jsonl"))
	for _, name := range []string{"v.00001.jsonl", "v.00002.jsonl"} {
		other := write(t, filepath.Join(dir, name), []byte("another's"))
		status, _, stderr := checkState(t, durable.OS{}, file, args...)
		if status != exitUsage || !strings.Contains(stderr, name+" is there already") ||
			readFile(t, other) != "another's" {
			t.Fatalf("status %d, %s", status, stderr)
		}
		if err := os.Remove(other); err != nil {
			t.Fatal(err)
		}
	}
	near := []string{"v.1.jsonl", "v.00000.jsonl", "v.00001.jsonl.bak", "v.00001.csv", "w.00001.jsonl",
		"v.jsonl", ".v.00001.jsonl.tmp", "v.000001.jsonl"}
	for _, name := range near {
		write(t, filepath.Join(dir, name), []byte(name))
	}
	os.Remove(file)
	if status, _, stderr := checkState(t, durable.OS{}, file, args...); status != exitInvalid {
		t.Fatalf("status %d, %s", status, stderr)
	}
	text := ""
	for n := 1; ; n++ {
		data, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("v.%05d.jsonl", n)))
		if err != nil {
			break
		}
		text += string(data)
	}
	if text != want {
		t.Errorf("verdicts\n%s\nwant\n%s", text, want)
	}
	for _, name := range near {
		if readFile(t, filepath.Join(dir, name)) != name {
			t.Errorf("%s has changed", name)
		}
	}

	// A changed part (a file with some of the verdicts) must be detected and left unchanged.
	first, second := filepath.Join(dir, "v.00001.jsonl"), filepath.Join(dir, "v.00002.jsonl")
	one, two := readFile(t, first), readFile(t, second)
	for words, parts := range map[string][2]string{
		"v.00001.jsonl is not as it was written: it has ": {one[:len(one)/2], two},
		"v.00001.jsonl is not as it was written: its SHA-256 ": {strings.Replace(one, "v", "w", 1),
			two},
		"v.00002.jsonl is not as it was written: it has 0 ": {one, ""},
		"v.00001.jsonl is not as it was written":            {two, one},
	} {
		write(t, first, []byte(parts[0]))
		write(t, second, []byte(parts[1]))
		status, _, stderr := checkState(t, durable.OS{}, file, args...)
		if status != exitUnreadable || !strings.Contains(stderr, words) {
			t.Errorf("%s: status %d, %s", words, status, stderr)
		}
		if readFile(t, first) != parts[0] || readFile(t, second) != parts[1] {
			t.Errorf("%s: the parts have changed", words)
		}
	}
	write(t, second, []byte(two))
	if err := os.Remove(first); err != nil {
		t.Fatal(err)
	}
	status, _, stderr := checkState(t, durable.OS{}, file, args...)
	if status != exitUnreadable || !strings.Contains(stderr, first) ||
		!strings.Contains(stderr, "not there any more") {
		t.Errorf("without a part: status %d, %s", status, stderr)
	}
}

// TestVerdictPartsFail checks that an error in writing the verdicts ends the run and is reported.
func TestVerdictPartsFail(t *testing.T) {
	saveAlways(t)
	args, _ := verdictCase(t)
	dir := t.TempDir()
	args = append(args, "--verdicts", filepath.Join(dir, "none", "v.jsonl"))
	status, _, stderr := checkState(t, durable.OS{}, filepath.Join(dir, "state"), args...)
	if status != exitUnreadable || !strings.Contains(stderr, "--verdicts: ") {
		t.Errorf("status %d, %s", status, stderr)
	}
}
