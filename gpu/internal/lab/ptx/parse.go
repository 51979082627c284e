package ptx

import (
	"fmt"
	"slices"
	"strings"
)

// A parser parses a module. It keeps the first error; after an error it behaves as if the text had
// ended.
type parser struct {
	tokens []token
	next   int
	err    error
	m      *Module
	order  []*function

	fn    *function // function whose body is being parsed
	scope *scope
}

func (p *parser) fail(line int, format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("ptx: line %d: "+format, append([]any{line}, args...)...)
	}
}

func (p *parser) peek() token {
	if p.err != nil {
		return p.tokens[len(p.tokens)-1]
	}
	return p.tokens[p.next]
}

func (p *parser) take() token {
	t := p.peek()
	if p.err == nil && p.next < len(p.tokens)-1 {
		p.next++
	}
	return t
}

// is reports whether the next token equals the string text. If so, it consumes the token.
func (p *parser) is(text string) bool {
	if t := p.peek(); t.kind == tokenEnd || t.kind == tokenString || t.text != text {
		return false
	}
	p.take()
	return true
}

func (p *parser) expect(text string) {
	if t := p.peek(); !p.is(text) {
		p.fail(t.line, "expected %q, found %q", text, t.text)
	}
}

func (p *parser) word() string {
	t := p.take()
	if t.kind != tokenWord {
		p.fail(t.line, "expected a name, found %q", t.text)
	}
	return t.text
}

func (p *parser) number() uint64 {
	t := p.take()
	if t.kind != tokenNumber {
		p.fail(t.line, "expected a number, found %q", t.text)
		return 0
	}
	v, err := number(t.text)
	if err != nil {
		p.fail(t.line, "%v", err)
	}
	return v
}

// signed parses a number with an optional minus sign, and returns it modulo 2^64.
func (p *parser) signed() uint64 {
	if p.is("-") {
		return -p.number()
	}
	return p.number()
}

// more reports whether there are tokens left.
func (p *parser) more() bool { return p.peek().kind != tokenEnd }

func (p *parser) module() {
	for p.more() {
		t := p.take()
		switch t.text {
		case ".version":
			p.take()
		case ".target":
			p.word()
		case ".address_size":
			if n := p.number(); n != 64 {
				p.fail(t.line, "addresses of %d bits", n)
			}
		case ".visible":
		case ".entry", ".func":
			p.function(t)
		default:
			p.fail(t.line, "unexpected %q", t.text)
		}
	}
}

// bind declares the given name in the current scope, where it then stands for the symbol sym.
func (p *parser) bind(line int, name string, sym symbol) {
	if _, ok := p.scope.names[name]; ok {
		p.fail(line, "%s is declared twice", name)
	}
	p.scope.names[name] = sym
}

// variable parses the rest of the declaration of a variable after its state space: [.align n] .type
// name [dimensions].
func (p *parser) variable(line int, where space) *variable {
	v := &variable{space: where}
	for p.is(".align") {
		v.align = int(p.number())
	}
	kind := p.word()
	width, ok := widths[strings.TrimPrefix(kind, ".")]
	if !ok || width == 1 {
		p.fail(line, "type %s of a variable is not supported", kind)
		return v
	}
	if v.align == 0 {
		v.align = width / 8
	}
	v.name = p.word()
	v.size = width / 8
	for p.is("[") {
		v.size *= int(p.number())
		p.expect("]")
	}
	return v
}

func alignUp(n, align int) int { return (n + align - 1) &^ (align - 1) }

// gap is the number of unused bytes after every variable in shared memory, so that an access after
// the end of a variable is detected.
const gap = 64

// declare parses the declaration of a variable in a body.
func (p *parser) declare(t token) {
	where := map[string]space{
		".shared": spaceShared, ".local": spaceLocal, ".param": spaceParam,
	}[t.text]
	v := p.variable(t.line, where)
	p.expect(";")
	switch where {
	case spaceShared:
		p.place(t.line, v, &p.m.sharedLen)
		p.m.sharedLen += gap
		p.m.shared = append(p.m.shared, v)
	case spaceLocal:
		p.place(t.line, v, &p.fn.localLen)
	case spaceParam:
		p.place(t.line, v, &p.fn.paramLen)
	}
}

// place declares a variable, and assigns it the first address after length bytes. It adds the
// variable to length.
func (p *parser) place(line int, v *variable, length *int) {
	at := alignUp(*length, v.align)
	v.addr = uint64(at)
	*length = at + v.size
	p.bind(line, v.name, symbol{mem: v})
}

// parameters parses a list of parameters up to the closing parenthesis.
func (p *parser) parameters(fn *function) []*variable {
	var list []*variable
	for !p.is(")") && p.more() {
		line := p.peek().line
		p.expect(".param")
		v := p.variable(line, spaceParam)
		p.place(line, v, &fn.paramLen)
		list = append(list, v)
		p.is(",")
	}
	return list
}

// function parses a kernel or a function, or its declaration.
func (p *parser) function(t token) {
	fn := &function{line: t.line, entry: t.text == ".entry"}
	p.scope = &scope{names: make(map[string]symbol)}
	rets := !fn.entry && p.is("(")
	if rets {
		fn.rets = p.parameters(fn)
	}
	fn.name = p.word()
	if rets && len(fn.rets) != 1 {
		p.fail(t.line, "%s has %d results", fn.name, len(fn.rets))
	}
	if p.is("(") {
		fn.params = p.parameters(fn)
	}
	for strings.HasPrefix(p.peek().text, ".") {
		p.performance(fn, p.take())
	}
	if p.is(";") { // calls find functions when all are parsed
		return
	}
	p.m.functions[fn.name] = fn
	p.order = append(p.order, fn)
	p.fn = fn
	p.expect("{")
	p.statements()
	p.fn = nil
	if fn.entry && p.err == nil {
		p.m.kernels = append(p.m.kernels, newKernel(fn))
	}
}

// sameSizes reports whether two lists of variables have the same length, and variables at the same
// index have the same size.
func sameSizes(a, b []*variable) bool {
	return slices.EqualFunc(a, b, func(v, w *variable) bool { return v.size == w.size })
}

func newKernel(fn *function) *Kernel {
	k := &Kernel{Name: fn.name, fn: fn}
	for _, v := range fn.params {
		k.Params = append(k.Params, Param{v.size, int(v.addr)})
		k.ParamSize = int(v.addr) + v.size
	}
	return k
}

// performance parses a directive between the parameters of a function and its body.
func (p *parser) performance(fn *function, t token) {
	switch t.text {
	case ".maxntid":
		fn.most = p.number()
		for p.is(",") {
			fn.most *= p.number()
		}
	case ".minnctapersm":
		p.number()
	default:
		p.fail(t.line, "unexpected %q", t.text)
	}
}
