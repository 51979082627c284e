package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A directive is a comment in the library's code that tells ctcheck about a function or a
// statement:
//
//	//ct:public REASON
//
// In a function's doc comment: no secret reaches the function. Its statements need not run, and if
// it is exported, no case needs to call it. Before a file's package clause: the same for every
// function of the file. Such a file must import neither internal/ecmult nor internal/secret.
//
//	//ct:unrun REASON
//
// No case runs these statements. In a doc comment, the directive applies to the whole function, and
// before a package clause to the whole file. Otherwise it applies to the statements that begin on
// its line, or on the next line if the directive is alone on its line. The words unrun-assembly and
// unrun-portable limit the directive to one of the two builds.
//
//	//ct:secret CONDITION
//
// Alone on a line of a function's body: the condition depends on a secret. In a copy of the
// library, ctcheck replaces the line by a branch on the condition, and memcheck must report this
// branch.
type directive struct {
	verb, text string
	line       int
	alone      bool          // the directive is alone on its line
	function   *ast.FuncDecl // function with the directive in its doc comment or body
	doc        bool          // the directive is in the doc comment
	file       bool          // the directive is before the package clause
	secrets    string        // internal/ecmult or internal/secret if the file imports it
}

func (d *directive) String() string { return fmt.Sprintf("//ct:%s %s", d.verb, d.text) }

// unrun reports whether the directive exempts statements from running: in the build without
// assembly if portable is set, and otherwise in the build with assembly.
func (d *directive) unrun(portable bool) bool {
	return d.verb == "unrun" || d.verb == "unrun-portable" && portable ||
		d.verb == "unrun-assembly" && !portable
}

// fault returns what is wrong with the directive, or "".
func (d *directive) fault() string {
	unrun := []string{"unrun", "unrun-assembly", "unrun-portable"}
	switch {
	case d.text == "":
		return "gives no reason"
	case d.function == nil && !d.file:
		return "is beside no function"
	case d.verb == "public" && !d.file && !d.doc:
		return "is not in a doc comment"
	case d.verb == "public" && d.file && d.secrets != "":
		return "is for a file that imports " + d.secrets
	case d.verb == "public", slices.Contains(unrun, d.verb),
		d.verb == "secret" && !d.doc && !d.file && d.alone:
		return ""
	case d.verb == "secret":
		return "is not alone on a line of a function's body"
	}
	return "is not a directive that there is"
}

// A source is a Go file split into lines, with its functions and directives.
type source struct {
	pkg        string // path of its package below the module's path
	path       string // absolute name of the file
	lines      []string
	fset       *token.FileSet
	file       *ast.File
	functions  []*ast.FuncDecl
	directives []*directive
}

// readSources reads the Go files of packages. The keys are the names that the compiler gives the
// files: the path of the package, a slash, and the name of the file.
func readSources(packages []goPackage, files overlay) (map[string]*source, error) {
	sources := map[string]*source{}
	for _, p := range packages {
		if !p.ours() {
			continue
		}
		for _, base := range p.GoFiles {
			path := filepath.Join(p.Dir, base)
			text, err := files.read(path)
			if err != nil {
				return nil, err
			}
			s, err := parseSource(p.name(), text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			s.path, sources[p.ImportPath+"/"+base] = path, s
		}
	}
	return sources, nil
}

// parseSource parses the text of a file of package pkg.
func parseSource(pkg, text string) (*source, error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	s := &source{pkg: pkg, lines: strings.Split(text, "\n"), fset: set, file: f}
	for _, decl := range f.Decls {
		if d, ok := decl.(*ast.FuncDecl); ok {
			s.functions = append(s.functions, d)
		}
	}
	secrets := ""
	for _, i := range f.Imports {
		switch name := strings.Trim(i.Path.Value, `"`); name {
		case library + "/internal/ecmult", library + "/internal/secret":
			secrets = name
		}
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			text, ok := strings.CutPrefix(c.Text, "//ct:")
			if !ok {
				continue
			}
			line := s.at(c.Pos())
			d := &directive{line: line, alone: s.line(line) == c.Text,
				file: c.Pos() < f.Package, secrets: secrets}
			d.verb, d.text, _ = strings.Cut(strings.TrimSpace(text), " ")
			for _, fn := range s.functions {
				if group == fn.Doc || fn.Pos() <= c.Pos() && c.Pos() <= fn.End() {
					d.function, d.doc = fn, group == fn.Doc
				}
			}
			s.directives = append(s.directives, d)
		}
	}
	return s, nil
}

// at returns the number of a line, without regard to a comment //line.
func (s *source) at(pos token.Pos) int { return s.fset.PositionFor(pos, false).Line }

// offset returns a position as an offset in the file.
func (s *source) offset(pos token.Pos) int { return s.fset.PositionFor(pos, false).Offset }

func (s *source) line(number int) string { return strings.TrimSpace(s.lines[number-1]) }

// function returns the function that contains the line with this number, or nil.
func (s *source) function(number int) *ast.FuncDecl {
	for _, d := range s.functions {
		if s.at(d.Pos()) <= number && number <= s.at(d.End()) {
			return d
		}
	}
	return nil
}

// public reports whether function fn or its file has the directive //ct:public.
func (s *source) public(fn *ast.FuncDecl) bool {
	return slices.ContainsFunc(s.directives, func(d *directive) bool {
		return d.verb == "public" && (d.file || d.doc && d.function == fn)
	})
}

// mayLeak reports whether function fn may leak its arguments. Its name, its package or a directive
// //ct:public can allow that.
func (s *source) mayLeak(fn *ast.FuncDecl) bool {
	return publicPackages[s.pkg] != "" || fn != nil && (mayLeak(fn.Name.Name) || s.public(fn))
}

// mayLeak reports whether a function's name says that its time may depend on its arguments.
func mayLeak(name string) bool {
	return strings.HasSuffix(strings.TrimSuffix(name, "Generic"), "Vartime")
}

// name returns the name of function fn with its package, as in group.Point.Add and main.planted.
func (s *source) name(fn *ast.FuncDecl) string {
	if s.file.Name.Name == "main" {
		return "main." + functionName(fn)
	}
	return cmp.Or(s.pkg, path.Base(library)) + "." + functionName(fn)
}

// unrun returns the directive that exempts the statements that begin on a line from running, or nil
// if there is none. portable selects the build without assembly.
func (s *source) unrun(number int, portable bool) *directive {
	for _, d := range s.directives {
		if !d.unrun(portable) {
			continue
		}
		if d.file || d.doc && d.function == s.function(number) ||
			!d.doc && (d.line == number || d.alone && d.line == number-1) {
			return d
		}
	}
	return nil
}

// functionName returns the name of a function: F, or T.M for a method M of T or *T.
func functionName(d *ast.FuncDecl) string {
	if d == nil {
		return ""
	}
	if d.Recv == nil {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "." + d.Name.Name
	}
	return "?." + d.Name.Name
}
