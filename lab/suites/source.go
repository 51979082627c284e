package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
)

// A source is a Go file whose declarations can be blanked. To blank a declaration is to replace it
// by spaces, so that line numbers do not change.
type source struct {
	copied string // path of the file that write writes
	text   []byte
	decls  []declaration
}

// A declaration is a function, a single import, variable or type, or a group of constants.
type declaration struct {
	name        string
	first, last int // line numbers
	offset, end int // byte offsets in the text
	blank       bool
}

func parse(file, copied string) (*source, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	s := &source{copied: copied, text: text}
	add := func(name string, n ast.Node) {
		from, to := set.Position(n.Pos()), set.Position(n.End())
		s.decls = append(s.decls, declaration{
			name: name, first: from.Line, last: to.Line, offset: from.Offset, end: to.Offset,
		})
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

// declared returns the first name that a spec declares.
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

func (s *source) write() error { return os.WriteFile(s.copied, s.text, 0o666) }

// at returns the declaration that contains the line with the given number, or nil.
func (s *source) at(line int) *declaration {
	for i := range s.decls {
		if d := &s.decls[i]; d.first <= line && line <= d.last {
			return d
		}
	}
	return nil
}

// blank blanks the declaration that contains the line of the compiler's complaint c, and adds the
// text of c to dropped under the declaration's name. It returns false if there is no such
// declaration, or if the declaration is already blank.
func (s *source) blank(c complaint, dropped map[string]string) bool {
	d := s.at(c.line)
	if d == nil || d.blank {
		return false
	}
	d.blank = true
	if dropped[d.name] == "" {
		dropped[d.name] = c.text
	}
	for i, b := range s.text[d.offset:d.end] {
		if b != '\n' {
			s.text[d.offset+i] = ' '
		}
	}
	return true
}
