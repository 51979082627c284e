//go:build renames

package layers

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// renames lists, by folder and name, the unexported functions that TestRenames renames. In its
// package, such a name must have only one meaning.
var renames = []struct{ dir, name string }{
	{".", "decodeHex"},
	{"ecdsa", "parseDER"},
	{"schnorr", "signInside"},
	{"ecdh", "appendShared"},
	{"internal/dsa", "nonceCommitment"},
	{"internal/ecmult", "readPackedAligned"},
	{"internal/hash", "keccakEach"},
	{"internal/vartime", "multiply"},
	{"cmd/koblitz/internal/command/check", "parseNetwork"},
	{"cmd/koblitz/internal/verify", "readOne"},
}

// TestRenames checks that no check of the tree depends on the name of an unexported function. It
// makes a copy of the tree, and renames each function in renames there, only in the files of its
// package. The copy must still compile and pass every check of the tree.
func TestRenames(t *testing.T) {
	dir := copyTree(t)
	commands := []string{
		"go vet ./... ./cmd/koblitz/...",
		"go test ./api ./lab/layers/... ./lab/ctcheck",
	}
	for _, r := range renames {
		t.Run(r.dir+"/"+r.name, func(t *testing.T) {
			undo := rename(t, filepath.Join(dir, filepath.FromSlash(r.dir)), r.name, r.name+"Renamed")
			defer undo()
			for _, command := range commands {
				cmd := exec.Command("go", strings.Fields(command)[1:]...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", command, err, out)
				}
			}
		})
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

// rename renames a function in the files of a folder, and returns a function that restores them.
func rename(t *testing.T, dir, from, to string) (undo func()) {
	t.Helper()
	files := reference.Must(filepath.Glob(filepath.Join(dir, "*.go")))
	before := map[string][]byte{}
	declared, used := 0, 0
	for _, name := range files {
		src := reference.Must(os.ReadFile(name))
		fset := token.NewFileSet()
		f := reference.Must(parser.ParseFile(fset, name, src, parser.SkipObjectResolution))
		var places []int
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Name.Name == from {
					declared++
				}
			case *ast.Ident:
				if n.Name == from {
					places = append(places, fset.Position(n.Pos()).Offset)
				}
			}
			return true
		})
		if len(places) == 0 {
			continue
		}
		used += len(places)
		before[name] = bytes.Clone(src)
		slices.Sort(places)
		for _, at := range slices.Backward(places) {
			src = slices.Concat(src[:at], []byte(to), src[at+len(from):])
		}
		if err := os.WriteFile(name, src, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if declared == 0 || used == declared {
		t.Errorf("%s declares %s %d times and uses it %d times", dir, from, declared, used-declared)
	}
	return func() {
		for name, src := range before {
			if err := os.WriteFile(name, src, 0o666); err != nil {
				t.Error(err)
			}
		}
	}
}
