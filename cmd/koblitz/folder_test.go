package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// coreFolder holds files written by Bitcoin Core; internal/bitcoin/testdata/core/SOURCES describes
// them.
var coreFolder = filepath.Join("internal", "bitcoin", "testdata", "core")

// coreBlocks returns a folder with those files of coreFolder that belong to the node.
func coreBlocks(t testing.TB) string {
	dir := filepath.Join(t.TempDir(), "core")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"blk*.dat", "rev*.dat", "xor.dat"} {
		for _, name := range value(filepath.Glob(filepath.Join(coreFolder, kind))) {
			write(t, filepath.Join(dir, filepath.Base(name)), []byte(readFile(t, name)))
		}
	}
	return dir
}

// TestFolderWithoutUndo checks a folder of blk*.dat files without rev*.dat files. The blk*.dat
// files must be read from the first one on.
func TestFolderWithoutUndo(t *testing.T) {
	r := newRegtest(nil)
	dir := filepath.Join(t.TempDir(), "blocks")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	blk := r.blk(regtestMagic)
	last := len(blk) - len(serialize(r.spending)) - 8
	write("blk00000.dat", blk[:last])
	write("blk00001.dat", blk[last:])
	for _, name := range []string{dir, filepath.Dir(dir)} {
		status, out, _ := cli(t, "", "check", name)
		if status != exitOK || !strings.Contains(out, "valid          3\n") {
			t.Errorf("%s: status %d\n%s", name, status, out)
		}
	}
	for _, c := range []struct {
		args   []string
		status int
		text   string
	}{
		{[]string{"--from", "1", dir}, exitUnreadable, "--from and --to need rev*.dat files"},
		{[]string{"--network", "signet", dir}, exitUnreadable, "blocks of regtest, and not of signet"},
		{[]string{"--format", "nostr", dir}, exitUnreadable, "--format nostr is another one"},
		{[]string{"--format", "bitcoin-core", dir}, exitUnreadable, "rev00001.dat: "},
		{[]string{"--from", "2", "--to", "1", dir}, exitUsage, "--from 2 is behind --to 1"},
		{[]string{"--from", "x", dir}, exitUsage, `"x" is neither a height nor`},
		{[]string{"--from", "1", "folder_test.go"}, exitUsage, `there is none in "folder_test.go"`},
		{[]string{"--to", "blk00007.dat", "--format", "bitcoin-core", dir}, exitUnreadable,
			"no blk00007.dat in it"},
	} {
		status, _, errs := cli(t, "", append([]string{"check"}, c.args...)...)
		if status != c.status || !strings.Contains(errs, c.text) {
			t.Errorf("%v: status %d, %s", c.args, status, errs)
		}
	}
	write("xor.dat", []byte("short"))
	if status, _, errs := cli(t, "", "check", dir); status != exitUnreadable ||
		!strings.Contains(errs, "xor.dat: 5 bytes, and not the 8 of a key") {
		t.Errorf("status %d, %s", status, errs)
	}
}

// TestFolderUndoOfNoBlocks checks that a rev*.dat file is read even if the blk*.dat file with its
// number has no blocks.
func TestFolderUndoOfNoBlocks(t *testing.T) {
	for _, span := range [][]string{{"--to", "104"},
		{"--from", "blk00000.dat", "--to", "blk00003.dat"}} {
		dir := coreBlocks(t)
		args := append(append([]string{"check"}, span...), dir)
		write(t, filepath.Join(dir, "blk00003.dat"), nil)
		want, _, _ := cli(t, "", args...)
		for _, undo := range []string{"", signedEvent(t, 1, "a"),
			readFile(t, filepath.Join(coreFolder, "rev00000.dat"))} {
			write(t, filepath.Join(dir, "rev00003.dat"), []byte(undo))
			status, out, stderr := cli(t, "", args...)
			if undo == "" && status != want || undo != "" && (status != exitUnreadable ||
				!strings.Contains(stderr, "rev00003.dat")) {
				t.Errorf("%q, %d bytes: status %d\n%s%s", span, len(undo), status, out, stderr)
			}
		}
	}
}
