package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// A directive is a comment of the library that tells ctcheck about the code beside it:
//
//	//ct:public REASON
//
// in a function's doc comment: no secret reaches the function. Its statements need not run, and
// if it is exported, no case needs to call it.
//
//	//ct:unrun REASON
//
// No case runs these statements: all of a function, if it is in the doc comment; or else those
// that begin on this line, or on the next one if nothing else is on this line. The words
// unrun-assembly and unrun-portable say that of one of the two builds alone.
//
//	//ct:leak CONDITION
//
// alone on a line of a function's body: a branch on a secret. It is put there in a copy of the
// library, and memcheck must report it.
type directive struct {
	verb, text string
	line       int
	alone      bool          // the line holds nothing else
	function   *ast.FuncDecl // the function with d in its doc comment or body
	doc        bool          // d is in the doc comment
}

func (d *directive) String() string { return fmt.Sprintf("//ct:%s %s", d.verb, d.text) }

// unrun reports whether d exempts statements from running in a build.
func (d *directive) unrun(portable bool) bool {
	return d.verb == "unrun" || d.verb == "unrun-portable" && portable ||
		d.verb == "unrun-assembly" && !portable
}

// fault returns the error in d, or "".
func (d *directive) fault() string {
	unrun := []string{"unrun", "unrun-assembly", "unrun-portable"}
	switch {
	case d.text == "":
		return "gives no reason"
	case d.function == nil:
		return "is beside no function"
	case d.verb == "public" && d.doc, slices.Contains(unrun, d.verb),
		d.verb == "leak" && !d.doc && d.alone:
		return ""
	case d.verb == "public":
		return "is not in a function's doc comment"
	case d.verb == "leak":
		return "is not alone on a line of a function's body"
	}
	return "is not a directive that there is"
}

// A source is a file split into lines, with its functions and directives.
type source struct {
	lines      []string
	fset       *token.FileSet
	functions  []*ast.FuncDecl
	directives []*directive
}

func parseSource(src []byte) (*source, error) {
	s := &source{lines: strings.Split(string(src), "\n"), fset: token.NewFileSet()}
	f, err := parser.ParseFile(s.fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, decl := range f.Decls {
		if d, ok := decl.(*ast.FuncDecl); ok {
			s.functions = append(s.functions, d)
		}
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			text, ok := strings.CutPrefix(c.Text, "//ct:")
			if !ok {
				continue
			}
			at := s.fset.Position(c.Pos())
			d := &directive{line: at.Line, alone: s.line(at.Line) == c.Text}
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

func (s *source) line(number int) string { return strings.TrimSpace(s.lines[number-1]) }

// function returns the function that contains the line, or nil.
func (s *source) function(number int) *ast.FuncDecl {
	for _, d := range s.functions {
		if s.fset.Position(d.Pos()).Line <= number && number <= s.fset.Position(d.End()).Line {
			return d
		}
	}
	return nil
}

// public reports whether the function has a directive //ct:public.
func (s *source) public(fn *ast.FuncDecl) bool {
	return slices.ContainsFunc(s.directives, func(d *directive) bool {
		return d.verb == "public" && d.function == fn
	})
}

// unrun returns the directive that exempts the statements that begin on a line from running in a
// build, or nil.
func (s *source) unrun(number int, portable bool) *directive {
	for _, d := range s.directives {
		if !d.unrun(portable) {
			continue
		}
		if d.doc && d.function == s.function(number) ||
			!d.doc && (d.line == number || d.alone && d.line == number-1) {
			return d
		}
	}
	return nil
}

// functionName returns F, or T.M for a method of T or *T.
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
