//go:build docs

package pages

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

var published = flag.Bool("published", false,
	"run the blocks that need a published version, and no others")

// A stage is a folder in which the commands of pages run. Its subfolder koblitz is a copy of the
// files that git tracks, without build outputs. Its GOPATH is new, so that it contains no older
// command koblitz. It uses the machine's module cache.
type stage struct {
	dir string
	env []string
}

func newStage(t *testing.T) *stage {
	dir := t.TempDir()
	gopath := filepath.Join(dir, "gopath")
	cache := strings.TrimSpace(output(t, exec.Command("go", "env", "GOMODCACHE")))
	path := filepath.Join(gopath, "bin") + string(os.PathListSeparator) + os.Getenv("PATH")
	s := &stage{dir, append(os.Environ(), "GOPATH="+gopath, "GOMODCACHE="+cache, "PATH="+path,
		"GOWORK=", "GOBIN=", "CGO_ENABLED=")}
	list := exec.Command("git", "ls-files", "-z")
	list.Dir = root
	for name := range strings.SplitSeq(strings.TrimRight(output(t, list), "\x00"), "\x00") {
		if name == "" {
			t.Fatal("git knows of no file")
		}
		text := reference.Must(os.ReadFile(filepath.Join(root, name)))
		s.write(t, "koblitz/"+name, string(text))
	}
	return s
}

func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, stderr.String())
	}
	return string(out)
}

func (s *stage) write(t *testing.T, name, text string) {
	t.Helper()
	name = filepath.Join(s.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// run runs commands in bash, which stops at the first one that fails, and logs their CPU time. It
// returns their output. No process may take more than ten minutes of CPU time.
func (s *stage) run(t *testing.T, dir, commands string) string {
	t.Helper()
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", "ulimit -t 600\n"+commands)
	cmd.Dir, cmd.Env = filepath.Join(s.dir, dir), s.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out[max(0, len(out)-5000):])
	}
	state := cmd.ProcessState
	t.Logf("%.1f s of CPU time", (state.UserTime() + state.SystemTime()).Seconds())
	return string(out)
}

const btcec = "github.com/btcsuite/btcd/btcec/v2"

// program is a program that uses btcec and dcrec, so that the drop-ins can replace both.
const program = `package main

import (
	"fmt"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

func main() {
	key, public := btcec.PrivKeyFromBytes([]byte{7})
	sig, err := schnorr.Sign(key, make([]byte, 32))
	same := secp256k1.PrivKeyFromBytes([]byte{7}).PubKey().IsEqual(public)
	fmt.Println(err == nil && same && sig.Verify(make([]byte, 32), public))
}
`

// version returns the version of a module that lab/oracle/go.mod requires.
func version(t *testing.T, module string) string {
	line := regexp.MustCompile(regexp.QuoteMeta(module) + ` (v\S+)`)
	m := line.FindStringSubmatch(read(t, "lab/oracle/go.mod"))
	if m == nil {
		t.Fatalf("lab/oracle does not require %s", module)
	}
	return m[1]
}

// whole reports whether block b is a complete Go file, which is one with a package clause.
func (b *block) whole() bool {
	return b.info == "go" && regexp.MustCompile(`(?m)^package \w`).MatchString(b.text)
}

// startsHere reports whether TestCommands runs block b.
func (b *block) startsHere() bool {
	if *published {
		return slices.Equal(b.needs(), []string{"a published version"})
	}
	return b.info == "sh" && b.says["minutes"] == "" && b.needs() == nil
}

// TestCommands checks that the blocks of commands of each page run without an error. README.md
// comes first, since its blocks install the command koblitz, which other pages use. Then the test
// checks that the options of koblitz that pages name exist, and that the blocks of Go compile.
func TestCommands(t *testing.T) {
	s := newStage(t)
	names := slices.DeleteFunc(pages(t), func(name string) bool { return name == "README.md" })
	ran := 0
	for i, name := range slices.Insert(names, 0, "README.md") {
		blocks, _, _, err := parse(read(t, name))
		if err != nil {
			t.Fatal(err)
		}
		folder, main := fmt.Sprint("page", i), program
		for _, b := range blocks {
			if b.whole() {
				main = b.text
			}
			if !b.startsHere() {
				continue
			}
			ran++
			t.Run(fmt.Sprintf("%s:%d", name, b.line), func(t *testing.T) {
				dir := "koblitz"
				switch b.says["in"] {
				case "a program":
					dir = folder
					if _, err := os.Stat(filepath.Join(s.dir, dir)); err != nil {
						s.write(t, dir+"/main.go", program)
						s.run(t, dir, "go mod init example.org/program && "+
							"go get "+btcec+"@"+version(t, btcec)+" && go mod tidy")
					}
				case "a new folder":
					dir = fmt.Sprint(folder, "-", b.line)
					s.write(t, dir+"/main.go", main)
				}
				t.Log(s.run(t, dir, b.text))
				if b.says["in"] == "a program" {
					s.check(t, dir, b.text)
				}
			})
		}
	}
	if ran == 0 || ran < 10 && !*published {
		t.Errorf("only %d blocks ran", ran)
	}
	if !*published {
		t.Run("Options", s.options)
		t.Run("Snippets", s.snippets)
	}
}

// check is called after a block of commands in dir. It builds the packages of the modules of
// koblitz that the block gets. If the block has replaced dcrec, or has removed the replacement,
// check builds and runs the program in dir, and checks which of the two modules the program
// contains.
func (s *stage) check(t *testing.T, dir, commands string) {
	if strings.Contains(commands, "go get "+ours+"/") {
		s.run(t, dir, "for module in $(go list -m -f '{{if not .Main}}{{.Path}}{{end}}' all | "+
			"grep ^"+ours+"/); do echo $module; go build $module/...; done")
	}
	without := strings.Contains(commands, "-dropreplace")
	if !without && !strings.Contains(commands, "-replace github.com/decred") {
		return
	}
	out := s.run(t, dir, "go build -o program && ./program && go version -m program")
	if !strings.HasPrefix(out, "true\n") {
		t.Errorf("the program says %.100q", out)
	}
	if strings.Contains(out, "koblitz/compat/dcrec/v4") == without {
		t.Errorf("dcrec is replaced: %t\n%s", !without, out)
	}
}

// options lets bash parse all blocks of commands, including those that are not run. It checks that
// koblitz has every option that blocks or text pass to it.
func (s *stage) options(t *testing.T) {
	known := map[string]string{}
	call := regexp.MustCompile(`(?:^|[|&;] *|\./)koblitz ([a-z]+)([^|&;]*)`)
	option := regexp.MustCompile(` (--[a-z-]+)`)
	options := 0
	for _, name := range pages(t) {
		blocks, _, code, err := parse(read(t, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks {
			if b.info != "sh" {
				continue
			}
			output(t, exec.Command("bash", "-n", "-c", b.text))
			text := strings.ReplaceAll(b.text, "\\\n", " ")
			for line := range strings.Lines(text) {
				line, _, _ = strings.Cut(line, " #")
				code = append(code, strings.TrimSpace(line))
			}
		}
		for _, line := range code {
			for _, m := range call.FindAllStringSubmatch(line, -1) {
				for _, o := range option.FindAllStringSubmatch(m[2], -1) {
					options++
					if known[m[1]] == "" {
						page := s.run(t, "koblitz", "koblitz man "+m[1])
						_, page, _ = strings.Cut(page, `.SH "OPTIONS"`)
						page, _, _ = strings.Cut(page, ".SH")
						known[m[1]] = "." + strings.ReplaceAll(page, `\-`, "-")
					}
					if !slices.Contains(strings.Fields(known[m[1]]), o[1]) {
						t.Errorf("%s: koblitz %s has no option %s", name, m[1], o[1])
					}
				}
			}
		}
	}
	if options < 15 {
		t.Errorf("only %d options", options)
	}
}

// snippets compiles the blocks of Go in a new module. If a block has no package clause, snippets
// adds a clause and imports for the packages that the block names. If a block follows a comment
// "<!-- source: FILE -->", it is not compiled: FILE must contain the same lines.
func (s *stage) snippets(t *testing.T) {
	s.write(t, "snippets/go.mod", "module example.org/snippets\n")
	// The module bitcoin requires btcd's modules in versions that need no newer Go.
	edit := "go mod edit -require " + ours + "/bitcoin@v0.1.0 -replace " + ours + "=../koblitz"
	for _, other := range []string{"bitcoin", "ethereum", "gpu", "nostr"} {
		edit += " -replace " + ours + "/" + other + "=../koblitz/" + other
	}
	s.run(t, "snippets", edit)
	compiled := 0
	for _, name := range pages(t) {
		blocks, _, _, err := parse(read(t, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks {
			source, excerpt := b.says["source"]
			switch {
			case b.info != "go":
			case excerpt:
				if !strings.Contains(read(t, source), b.text) {
					t.Errorf("%s:%d: %s has no such lines", name, b.line, source)
				}
			default:
				compiled++
				file := fmt.Sprintf("snippets/%s-%d/main.go", filepath.Base(name), b.line)
				s.write(t, file, complete(t, b))
			}
		}
	}
	if compiled < 3 {
		t.Errorf("only %d snippets", compiled)
	}
	s.run(t, "snippets", "go mod tidy && go vet ./...")
}

// complete returns block b as a Go file. If the block has no package clause, complete adds one, and
// imports the packages that the block uses.
func complete(t *testing.T, b block) string {
	if b.whole() {
		return b.text
	}
	paths := map[string]string{"koblitz": ours}
	for _, name := range strings.Fields("context errors fmt io log os strings time") {
		paths[name] = name
	}
	for _, name := range strings.Fields("batch device ecdh ecdsa gpu group msm pkix schnorr") {
		paths[name] = ours + "/" + name
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", "package snippet\n"+b.text, 0)
	if err != nil {
		t.Fatalf("the block of line %d: %v", b.line, err)
	}
	imports := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && paths[id.Name] != "" {
				imports[paths[id.Name]] = true
			}
		}
		return true
	})
	text := "package snippet\n\n"
	for path := range imports {
		text += fmt.Sprintf("import %q\n", path)
	}
	return text + "\n" + b.text
}
