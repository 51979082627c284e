package proof

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// This file interprets the C text of functions in the kernels' headers: declarations, calls,
// copies, branches and loops. The field functions that they call compute with residues modulo p.

// An object is a residue, an integer, or a structure or an array of objects.
type object struct {
	x     *big.Int // nil if nothing was assigned
	parts map[string]*object
}

// set sets o to a copy of from.
func (o *object) set(from *object) {
	if len(o.parts) != len(from.parts) {
		panic("objects of different types")
	}
	o.x = from.x
	for name, part := range from.parts {
		o.parts[name].set(part)
	}
}

// value returns the number that o holds.
func (o *object) value() *big.Int {
	if o == nil || o.x == nil {
		panic("a number that was not assigned")
	}
	return o.x
}

// residue returns x modulo p as an object.
func residue(x *big.Int) *object { return &object{x: new(big.Int).Mod(x, p)} }

func integer(x int64) *object { return &object{x: big.NewInt(x)} }

func truth(yes bool) *object {
	if yes {
		return integer(1)
	}
	return integer(0)
}

// types lists the coordinates of each type of point.
var types = map[string]string{"ge": "x y", "gej": "x y z", "xyzz": "x y zz zzz"}

// array returns an array of objects of a type without values.
func array(kind string, count int) *object {
	out := &object{parts: map[string]*object{}}
	for k := range count {
		out.parts[strconv.Itoa(k)] = newObject(kind)
	}
	return out
}

// newObject returns an object of a type without values.
func newObject(kind string) *object {
	out := &object{parts: map[string]*object{}}
	for _, name := range strings.Fields(types[kind]) {
		out.parts[name] = &object{}
	}
	return out
}

// residues implements the field functions that the formulas call. a[0] is the old value of the
// result, and a[1] and a[2] are the operands.
var residues = map[string]func(a []*object) *object{
	"fe_mul": func(a []*object) *object { return residue(times(a[1].value(), a[2].value())) },
	"fe_sqr": func(a []*object) *object { return residue(times(a[1].value(), a[1].value())) },
	"fe_add": func(a []*object) *object { return residue(add(a[1].value(), a[2].value())) },
	"fe_sub": func(a []*object) *object {
		return residue(new(big.Int).Sub(a[1].value(), a[2].value()))
	},
	"fe_neg":     func(a []*object) *object { return residue(new(big.Int).Neg(a[1].value())) },
	"fe_half":    func(a []*object) *object { return residue(times(a[1].value(), half)) },
	"fe_mul_int": func(a []*object) *object { return residue(times(a[1].value(), a[2].value())) },
	"fe_set_int": func(a []*object) *object { return residue(a[1].value()) },
	"fe_normal":  func(a []*object) *object { return residue(a[1].value()) },
	"fe_cmov": func(a []*object) *object {
		if a[2].value().Sign() == 0 {
			return a[0]
		}
		return residue(a[1].value())
	},
}

// exponents implements the same functions for powers of one number x, each represented by its
// exponent. The only difference that can be computed is that of the square of the root of x and x
// itself. Its value is the argument: 0 if x is a square, and anything else if x has no root.
func exponents(difference int64) map[string]func(a []*object) *object {
	return map[string]func(a []*object) *object{
		"fe_mul": func(a []*object) *object { return &object{x: add(a[1].value(), a[2].value())} },
		"fe_sqr": func(a []*object) *object { return &object{x: add(a[1].value(), a[1].value())} },
		"fe_sub": func(a []*object) *object {
			if a[1].value().Cmp(times(root, big.NewInt(2))) != 0 ||
				a[2].value().Cmp(big.NewInt(1)) != 0 {
				panic("a difference of other powers")
			}
			return integer(difference)
		},
	}
}

// root is the exponent of a square root, (p + 1)/4.
var root = new(big.Int).Rsh(add(p, big.NewInt(1)), 2)

// A program holds the functions and the constants of headers. Calls of the field functions are
// computed by the functions in the map field.
type program struct {
	functions map[string]*ast.FuncDecl
	constants map[string]int64
	field     map[string]func(a []*object) *object
}

var (
	definition = regexp.MustCompile(`(?ms)^(?:DEVICE|OUTLINE) \w+ (\w+)\(([^)]*)\)\n\{\n(.*?)^\}$`)
	comment    = regexp.MustCompile(`//.*`)
	branch     = regexp.MustCompile(`(?m)^(\s*)(if|for) \((.*)\) ([^{;].*;|;|\{)\s*$`)
	variables  = regexp.MustCompile(`(?m)^(\s*)(fe|ge|gej|xyzz) ([\w, ]+)(\[\w+\])?;`)
	begun      = regexp.MustCompile(`(?m)^(\s*)(fe) (\w+) = ([*\w]+), ([\w, ]+);`)
	cast       = regexp.MustCompile(`\((?:const )?fe \*\)`)
	counter    = regexp.MustCompile(`\b(?:u32|int) (\w+) = `)
)

// translate returns a function in the syntax of Go.
func translate(name, parameters, body string) string {
	var names []string
	for _, s := range strings.Split(parameters, ",") {
		names = append(names, regexp.MustCompile(`\w+$`).FindString(s))
	}
	body = comment.ReplaceAllString(body, "")
	body = strings.NewReplacer("->", ".", "ROLLED\n", "\n").Replace(body)
	body = branch.ReplaceAllStringFunc(body, func(s string) string {
		m := branch.FindStringSubmatch(s)
		if m[4] != "{" {
			m[4] = "{ " + m[4] + " }"
		}
		return m[1] + m[2] + " " + m[3] + " " + m[4]
	})
	body = cast.ReplaceAllString(body, "")
	body = begun.ReplaceAllString(body, "${1}var $3, $5 $2; $3 = $4;")
	body = counter.ReplaceAllString(body, "$1 := ")
	body = variables.ReplaceAllString(body, "${1}var $3 $4$2;")
	return fmt.Sprintf("func %s(%s int) {\n%s}\n", name, strings.Join(names, ", "), body)
}

// parse returns the functions of the text of headers.
func parse(text string) (*program, error) {
	out := &program{map[string]*ast.FuncDecl{}, map[string]int64{}, residues}
	out.add(text)
	m := regexp.MustCompile(`#define WINDOW_BITS (\d+)`).FindStringSubmatch(text)
	if m == nil {
		return nil, errors.New("no windows")
	}
	bits, err := strconv.Atoi(m[1])
	out.constants["WINDOW_ENTRIES"] = 1 << (bits - 1)
	return out, err
}

// add adds the functions of a text that have the syntax of Go after the translation.
func (c *program) add(text string) {
	for _, m := range definition.FindAllStringSubmatch(text, -1) {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+translate(m[1], m[2], m[3]),
			parser.SkipObjectResolution)
		if err == nil {
			c.functions[m[1]] = f.Decls[0].(*ast.FuncDecl)
		}
	}
}

// call calls a function, and returns its result, if it has one. It panics with a text if the
// function has an expression or a statement that this file does not know.
func (c *program) call(name string, args ...*object) *object {
	if f := c.field[name]; f != nil { // the first argument is the result
		args[0].x = f(args).x
		return nil
	}
	if name == "fe_is_zero" {
		return truth(args[0].value().Sign() == 0)
	}
	f := c.functions[name]
	if f == nil {
		panic("unknown")
	}
	s := &scope{c, map[string]*object{}}
	names := f.Type.Params.List[0].Names
	if len(names) != len(args) {
		panic("a wrong number of arguments")
	}
	for k, name := range names {
		s.names[name.Name] = args[k]
	}
	result, _ := s.block(f.Body)
	return result
}

// A scope holds the variables of a call.
type scope struct {
	program *program
	names   map[string]*object
}

// block runs statements until one returns.
func (s *scope) block(b *ast.BlockStmt) (result *object, done bool) {
	for _, statement := range b.List {
		if result, done = s.run(statement); done {
			return result, true
		}
	}
	return nil, false
}

func (s *scope) run(statement ast.Stmt) (result *object, done bool) {
	switch t := statement.(type) {
	case *ast.DeclStmt:
		for _, spec := range t.Decl.(*ast.GenDecl).Specs {
			v := spec.(*ast.ValueSpec)
			for _, name := range v.Names {
				if a, ok := v.Type.(*ast.ArrayType); ok {
					s.names[name.Name] = array(a.Elt.(*ast.Ident).Name, int(s.value(a.Len).value().Int64()))
				} else {
					s.names[name.Name] = newObject(v.Type.(*ast.Ident).Name)
				}
			}
		}
	case *ast.AssignStmt:
		x := s.value(t.Rhs[0])
		if t.Tok == token.DEFINE {
			s.names[t.Lhs[0].(*ast.Ident).Name] = &object{parts: map[string]*object{}}
		}
		s.value(t.Lhs[0]).set(x)
	case *ast.IncDecStmt:
		i := s.value(t.X)
		if t.Tok == token.INC {
			i.x = add(i.x, big.NewInt(1))
		} else {
			i.x = below(i.x)
		}
	case *ast.ExprStmt:
		s.value(t.X)
	case *ast.IfStmt:
		if s.value(t.Cond).value().Sign() != 0 {
			return s.block(t.Body)
		}
	case *ast.ForStmt:
		for s.run(t.Init); s.value(t.Cond).value().Sign() != 0; s.run(t.Post) {
			if result, done := s.block(t.Body); done {
				return result, true
			}
		}
	case *ast.ReturnStmt:
		if len(t.Results) > 0 {
			return s.value(t.Results[0]), true
		}
		return nil, true
	case *ast.EmptyStmt:
	default:
		panic(fmt.Sprintf("a statement of type %T", t))
	}
	return nil, false
}

// value returns the object that an expression names, or a new one.
func (s *scope) value(e ast.Expr) *object {
	switch t := e.(type) {
	case *ast.Ident:
		if x := s.names[t.Name]; x != nil {
			return x
		}
		if x, ok := s.program.constants[t.Name]; ok {
			return integer(x)
		}
	case *ast.BasicLit:
		if x, ok := number(t.Value); ok {
			return integer(x)
		}
	case *ast.StarExpr:
		return s.value(t.X)
	case *ast.UnaryExpr:
		switch t.Op {
		case token.AND:
			return s.value(t.X)
		case token.NOT:
			return truth(s.value(t.X).value().Sign() == 0)
		}
	case *ast.SelectorExpr:
		if x := s.value(t.X).parts[t.Sel.Name]; x != nil {
			return x
		}
	case *ast.IndexExpr:
		if x := s.value(t.X).parts[s.value(t.Index).value().String()]; x != nil {
			return x
		}
	case *ast.BinaryExpr:
		x, y := s.value(t.X).value(), s.value(t.Y).value()
		switch t.Op {
		case token.ADD:
			return &object{x: add(x, y)}
		case token.SUB:
			return &object{x: new(big.Int).Sub(x, y)}
		case token.LSS:
			return truth(x.Cmp(y) < 0)
		case token.GEQ:
			return truth(x.Cmp(y) >= 0)
		}
	case *ast.CallExpr:
		var args []*object
		for _, a := range t.Args {
			args = append(args, s.value(a))
		}
		return s.program.call(t.Fun.(*ast.Ident).Name, args...)
	}
	panic(fmt.Sprintf("an expression of type %T", e))
}

// points returns the text of the headers with formulas.
func points(t *testing.T) string {
	text := ""
	for _, name := range []string{"field.h", "point.h", "complete.h", "terms.h"} {
		text += read(t, kernels+name)
	}
	return text
}
