package check

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
)

// TestFolders checks that a folder given as input is replaced by all files in it and below it, in
// order, each with its own counts. The files of --state must be left out.
func TestFolders(t *testing.T) {
	dir := t.TempDir()
	events := readFile(t, nostrFile(t))
	event, _, _ := strings.Cut(events, "\n")
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		clitest.Must(0, os.MkdirAll(filepath.Dir(path), 0o755))
		return write(t, path, []byte(text))
	}
	want := []string{
		file("a/deep/er/events", event+"\n"+event+"\n"),
		file("a.block", string(sampleAsGetBlock(t))),
		file("z.jsonl", event+"\n"),
	}
	stdout, _ := expect(t, cli.ExitOK, []string{"/deep/er/events: rows 2, valid 2 (",
		"z.jsonl: rows 1, valid 1 (", "\nrows           735\n"}, "", "check", dir)
	if n := strings.Count(stdout, "\n"); n != len(want)+8 {
		t.Errorf("%d lines\n%s", n, stdout)
	}
	state := filepath.Join(dir, "state")
	for range 2 { // in the second run the folder also has the files of the state
		r := checkJSON(t, "", "--state", state, dir)
		var got []string
		for _, in := range r.Inputs {
			got = append(got, in.File)
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") || r.Rows != 735 || r.Exit != cli.ExitOK ||
			r.Inputs[0].Rows != 2 || r.Inputs[1].Rows != 732 || r.Inputs[1].Format != "bitcoin-json" {
			t.Fatalf("%+v, want %q", r, want)
		}
	}
	file("b.jsonl", event+"\n")
	expect(t, cli.ExitUsage, []string{"there were 3 files, and there are 4"}, "", "check", "--state",
		state, dir)
	expect(t, cli.ExitUnreadable, []string{"there is no file in this folder or below it"}, "", "check",
		t.TempDir())
}

// TestFolderNames checks that a file named "-" is not taken for standard input, and that no file is
// passed over for its name.
func TestFolderNames(t *testing.T) {
	event, _, _ := strings.Cut(readFile(t, nostrFile(t)), "\n")
	dir := t.TempDir()
	for _, name := range []string{"e", "e.spent", "e.gz.bak"} {
		write(t, filepath.Join(dir, name), []byte(event))
	}
	expect(t, cli.ExitOK, []string{"/e.spent: rows 1", "rows           3\n"}, "", "check", dir)
	t.Chdir(t.TempDir())
	clitest.Must(0, os.WriteFile("-", []byte("no event"), 0o600))
	expect(t, cli.ExitUnreadable, []string{"./-: the format"}, event, "check", ".")
}

// TestQuiet checks that --quiet leaves only errors and the exit status.
func TestQuiet(t *testing.T) {
	row := commandtest.BIP340Row(t, 1)
	bad := append([]byte{row[0] ^ 1}, row[1:]...)
	for status, data := range map[int][]byte{cli.ExitOK: row, cli.ExitInvalid: bad,
		cli.ExitUnreadable: row[1:]} {
		file := write(t, "rows", data)
		args := []string{"check", "-q", "--format", "packed-bip340", file}
		got, stdout, stderr := invoke(t, "", args...)
		if got != status || stdout != "" || (stderr == "") != (status != cli.ExitUnreadable) {
			t.Errorf("status %d, want %d; %q, %q", got, status, stdout, stderr)
		}
	}
	expect(t, cli.ExitUsage, []string{"does not go with --json"}, "", "check", "-q", "--json", "x")
}

// TestFolderWithoutUndo checks that blk*.dat files without any rev*.dat file are not checkable: the
// report has one row for the folder, or for a single file.
func TestFolderWithoutUndo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "blocks")
	clitest.Must(0, os.Mkdir(dir, 0o700))
	file := func(name string, b ...[]byte) string {
		return write(t, filepath.Join(dir, name), bytes.Join(b, nil))
	}
	_, records := regtestBlocks(t)
	first, second := file("blk00000.dat", records[:2]...), file("blk00001.dat", records[2])
	state := filepath.Join(t.TempDir(), "state")
	for _, args := range [][]string{{dir}, {filepath.Dir(dir)}, {first}, {second},
		{"--from", "1", "--format", "bitcoin-core", dir}, {"--state", state, dir},
		{"--state", state, dir}} {
		expect(t, cli.ExitNotCheckable, []string{": not checkable: no undo records: ",
			"rows           1\nnot checkable  1\n"}, "", append([]string{"check"}, args...)...)
	}
	for _, c := range []struct {
		args   string
		status int
		text   string
	}{
		{"--network signet DIR", cli.ExitUnreadable, "blocks of regtest, and not of signet"},
		{"--format nostr DIR", cli.ExitUnreadable, "--format nostr is another one"},
		{"--from 2 --to 1 DIR", cli.ExitUsage, "--from 2 is behind --to 1"},
		{"--from x DIR", cli.ExitUsage, `"x" is not the height of a block`},
		{"--from 1 folder_test.go", cli.ExitUsage, `there is none in "folder_test.go"`},
	} {
		args := strings.Fields("check " + strings.ReplaceAll(c.args, "DIR", dir))
		expect(t, c.status, []string{c.text}, "", args...)
	}
	// A file without its undo records is an error if other files have theirs.
	file("rev00000.dat", nil)
	expect(t, cli.ExitUnreadable, []string{"rev00001.dat: "}, "", "check", dir)
}

// TestFolderUndoOfNoBlocks checks that a rev*.dat file without blocks in its blk*.dat file is read.
func TestFolderUndoOfNoBlocks(t *testing.T) {
	for _, span := range [][]string{{"--to", "104"}, nil} {
		dir := commandtest.CoreBlocks(t)
		args := append(append([]string{"check"}, span...), dir)
		write(t, filepath.Join(dir, "blk00003.dat"), nil)
		want, _, _ := invoke(t, "", args...)
		for _, undo := range []string{"", commandtest.SignedEvent(t, 1, "a"),
			readFile(t, filepath.Join(commandtest.CoreFolder, "rev00000.dat"))} {
			write(t, filepath.Join(dir, "rev00003.dat"), []byte(undo))
			status, out, stderr := invoke(t, "", args...)
			if undo == "" && status != want || undo != "" && (status != cli.ExitUnreadable ||
				!strings.Contains(stderr, "rev00003.dat")) {
				t.Errorf("%q, %d bytes: status %d\n%s%s", span, len(undo), status, out, stderr)
			}
		}
	}
}
