package walks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/koblitz-go/koblitz/lab/layers/walks/recorder"
)

// module is the prefix that the import paths of all packages of this repository have.
const module = "github.com/koblitz-go/koblitz"

// A Level says which kernels, the lowest arithmetic functions, a program uses.
type Level int

const (
	Single Level = iota + 1 // kernels that compute with one number at a time
	Lanes                   // kernels that compute with eight numbers at a time
)

// portableTag is the build tag that selects the portable kernels.
const portableTag = "purego"

// tags returns the build tags of a program on this level, separated by commas. The tag permuted
// adds portable kernels for eight numbers, which otherwise only tests use.
func (l Level) tags() string {
	if l == Lanes {
		return portableTag + ",permuted"
	}
	return portableTag
}

// Build builds a program that uses the portable kernels, each changed so that it records the stack
// of its caller. pkg is the program's package. Build writes the program to a file in dir, and
// returns the file's name.
func Build(dir, pkg string, level Level) (program string, err error) {
	packages, err := list(pkg, level)
	if err != nil {
		return "", err
	}
	replace, kernels := map[string]string{}, 0
	for _, p := range packages {
		for _, name := range p.GoFiles {
			name = filepath.Join(p.Dir, name)
			src, err := os.ReadFile(name)
			if err != nil {
				return "", err
			}
			f := file{name: name, pkg: strings.TrimPrefix(p.ImportPath, module+"/"), src: src}
			kernels += f.record()
			if f.err != nil {
				return "", f.err
			}
			if f.changed {
				text := filepath.Join(dir, strconv.Itoa(len(replace))+filepath.Base(name))
				if err := os.WriteFile(text, f.src, 0o666); err != nil {
					return "", err
				}
				replace[name] = text
			}
		}
	}
	if kernels < 10 {
		return "", fmt.Errorf("only %d kernels in the packages of %s", kernels, pkg)
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o666); err != nil {
		return "", err
	}
	program = filepath.Join(dir, "program")
	// -l disables inlining, since a trace omits inlined functions that started a goroutine.
	_, err = run(goCommand("build", "-buildvcs=false", "-tags", level.tags(), "-overlay", overlay,
		"-gcflags="+module+"/...=-l", "-o", program, pkg))
	return program, err
}

// Record runs a program that Build has built, and returns the stacks of its calls to kernels.
func Record(program string, args ...string) ([]Stack, error) {
	name := program + ".stacks"
	cmd := exec.Command(program, args...)
	// With GOMAXPROCS=1 there is one worker, which is the caller's own goroutine, so its stack is
	// complete.
	cmd.Env = append(os.Environ(), recorder.Variable+"="+name,
		"GODEBUG=tracebackancestors=10", "GOMAXPROCS=1")
	if _, err := run(cmd); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("no kernel was reached: %w", err)
	}
	var stacks []Stack
	for line := range strings.Lines(string(text)) {
		stacks = append(stacks, parseStack(strings.Fields(line)))
	}
	return stacks, nil
}

// goCommand returns a go command that builds for this machine, even if the test itself was built
// for another.
func goCommand(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=", "GOARCH=", "CGO_ENABLED=0")
	return cmd
}

// run runs a command and returns its standard output. An error contains its error output.
func run(cmd *exec.Cmd) ([]byte, error) {
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, &complaints)
	}
	return out, nil
}

type goPackage struct {
	ImportPath, Dir string
	GoFiles         []string
}

// list returns the packages of this repository that a program depends on if it is built for the
// level.
func list(pkg string, level Level) (all []goPackage, err error) {
	out, err := run(goCommand("list", "-deps", "-tags", level.tags(),
		"-json=ImportPath,Dir,GoFiles", pkg))
	if err != nil {
		return nil, err
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p goPackage
		if err := dec.Decode(&p); err != nil {
			return nil, err
		}
		if strings.HasPrefix(p.ImportPath+"/", module+"/") {
			all = append(all, p)
		}
	}
	return all, nil
}

// A file is a Go file whose text is edited.
type file struct {
	name, pkg string // pkg is the path of its package below the module's path
	src       []byte
	changed   bool
	err       error
}

// functions returns the functions of the file that have a body, the last one first. The function
// offset converts a position in the file to an offset in its text.
func (f *file) functions() (all []*ast.FuncDecl, offset func(token.Pos) int) {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, f.name, f.src, parser.SkipObjectResolution)
	if err != nil {
		f.err = err
		return nil, nil
	}
	for _, decl := range slices.Backward(parsed.Decls) {
		if d, ok := decl.(*ast.FuncDecl); ok && d.Body != nil {
			all = append(all, d)
		}
	}
	return all, func(p token.Pos) int { return fset.Position(p).Offset }
}

// put replaces the bytes from offset lo to offset hi of the file by text.
func (f *file) put(lo, hi int, text string) {
	f.src = slices.Concat(f.src[:lo], []byte(text), f.src[hi:])
	f.changed = true
}

// record inserts a call of recorder.Kernel into each function of the file f, if f holds portable
// kernels. It returns the number of these functions.
func (f *file) record() (n int) {
	if !standsIn(f.src) {
		return 0
	}
	all, at := f.functions()
	for _, d := range all {
		brace := at(d.Body.Lbrace)
		f.put(brace, brace+1, "{ recorder.Kernel(); ")
		n++
	}
	if n == 0 {
		return 0
	}
	// The package clause is the first line that begins with this word: comments before it begin
	// with slashes.
	clause := bytes.Index(f.src, []byte("\npackage "))
	end := clause + 1 + bytes.IndexByte(f.src[clause+1:], '\n')
	f.put(end, end, fmt.Sprintf("; import %q", module+"/lab/layers/walks/recorder"))
	return n
}

// standsIn reports whether src is a file of portable kernels: its build line includes it in a build
// with purego, and excludes it from a build with assembly.
func standsIn(src []byte) bool {
	for line := range bytes.Lines(src) {
		text := strings.TrimSpace(string(line))
		if !constraint.IsGoBuild(text) {
			continue
		}
		x, err := constraint.Parse(text)
		if err != nil {
			return false
		}
		native := func(tag string) bool { return tag == "amd64" }
		portable := func(tag string) bool { return native(tag) || tag == portableTag }
		return x.Eval(portable) && !x.Eval(native)
	}
	return false
}
