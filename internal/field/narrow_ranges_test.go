package field

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/big"
	"os"
	"strings"
	"testing"
)

// These tests interpret the source of the functions on narrow limbs, with a range in place of each
// number. They check that no sum, product or shift exceeds the 32 bits of a limb or the 64 bits of
// a column, that no difference is negative, that no conversion loses a bit, and that every result
// is reduced. This proves the ranges for all inputs, on every machine, even if the machine uses
// 64-bit limbs. Other tests check with numbers that the values are right.

// A span is the range of a number, from low to high, and the width in bits of the number's type;
// the width of a constant is 0.
type span struct {
	low, high *big.Int
	bits      uint
}

func (s span) String() string { return fmt.Sprintf("%x…%x", s.low, s.high) }

func below(end int64, bits uint) span { return span{new(big.Int), big.NewInt(end - 1), bits} }

// A follower interprets a function. It holds the known ranges of variables, by name, and of limbs,
// by names like a.l3.
type follower struct {
	known map[string]span
	error string // the first error, or empty
}

func (f *follower) fail(at ast.Node, format string, args ...any) span {
	if f.error == "" {
		f.error = fmt.Sprintf("%d: ", at.Pos()) + fmt.Sprintf(format, args...)
	}
	return below(2, 64)
}

// fits returns s as a word with the given number of bits, and records an error if s does not fit.
func (f *follower) fits(at ast.Node, s span, bits uint) span {
	if s.low.Sign() < 0 {
		return f.fail(at, "%v may be negative", s)
	}
	if bits > 0 && uint(s.high.BitLen()) > bits {
		return f.fail(at, "%v has more than %d bits", s, bits)
	}
	return span{s.low, s.high, bits}
}

func (f *follower) expression(e ast.Expr) span {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.expression(e.X)
	case *ast.BasicLit:
		x, ok := new(big.Int).SetString(e.Value, 0)
		if !ok {
			return f.fail(e, "literal %s", e.Value)
		}
		return span{x, x, 0}
	case *ast.Ident:
		if s, ok := f.known[e.Name]; ok {
			return s
		}
		return f.fail(e, "%s is not known", e.Name)
	case *ast.SelectorExpr:
		name := e.X.(*ast.Ident).Name + "." + e.Sel.Name
		if s, ok := f.known[name]; ok {
			return s
		}
		return f.fail(e, "%s is not known", name)
	case *ast.UnaryExpr:
		// The source negates only single bits. The result is a mask: all zeros or all ones.
		if x := f.expression(e.X); e.Op != token.SUB || x.high.Cmp(big.NewInt(1)) > 0 {
			return f.fail(e, "-(%v)", x)
		}
		return below(1<<32, 32)
	case *ast.CallExpr:
		return f.call(e)
	case *ast.BinaryExpr:
		return f.binary(e)
	}
	return f.fail(e, "an expression of another kind")
}

func (f *follower) call(e *ast.CallExpr) span {
	var args []span
	for _, a := range e.Args {
		args = append(args, f.expression(a))
	}
	switch name := e.Fun.(*ast.Ident).Name; name {
	case "uint", "uint32":
		return f.fits(e, args[0], 32)
	case "uint64":
		return f.fits(e, args[0], 64)
	case "prod":
		a, b := f.fits(e, args[0], 32), f.fits(e, args[1], 32)
		return span{new(big.Int).Mul(a.low, b.low), new(big.Int).Mul(a.high, b.high), 64}
	default:
		return f.fail(e, "a call of %s", name)
	}
}

func (f *follower) binary(e *ast.BinaryExpr) span {
	a, b := f.expression(e.X), f.expression(e.Y)
	if a.bits > 0 && b.bits > 0 && a.bits != b.bits {
		return f.fail(e, "%d and %d bits meet", a.bits, b.bits)
	}
	s := span{new(big.Int), new(big.Int), max(a.bits, b.bits)}
	switch e.Op {
	case token.ADD:
		s.low.Add(a.low, b.low)
		s.high.Add(a.high, b.high)
	case token.SUB:
		s.low.Sub(a.low, b.high)
		s.high.Sub(a.high, b.low)
	case token.MUL:
		s.low.Mul(a.low, b.low)
		s.high.Mul(a.high, b.high)
	case token.SHL:
		s.low.Lsh(a.low, uint(b.low.Uint64()))
		s.high.Lsh(a.high, uint(b.high.Uint64()))
	case token.SHR:
		s.low.Rsh(a.low, uint(b.high.Uint64()))
		s.high.Rsh(a.high, uint(b.low.Uint64()))
	case token.AND:
		if s.high.Set(a.high); b.high.Cmp(a.high) < 0 {
			s.high.Set(b.high)
		}
		if s.bits == 0 {
			s.low.And(a.low, b.low)
			s.high.Set(s.low)
		}
	default:
		return f.fail(e, "operator %v", e.Op)
	}
	return f.fits(e, s, s.bits)
}

func (f *follower) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok != token.ASSIGN && s.Tok != token.DEFINE || len(s.Lhs) != len(s.Rhs) {
				f.fail(s, "an assignment of another kind")
				continue
			}
			var values []span
			for i, x := range s.Rhs {
				v := f.expression(x)
				if id, ok := s.Lhs[i].(*ast.Ident); ok && s.Tok == token.ASSIGN {
					v = f.fits(s, v, f.known[id.Name].bits)
				}
				values = append(values, v)
			}
			for i, x := range s.Lhs {
				switch x := x.(type) {
				case *ast.Ident:
					f.known[x.Name] = values[i]
				case *ast.SelectorExpr:
					f.known[x.X.(*ast.Ident).Name+"."+x.Sel.Name] = f.fits(s, values[i], 32)
				}
			}
		case *ast.ForStmt:
			f.loop(s)
		case *ast.ReturnStmt:
			// Return statements are skipped, because the returned results contain no limbs.
		case *ast.IfStmt:
			f.end(s)
		default:
			f.fail(s, "a statement of another kind")
		}
	}
}

// end interprets the end of a loop: an if statement that decrements a counter and breaks.
func (f *follower) end(s *ast.IfStmt) {
	ok := s.Else == nil && len(s.Body.List) == 1
	if ok {
		b, isBranch := s.Body.List[0].(*ast.BranchStmt)
		ok = isBranch && b.Tok == token.BREAK
	}
	if c, counts := s.Init.(*ast.IncDecStmt); ok && counts {
		_, known := f.known[c.X.(*ast.Ident).Name]
		ok = !known
	} else if s.Init != nil {
		ok = false
	}
	if !ok {
		f.fail(s, "an if of another kind")
	}
}

// loop interprets the body of a loop once. Each limb gets a range before the body, and must be
// inside this range after it.
func (f *follower) loop(s *ast.ForStmt) {
	before := map[string]span{}
	for i := range 9 {
		before[fmt.Sprintf("a%d", i)] = f.known[fmt.Sprintf("a%d", i)]
	}
	f.statements(s.Body.List)
	for name, x := range before {
		if f.known[name].high.Cmp(x.high) > 0 {
			f.fail(s, "%s leaves a round with %v, and enters it with %v", name, f.known[name], x)
		}
	}
}

// narrowSource returns the source of the functions on narrow limbs.
func narrowSource(t *testing.T) string {
	var all strings.Builder
	all.WriteString("package field\n")
	for _, name := range []string{"element.go", "narrow.go", "narrow_linear.go", "narrow_mul.go"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, b, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
				continue
			}
			all.Write(b[d.Pos()-f.FileStart : d.End()-f.FileStart])
			all.WriteString("\n")
		}
	}
	return all.String()
}

// ranges interprets the functions of a source. In their arguments, limbs 0 to 7 are below limit,
// and limb 8 is below limit8. It returns the first error of each function.
func ranges(t *testing.T, source string, limit, limit8 int64) map[string]string {
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	constants := &follower{known: map[string]span{}}
	for range 2 { // twice, so that the order of the declarations does not matter
		constants.error = ""
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
				for _, s := range g.Specs {
					v := s.(*ast.ValueSpec)
					constants.known[v.Names[0].Name] = constants.expression(v.Values[0])
				}
			}
		}
	}
	if constants.error != "" {
		t.Fatal("constants: ", constants.error)
	}
	failed, followed := map[string]string{}, 0
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		name := fn.Name.Name
		f := &follower{known: map[string]span{}}
		for k, v := range constants.known {
			f.known[k] = v
		}
		limb := func(v string, i int) string { return fmt.Sprintf("%s.l%d", v, i) }
		arguments := []string{"a", "b"}
		inEnd, inEnd8, outEnd, outEnd8 := limit, limit8, limit, limit8
		switch name {
		case "mulGeneric", "squareNGeneric", "Add", "Sub", "SubTwice", "MulSmall", "Half",
			"ThreeHalves":
			f.known["k"] = below(1<<31, 64)
		case "carry":
			arguments, outEnd, outEnd8 = []string{"v"}, 1<<29, 1<<24+1
		case "minusP":
			// The argument is a result of the method carry, which ensures these ranges.
			arguments, inEnd, inEnd8, outEnd, outEnd8 = []string{"v"}, 1<<29, 1<<24+1, 1<<29, 1<<24
		default:
			continue
		}
		followed++
		for _, v := range arguments {
			for i := range 9 {
				if f.known[limb(v, i)] = below(inEnd, 32); i == 8 {
					f.known[limb(v, i)] = below(inEnd8, 32)
				}
			}
		}
		f.statements(fn.Body.List)
		for i := range 9 {
			max := outEnd
			if i == 8 {
				max = outEnd8
			}
			if x, ok := f.known[limb("v", i)]; !ok || x.high.Cmp(big.NewInt(max)) >= 0 {
				f.fail(fn, "limb %d is %v, and should be below %x", i, x, max)
			}
		}
		if f.error != "" {
			failed[name] = f.error
		}
	}
	if followed != 10 {
		t.Fatalf("%d functions, not 10", followed)
	}
	return failed
}

// The exclusive bounds of the limbs of a reduced Element.
const (
	narrowEnd  = 1<<29 + 1<<16
	narrowEnd8 = 1<<24 + 1<<4
)

func TestNarrowRanges(t *testing.T) {
	for name, err := range ranges(t, narrowSource(t), narrowEnd, narrowEnd8) {
		t.Errorf("%s: %s", name, err)
	}
}

// TestNarrowRangesFail checks that ranges reports wider arguments and errors inserted in the
// source.
func TestNarrowRangesFail(t *testing.T) {
	source := narrowSource(t)
	if failed := ranges(t, source, narrowEnd, narrowEnd8); len(failed) > 0 {
		t.Errorf("without an error: %v", failed)
	}
	if failed := ranges(t, source, 3<<29, narrowEnd8); failed["mulGeneric"] == "" ||
		failed["squareNGeneric"] == "" || failed["Sub"] == "" {
		t.Errorf("limbs below 3·2^29: %v", failed)
	}
	if failed := ranges(t, source, narrowEnd, 1<<26); failed["Sub"] == "" {
		t.Errorf("a limb 8 below 2^26: %v", failed)
	}
	for _, p := range []struct{ function, old, new string }{
		{"Sub", "twoPi = 2 * pi", "twoPi = pi"},
		{"Sub", "twoP8 = 2 * p8", "twoP8 = p8"},
		{"SubTwice", "fourPi = 4 * pi", "fourPi = 2 * pi"},
		{"SubTwice", "fourP8 = 4 * p8", "fourP8 = 2 * p8"},
		{"ThreeHalves", "3*uint(a.l4)", "8*uint(a.l4)"},
		{"Add", "uint32(t5&mask29 + t4>>29)", "uint32(t5 + t4>>29)"},
		{"Half", "uint(a.l5) + m&pi", "uint(a.l5) + m"},
		{"mulGeneric", "u3 := h & mask29", "u3 := h"},
		{"mulGeneric", "fold0*u5", "fold0*h"},
		{"mulGeneric", "u1<<fold1", "u1<<40"},
		{"mulGeneric", "u8<<(fold1+5)", "u8<<(fold1+30)"},
		{"mulGeneric", "r5 := uint(t & mask29)", "r5 := uint(t)"},
		{"squareNGeneric", "d2, d3 := 2*a0, 2*a1, 2*a2, 2*a3", "d2, d3 := 2*a0, 2*a1, 2*a2, 9*a3"},
		{"squareNGeneric", "r2+uint(t1>>29)", "r2+uint(t1)"},
		{"MulSmall", "r8 := uint(t & mask24)", "r8 := uint(t)"},
		{"carry", "v.l2 = uint32(t & mask29)", "v.l2 = uint32(t)"},
		{"minusP", "v.l8 = uint32(t & mask24)", "v.l8 = uint32(t)"},
		// A follower, which interprets the source, must report statements that it does not
		// understand.
		{"Add", "v.l5 = uint32(t5&mask29 + t4>>29)",
			"v.l5 = uint32(t5&mask29 + t4>>29)\nv.l5 += uint32(t5 & mask29)"},
		{"Sub", "v.l5 = uint32(t5&mask29 + t4>>29)",
			"v.l5 = uint32(t5&mask29 + t4>>29)\nif t5 > t4 {\nv.l5 = uint32(t5)\n}"},
		{"squareNGeneric", "if n--; n <= 0 {\n", "if n--; n <= 0 {\na0 = 8 * a0\n"},
		{"squareNGeneric", "if n--; n <= 0 {\n", "if a0--; n <= 0 {\n"},
		{"Half", "t8 := s8 >> 1\n", "t8 := s8 >> 1\nvar t9 = t8 << 9\n"},
	} {
		if !strings.Contains(source, p.old) {
			t.Fatalf("%s is not in the source", p.old)
		}
		if ranges(t, strings.ReplaceAll(source, p.old, p.new), narrowEnd, narrowEnd8)[p.function] == "" {
			t.Errorf("%s: %s in the place of %s is not found", p.function, p.new, p.old)
		}
	}
}
