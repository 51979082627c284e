//go:build unix

package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
)

// TestFolderLinks checks that a symbolic link to a folder is an error and is not followed.
func TestFolderLinks(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	event, _, _ := strings.Cut(readFile(t, nostrFile(t)), "\n")
	write(t, filepath.Join(dir, "a.jsonl"), []byte(event))
	write(t, filepath.Join(other, "b.jsonl"), []byte(event))
	expect(t, cli.ExitOK, nil, "", "check", dir)
	clitest.Must(0, os.Symlink(filepath.Join(other, "b.jsonl"), filepath.Join(dir, "b.jsonl")))
	expect(t, cli.ExitOK, []string{"b.jsonl: rows"}, "", "check", dir)
	clitest.Must(0, os.Symlink(other, filepath.Join(dir, "c")))
	expect(t, cli.ExitUnreadable, []string{"/c: is a link to a folder"}, "", "check", dir)
	clitest.Must(0, os.Symlink(filepath.Join(other, "none"), filepath.Join(dir, "d")))
	expect(t, cli.ExitUnreadable, []string{"/d: no such file"}, "", "check", dir)
}

// TestFolderHidesNothing puts a forged event into a node's folder and others several times, each
// time in a file with another name from the list oddNames. The report must mention all
// of these files, except files with names that Bitcoin Core itself uses in that folder.
func TestFolderHidesNothing(t *testing.T) {
	forged := []byte(strings.Replace(commandtest.SignedEvent(t, 1, "hello"), "hello", "hullo", 1))
	root := t.TempDir()
	blocks := filepath.Join(root, "blocks")
	clitest.Must(0, os.Rename(commandtest.CoreBlocks(t), blocks))
	own := map[string]bool{"blocks/.lock": true, "blocks/xor.dat": true, "blocks/rev00000.dat": true,
		"blocks/index/000005.ldb": true, "blocks/index/CURRENT": true}
	var want []string
	for _, dir := range []string{".", "blocks", "blocks/index", "blocks/index/index", "other",
		"other/index"} {
		clitest.Must(0, os.MkdirAll(filepath.Join(root, dir), 0o700))
		for _, name := range append([]string{"rev00099.dat", "blk000000.dat", "blk00000.dat.gz",
			"fltr00000.dat", "LOG.old.old", "MANIFEST-", "events.jsonl"}, oddNames...) {
			path := filepath.Join(root, dir, name)
			if _, err := os.Lstat(path); err != nil {
				write(t, path, forged)
			}
			if !own[filepath.ToSlash(filepath.Join(dir, name))] {
				want = append(want, path)
			}
		}
	}
	for _, dir := range []string{root, blocks} {
		r := checkJSON(t, "", dir)
		told := map[string]bool{}
		for _, in := range r.Inputs {
			told[in.File] = true
		}
		files := 3 // blk00000.dat to blk00002.dat
		for _, path := range want {
			if !strings.HasPrefix(path, dir) {
				continue
			}
			files++
			valid := strings.ToValidUTF8(path, "\ufffd")
			if !told[valid] && !slices.ContainsFunc(r.Unreadable, func(u string) bool {
				return strings.HasPrefix(u, valid+": ")
			}) {
				t.Errorf("the report says nothing of %q", path)
			}
		}
		if len(r.Inputs) != files {
			t.Errorf("%d inputs, want %d", len(r.Inputs), files)
		}
	}
	clitest.Must(0, os.Mkdir(filepath.Join(root, "chainstate"), 0o700))
	expect(t, cli.ExitUnreadable, []string{"is a node's data directory"}, "", "check", root)
}

// TestFolderOfPipes checks that a pipe that has the name of a node's file is not opened.
func TestFolderOfPipes(t *testing.T) {
	for _, name := range []string{"blk00003.dat", "rev00000.dat", "rev00009.dat", "xor.dat", ".lock",
		"index"} {
		dir := commandtest.CoreBlocks(t)
		path := filepath.Join(dir, name)
		os.Remove(path)
		clitest.Must(0, syscall.Mkfifo(path, 0o600))
		r := checkJSON(t, "", dir)
		if r.Exit == cli.ExitOK || !slices.Contains(r.Unreadable, path+": is not a regular file") {
			t.Errorf("%s: status %d, %q", name, r.Exit, r.Unreadable)
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	clitest.Must(0, syscall.Mkfifo(pipe, 0o600))
	expect(t, cli.ExitUsage, []string{"cannot be read a second time"}, "", "check", "--state",
		filepath.Join(t.TempDir(), "state"), pipe)
}

// oddNames lists file names with a special meaning elsewhere, or that are hard to print.
var oddNames = []string{"x.spent", "x.spent.gz", "blk00000.dat.spent", "rev00000.dat", "xor.dat",
	".lock", "debug.log", "a.report", "a.lock", "a.new", "a\nb", "-", " ", ".hidden", "\xff",
	"wallet.dat", "mempool.dat", "000005.ldb", "CURRENT", "blk0001.dat", "blk00000.dat.bak",
	"state", ".a.tmp"}

// TestNamesAreOneLine checks that a line end in a file name never starts a new line.
func TestNamesAreOneLine(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	name := in("a\nvalid 5")
	event := []byte(commandtest.SignedEvent(t, 1, "a"))
	write(t, name, event)
	clitest.Must(0, syscall.Mkfifo(in("p\nvalid 5"), 0o600))
	former := in("former.state")
	expect(t, cli.ExitOK, nil, "", "check", "--state", former, write(t, in("b"), event))
	for _, args := range [][]string{
		{"check", "--state", in("s"), in("p\nvalid 5")},
		{"check", "--state", name, in("b")},
		{"check", "--state", former, name},
		{"check", "--keep", name, name},
		{"check", "--from", "1", name},
	} {
		_, stderr := expect(t, cli.ExitUsage, []string{`\nvalid 5`}, "", args...)
		if strings.Contains(stderr, "\nvalid 5") {
			t.Errorf("%q: %s", args, stderr)
		}
	}
	_, stderr := expect(t, cli.ExitUsage, nil, "", "check", "--seckey", "x")
	if !strings.Contains(stderr, "\n"+cli.SecretAdvice+"\n") {
		t.Errorf("the advice is not as it was: %s", stderr)
	}
}
