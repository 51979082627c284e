package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The replaced module's own tests are mostly of the packages that they test: they reach unexported
// names, and give exported types methods. So their files are laid over (go help build, -overlay)
// the package that has the types, and over the one that bears the replaced path. The compiler
// decides which of their declarations can stand there.
//
// Most tests of what is exported use a few unexported names besides: numbers in hexadecimal digits,
// the parameters of the curve, errors of a kind. A file of ours in testdata/names has these for
// each package, by what our packages export wherever that is possible.
const names = "compat/suites/testdata/names"

// These are tests of such names themselves.
var namesTested = []string{"TestBigAffineToJacobian", "TestScalarBaseMultJacobian"}

// A place is a package of ours that has the same name as one of theirs.
type place struct{ theirs, ours, dir string }

// name is the package's.
func (p place) name() string {
	if p.theirs == replaced {
		return "secp256k1"
	}
	return path.Base(p.theirs)
}

var places = []place{
	{replaced, implementation, "compat/impl/secp256k1"},
	{replaced + "/ecdsa", core + "/compat/impl/ecdsa", "compat/impl/ecdsa"},
	{replaced, replaced, dropIn},
	{replaced + "/ecdsa", replaced + "/ecdsa", dropIn + "/ecdsa"},
	{replaced + "/schnorr", replaced + "/schnorr", dropIn + "/schnorr"},
}

// lay hides our tests in every place behind theirs, without the declarations that do not compile.
// It returns those of every place by name, with the first reason that the compiler has. Their
// sources are in the folder dir.
func (m *module) lay(root, dir string) ([]map[string]string, error) {
	m.overlay = maps.Clone(m.overlay)
	if m.overlay == nil {
		m.overlay = map[string]string{}
	}
	var dropped []map[string]string
	for i, p := range places {
		folder := filepath.Join(root, p.dir)
		mine, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
		if err != nil {
			return nil, err
		}
		for _, file := range mine {
			m.overlay[file] = "" // as if it were not there
		}
		from := filepath.Join(dir, strings.TrimPrefix(p.theirs, replaced))
		files, err := filepath.Glob(filepath.Join(from, "*_test.go"))
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("no test files in %s", from)
		}
		files = append(files, filepath.Join(root, names, p.name()+".go"))
		to := filepath.Join(m.dir, "laid", strconv.Itoa(i))
		if err := os.MkdirAll(to, 0o777); err != nil {
			return nil, err
		}
		laid := map[string]*source{}
		for _, file := range files {
			s, err := parse(file)
			if err != nil {
				return nil, err
			}
			name := filepath.Base(file)
			if !strings.HasSuffix(name, "_test.go") {
				name = "names_test.go"
			}
			s.copied = filepath.Join(to, name)
			if err := os.WriteFile(s.copied, s.text, 0o666); err != nil {
				return nil, err
			}
			laid[name] = s
			m.overlay[filepath.Join(folder, name)] = s.copied
		}
		d, err := m.drop(p.ours, laid)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.dir, err)
		}
		dropped = append(dropped, d)
	}
	return dropped, nil
}

// drop blanks declarations in laid files until a package of ours compiles with them.
func (m *module) drop(pkg string, laid map[string]*source) (map[string]string, error) {
	dropped := map[string]string{}
	for _, s := range laid {
		for _, d := range s.decls {
			if slices.Contains(namesTested, d.name) {
				s.blank(complaint{line: d.first, text: "it tests an unexported function"}, dropped)
				if err := os.WriteFile(s.copied, s.text, 0o666); err != nil {
					return nil, err
				}
			}
		}
	}
	for {
		complaints, err := m.compile(pkg)
		if err != nil {
			return nil, err
		}
		if len(complaints) == 0 {
			return dropped, nil
		}
		before := len(dropped)
		for _, c := range complaints {
			s := laid[c.file]
			if s == nil || !s.blank(c, dropped) {
				return nil, fmt.Errorf("%s:%d is in no declaration of theirs: %s", c.file, c.line, c.text)
			}
			if err := os.WriteFile(s.copied, s.text, 0o666); err != nil {
				return nil, err
			}
		}
		if len(dropped) == before {
			return nil, fmt.Errorf("it does not compile: %+v", complaints)
		}
	}
}

// A complaint is a line of the compiler's.
type complaint struct {
	file string // its name alone: a package is a folder
	line int
	text string
}

var complains = regexp.MustCompile(`^(.*\.go):(\d+):(?:\d+:)? (.*)$`)

// compile compiles the tests of a package and returns what the compiler complains of.
func (m *module) compile(pkg string) ([]complaint, error) {
	flags, err := m.flags()
	if err != nil {
		return nil, err
	}
	cmd := m.command(slices.Concat([]string{"test", "-vet=off", "-run=^$"}, flags, []string{pkg})...)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil, nil
	}
	var all []complaint
	for line := range strings.Lines(string(out)) {
		if f := complains.FindStringSubmatch(strings.TrimSpace(line)); f != nil {
			n, err := strconv.Atoi(f[2])
			if err != nil {
				return nil, err
			}
			all = append(all, complaint{filepath.Base(f[1]), n, f[3]})
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	return all, nil
}

// A source is a file whose declarations can be blanked: their lines stay, so that positions do.
type source struct {
	copied string // the file that the text is written to
	text   []byte
	decls  []declaration
}

// A declaration is a function, or what one import, variable or type declares, or constants that
// are declared together.
type declaration struct {
	name        string
	first, last int // lines
	offset, end int // in the text
}

func parse(file string) (*source, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	s := &source{text: text}
	add := func(name string, n ast.Node) {
		from, to := set.Position(n.Pos()), set.Position(n.End())
		s.decls = append(s.decls, declaration{name, from.Line, to.Line, from.Offset, to.Offset})
	}
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				name = types.ExprString(d.Recv.List[0].Type) + "." + name
			}
			add(name, d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if d.Lparen.IsValid() && d.Tok != token.CONST {
					add(declared(spec), spec)
				} else if spec == d.Specs[0] {
					add(declared(spec), d)
				}
			}
		}
	}
	return s, nil
}

// declared is what a spec declares, first if there is more. An import is named by its file too,
// for each file has its own.
func declared(spec ast.Spec) string {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		return spec.Name.Name
	case *ast.ValueSpec:
		return spec.Names[0].Name
	case *ast.ImportSpec:
		return "import " + spec.Path.Value
	}
	return ""
}

// blank blanks the declaration that is complained of, and notes it with the complaint, unless that
// was done before. It returns false if the line is in no declaration.
func (s *source) blank(c complaint, dropped map[string]string) bool {
	for _, d := range s.decls {
		if c.line < d.first || d.last < c.line {
			continue
		}
		key := d.name
		if strings.HasPrefix(key, "import ") {
			key = c.file + " " + key
		}
		if dropped[key] == "" {
			dropped[key] = c.text
		}
		for i, b := range s.text[d.offset:d.end] {
			if b != '\n' {
				s.text[d.offset+i] = ' '
			}
		}
		return true
	}
	return false
}

// join names outcomes of our places as theirs: a test that runs in two places fails if it fails in
// one of them.
func join(o *outcomes) *outcomes {
	rank := map[string]int{"": 0, "pass": 1, "skip": 2, "fail": 3}
	theirs := &outcomes{ended: map[test]string{}, output: map[test]string{}}
	for t, end := range o.ended {
		as := t
		for _, p := range places {
			if p.ours == t.pkg {
				as.pkg = p.theirs
			}
		}
		if rank[end] > rank[theirs.ended[as]] {
			theirs.ended[as] = end
		}
		theirs.output[as] += o.output[t]
	}
	return theirs
}

// nowhere are the declarations of theirs that no place can hold, each with the first reason:
// the tests and examples, and what they need.
func nowhere(dropped []map[string]string) map[test]string {
	all := map[test]string{}
	for i, p := range places {
		for name, reason := range dropped[i] {
			t := test{p.theirs, name}
			if all[t] != "" || strings.Contains(name, "import ") || strings.HasPrefix(name, "Benchmark") {
				continue
			}
			everywhere := true
			for j, q := range places {
				everywhere = everywhere && (q.theirs != p.theirs || dropped[j][name] != "")
			}
			if everywhere {
				all[t] = reason
			}
		}
	}
	return all
}

// unreachable is the list, in the repository, of what nowhere returns: a line for each, with the
// reason behind a colon.
const unreachable = "compat/suites/testdata/nowhere.txt"

// listed returns an error unless the tests are those of the list.
func (r runner) listed(nowhere map[test]string) error {
	text, err := os.ReadFile(filepath.Join(r.root, unreachable))
	if err != nil {
		return err
	}
	list := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), ": ")
		list[name] = true
	}
	for t := range nowhere {
		if !list[t.String()] {
			err = errors.Join(err, fmt.Errorf("it compiles nowhere, and is not in %s: %s", unreachable, t))
		}
		delete(list, t.String())
	}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		err = errors.Join(err, fmt.Errorf("it compiles, and is in %s: %s", unreachable, name))
	}
	return err
}

// list writes the list anew.
func (r runner) list(nowhere map[test]string) error {
	var text strings.Builder
	for _, t := range slices.SortedFunc(maps.Keys(nowhere), test.compare) {
		fmt.Fprintf(&text, "%s: %s\n", t, nowhere[t])
	}
	return os.WriteFile(filepath.Join(r.root, unreachable), []byte(text.String()), 0o666)
}
