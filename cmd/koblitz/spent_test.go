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

// TestSpent checks that koblitz spent writes the same file of spent outputs from a folder of
// Bitcoin Core as from a response to getblock, and that check can read the block with that file.
func TestSpent(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	said, _ := wantCLI(t, exitOK, []string{"block 105, ", ": 21 spent outputs"}, "", "spent",
		coreFolder, "105", "-o", in("a.spent"), "--block", in("a"))
	_, hash, _ := strings.Cut(strings.Split(said, ":")[0], ", ")
	answer := readFile(t, filepath.Join(coreFolder, "getblock.json"))
	wantCLI(t, exitOK, []string{said}, "", "spent", coreFolder, hash, "-o", in("b.spent"))
	wantCLI(t, exitOK, []string{said}, answer, "spent", "-", "-o", in("c.spent"), "--network",
		"regtest")
	for _, name := range []string{"b.spent", "c.spent"} {
		if readFile(t, in(name)) != readFile(t, in("a.spent")) {
			t.Errorf("%s differs", name)
		}
	}
	folder, _, _ := cli(t, "", "check", "--from", "105", "--to", "105", coreBlocks(t))
	raw, _ := wantCLI(t, exitOK, nil, "", "check", "--network", "regtest", in("a"))
	if !strings.Contains(raw, "valid") || folder != exitOK && folder != exitNotCheckable {
		t.Errorf("status %d\n%s", folder, raw)
	}
	if err := os.Remove(in("a.spent")); err != nil {
		t.Fatal(err)
	}
	raw, _ = wantCLI(t, exitNotCheckable, []string{"21 of its 21 inputs spend outputs of other blocks",
		"'koblitz spent' writes it"}, "", "check", "--network", "regtest", in("a"))
	if n := strings.Count(raw, "koblitz spent"); n != 1 {
		t.Errorf("the report mentions 'koblitz spent' %d times\n%s", n, raw)
	}

	for _, args := range [][]string{ // a file that is read or not regular must stay unchanged
		{coreFolder, "105", "-o", filepath.Join(coreFolder, "blk00000.dat")},
		{coreFolder, "105", "-o", in("x"), "--block", filepath.Join(coreFolder, "rev00000.dat")},
		{coreFolder, "105", "-o", filepath.Join(coreFolder, "xor.dat")},
		{filepath.Join(coreFolder, "getblock.json"), "-o", filepath.Join(coreFolder, "getblock.json"),
			"--network", "regtest"},
		{coreFolder, "105", "-o", in("x"), "--block", in("x")},
		{coreFolder, "105", "-o", in("x"), "--block", filepath.Join(dir, ".", "x")},
		{coreFolder, "105", "-o", dir},
	} {
		wantCLI(t, exitUsage, nil, "", append([]string{"spent"}, spared(t, args)...)...)
		if _, err := os.Stat(in("x")); err == nil {
			t.Errorf("%v: a file is written", args)
		}
	}

	lines := strings.Replace(answer, `"prevout"`, `"before"`, 1)
	forged := strings.Replace(answer, `"locktime": 0`, `"locktime": 1`, 1)
	if forged == answer {
		forged = strings.Replace(answer, `"locktime":0`, `"locktime":1`, 1)
	}
	for _, c := range []struct {
		args   []string
		stdin  string
		status int
		text   string
	}{
		{[]string{coreFolder, "105"}, "", exitUsage, "where to? Give a file with -o"},
		{[]string{"-o", in("x")}, "", exitUsage, "of which block?"},
		{[]string{coreFolder, "-o", in("x")}, "", exitUsage, "which block of"},
		{[]string{coreFolder, "x", "-o", in("x")}, "", exitUsage, `"x" is neither a height nor`},
		{[]string{coreFolder, "1", "2", "-o", in("x")}, "", exitUsage, `unexpected argument "2"`},
		{[]string{"-", "-o", in("x"), "--block", in("y")}, "", exitUsage, "--block goes with a folder"},
		{[]string{"-", "-o", in("x"), "--network", "z"}, "", exitUsage, `unknown network "z"`},
		{[]string{coreFolder, "9999", "-o", in("x")}, "", exitUnreadable, "no block 9999"},
		{[]string{coreFolder, strings.Repeat("0", 64), "-o", in("x")}, "", exitUnreadable,
			"no block"},
		{[]string{dir, "1", "-o", in("x")}, "", exitUnreadable, "no folder with blk*.dat files"},
		{[]string{"-", "-o", in("x"), "--network", "regtest"}, lines, exitUnreadable, `no "prevout"`},
		{[]string{"-", "-o", in("x"), "--network", "regtest"}, forged, exitUnreadable,
			"the transaction's hex and its fields differ"},
		{[]string{"-", "-o", in("x"), "--network", "regtest"}, answer + answer, exitUnreadable,
			"a second block"},
		{[]string{"-", "-o", in("x"), "--network", "regtest"}, "", exitUnreadable, "an empty file"},
		{[]string{"-", "-o", in("x")}, answer, exitUnreadable, "is not one of mainnet"},
		{[]string{coreFolder, "105", "-o", filepath.Join(dir, "no", "x")}, "", exitUnreadable, "no such"},
	} {
		wantCLI(t, c.status, []string{c.text}, c.stdin, append([]string{"spent"}, c.args...)...)
		if _, err := os.Stat(in("x")); err == nil {
			t.Errorf("%v: a file is written", c.args)
		}
	}
}

// spared returns args with a copy of coreFolder in place of coreFolder. At the end of the test it
// checks that the files in the copy are unchanged.
func spared(t *testing.T, args []string) (out []string) {
	dir := coreBlocks(t)
	write(t, filepath.Join(dir, "getblock.json"),
		[]byte(readFile(t, filepath.Join(coreFolder, "getblock.json"))))
	for _, arg := range args {
		out = append(out, strings.Replace(arg, coreFolder, dir, 1))
	}
	t.Cleanup(func() {
		for _, name := range []string{"blk00000.dat", "rev00000.dat", "xor.dat", "getblock.json"} {
			if readFile(t, filepath.Join(dir, name)) != readFile(t, filepath.Join(coreFolder, name)) {
				t.Errorf("%v: %s has changed", args, name)
			}
		}
	})
	return out
}
