//go:build renames

package layers

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// renames lists, by folder and name, the unexported functions that TestRenames renames. In its
// package, such a name must have only one meaning.
var renames = []struct{ dir, name string }{
	{".", "decodeHex"},
	{"ecdsa", "parseDER"},
	{"schnorr", "hashFunc"},
	{"ecdh", "appendShared"},
	{"internal/dsa", "nonceCommitment"},
	{"internal/ecmult", "readPackedAligned"},
	{"internal/hash", "keccakEach"},
	{"internal/vartime", "multiply"},
	{"cmd/koblitz/internal/command/check", "parseNetwork"},
	{"cmd/koblitz/internal/verify", "readOne"},
}

// TestRenames checks that no check of the tree depends on the name of an unexported function. It
// makes a copy of the tree, and renames the functions in renames there, each only in the files of
// its package. The copy must still compile and pass every check of the tree.
func TestRenames(t *testing.T) {
	dir := copyTree(t)
	for _, r := range renames {
		rename(t, filepath.Join(dir, filepath.FromSlash(r.dir)), r.name)
	}
	for _, command := range []string{
		"vet ./... ./cmd/koblitz/...", "test ./api ./lab/layers/... ./lab/ctcheck",
	} {
		cmd := exec.Command("go", strings.Fields(command)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %s: %v\n%s", command, err, out)
		}
	}
}

// copyTree copies the files of the repository to a new folder, and returns its name.
func copyTree(t *testing.T) string {
	t.Helper()
	root, dir := filepath.Join("..", ".."), t.TempDir()
	list := exec.Command("git", "ls-files", "-z")
	list.Dir = root
	names := reference.Must(list.Output())
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		b := reference.Must(os.ReadFile(filepath.Join(root, name)))
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// rename renames a function in the files of a folder.
func rename(t *testing.T, dir, name string) {
	t.Helper()
	files := reference.Must(filepath.Glob(filepath.Join(dir, "*.go")))
	declared, used := 0, 0
	for _, file := range files {
		fset := token.NewFileSet()
		f := reference.Must(parser.ParseFile(fset, file, nil, parser.ParseComments))
		before := used
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Name.Name == name {
					declared++
				}
			case *ast.Ident:
				if n.Name == name {
					n.Name += "Renamed"
					used++
				}
			}
			return true
		})
		if used == before {
			continue
		}
		var text bytes.Buffer
		if err := format.Node(&text, fset, f); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if declared == 0 || used == declared {
		t.Errorf("%s declares %s %d times and uses it %d times", dir, name, declared, used-declared)
	}
}
