package layers

import (
	"cmp"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const module = "github.com/koblitz-go/koblitz"

// order lists the core's packages by layer, the lowest layer first. Production code may import only
// packages of lower layers. A new package must be added here.
var order = [][]string{
	{"internal/ct", "internal/cpu", "internal/forkjoin", "device"},
	{"internal/divsteps", "internal/secret", "internal/profile"},
	{"internal/field", "internal/scalar"},
	{"internal/point", "internal/lanes"},
	{"internal/point/vector"},
	{"internal/vartime/wnaf", "internal/vartime/eisenstein", "internal/ecmult", "internal/hash"},
	{"internal/vartime", "internal/sswu"},
	{"internal/vartime/lanewise", "internal/vartime/sums"},
	{"internal/dsa", "internal/musig", "internal/swiftec"},
	{"internal/engine"},
	{"internal/keys"},
	{""}, // the root package
	{"group"},
	{"ecdsa", "schnorr", "ecdh", "pkix", "ellswift", "musig2", "dleq", "frost", "adaptor"},
	{"batch", "msm"},
	{"silentpay"},
	{"compat/impl/secp256k1", "compat/impl/schnorr"},
	{"compat/impl/ecdsa", "compat/impl/btcec"},
	{"compat/impl/btcec/ecdsa", "compat/impl/btcec/ellswift", "compat/impl/btcec/schnorr"},
	{"compat/impl/btcec/musig2"},
}

// commandOrder lists the packages below cmd/koblitz that run subcommands, the lowest layer first.
// They may import only packages of lower layers, and no other package of their module may import
// one of them. So no subcommand imports another. A new package must be added here.
var commandOrder = [][]string{
	{"internal/command/cli"},
	{"internal/command/devices", "internal/command/progress"},
	{"internal/command/flags"},
	{"internal/command/check", "internal/command/info", "internal/command/keys",
		"internal/command/payments", "internal/command/stream"},
	{"internal/command"},
	{""}, // the program
}

// onlyFrom maps packages to the only packages that may import them. So packages that hold secrets
// cannot reach a device.
var onlyFrom = map[string][]string{
	"internal/engine": {"batch", "msm"},
	"device":          {"internal/engine", "batch", "msm"},
}

// banned maps packages of the standard library that production code must not import to the reasons.
var banned = map[string]string{
	"C":               "the core is pure Go",
	"math/big":        "its time depends on its values; it is the oracle's",
	"math/rand":       "secrets and blinding come from crypto/rand",
	"math/rand/v2":    "secrets and blinding come from crypto/rand",
	"testing":         "it belongs to tests",
	"crypto/elliptic": "it is deprecated, and knows nothing of this curve",
}

// publicPayments lists the files of package silentpay that hold no secrets.
var publicPayments = []string{
	"address.go", "bech32m.go", "inputs.go", "labels.go", "match.go", "scanmatch.go",
}

// secret reports whether a file holds secrets. Nearly every file of the packages listed here does.
// In other packages, the files named for signing, private keys or tweaks do. Files with secrets
// must not import vartime, engine or device, and must not use a name that ends in Vartime.
func secret(pkg, name string) bool {
	switch pkg {
	case "internal/ecmult", "internal/lanes", "internal/point/vector", "internal/sswu", "ecdh", "pkix":
		return true
	case "group": // except files whose name begins with vartime
		return !strings.HasPrefix(name, "vartime")
	case "silentpay": // except files of inputs, addresses and outputs, which are public
		return !slices.Contains(publicPayments, name)
	}
	for _, prefix := range []string{"sign", "private", "prove", "secret", "blind", "nonce", "tweak"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// A directive is a comment in the code that exempts the declaration or the statement on its line,
// or on the next line, from a rule:
//
//	//layers:allow REASON
//
// It allows a package-level variable, which nothing may assign to, or all variables of a group; a
// typed constant that is 0; a call of panic; the import of a banned package; or, in a test, a wait
// for a time.
//
//	//layers:writable REASON
//
// It allows a package-level variable that the package may assign to.
type directive struct {
	rel  string
	verb string
	used bool
}

// directives reads the directives of a file, by line.
func (c *checker) directives(rel string, set *token.FileSet, f *ast.File) {
	c.set, c.at = set, map[int]*directive{}
	for _, group := range f.Comments {
		for _, comment := range group.List {
			text, ok := strings.CutPrefix(comment.Text, "//layers:")
			if !ok {
				continue
			}
			verb, reason, _ := strings.Cut(text, " ")
			if reason == "" || verb != "allow" && verb != "writable" {
				c.report(rel, comment.Text+" is no directive with a reason")
				continue
			}
			d := &directive{rel: rel, verb: verb}
			c.at[set.Position(comment.Pos()).Line] = d
			c.all = append(c.all, d)
		}
	}
}

// allowed returns the verb of the directive on the line of a node or on the line before, or "" if
// there is none.
func (c *checker) allowed(n ast.Node) string {
	line := c.set.Position(n.Pos()).Line
	for _, at := range []int{line, line - 1} {
		if d := c.at[at]; d != nil {
			d.used = true
			return d.verb
		}
	}
	return ""
}

// forDevices maps packages of the module gpu to the imports that no other package may have. All
// packages of gpu may import public packages of the core, packages of their own module, and the
// standard library except unsafe.
var forDevices = map[string][]string{
	"gpu/internal/opencl":  {"unsafe"},
	"gpu/internal/cuda":    {"unsafe"},
	"gpu/internal/library": {"github.com/ebitengine/purego"},
}

// devicesTool reports whether a package of the module gpu is only for tests.
func devicesTool(pkg string) bool {
	return strings.HasPrefix(pkg, "gpu/internal/lab/")
}

// tool reports whether a package of the core's module is a program, an oracle or a test helper.
// Production code must not import such a package, and the rules for production code do not apply to
// it.
func tool(pkg, packageName string) bool {
	return packageName == "main" || pkg == "internal/reference" || pkg == "internal/changing" ||
		strings.HasPrefix(pkg, "lab/") || testHelper(pkg)
}

// testHelper reports whether a package is named after the package above it, such as cpu/cputest.
func testHelper(pkg string) bool { return path.Base(pkg) == path.Base(path.Dir(pkg))+"test" }

// check returns every violation of the rules in the tree at root, in the form "file: violation".
func check(root string) ([]string, error) {
	c := checker{functions: map[string][]function{}, lines: map[string]string{},
		variables: map[string]bool{}, digits: digits()}
	var modules []string // folders of other modules, as prefixes
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, name)
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			base := d.Name()
			if rel != "." && (base == "testdata" || base[0] == '.') {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil && rel != "." {
				modules = append(modules, rel+"/")
			}
			return nil
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		contains := func(dir string) bool { return strings.HasPrefix(rel, dir) }
		other := slices.ContainsFunc(modules, contains)
		switch path.Ext(rel) {
		case ".go":
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, name, src, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			c.numbers(rel, f)
			if other {
				c.otherModule(rel, set, f)
			} else {
				c.goFile(rel, set, f, src)
			}
		case ".s", ".c", ".h", ".syso":
			if !other && !strings.HasPrefix(rel, "lab/") { // lab has files that no Go package contains
				c.foreignFile(rel, src)
			}
		}
		return nil
	})
	for _, pkg := range slices.Sorted(maps.Keys(c.functions)) {
		c.dispatch(pkg, c.functions[pkg])
	}
	for _, w := range c.written {
		if c.variables[w[1]] {
			c.report(w[0], "assigns to "+w[1])
		}
	}
	for _, d := range c.all {
		if !d.used {
			c.report(d.rel, "//layers:"+d.verb+" allows nothing")
		}
	}
	return c.found, err
}

type checker struct {
	found   []string
	written [][2]string // file, and package and name of a variable that it assigns to

	set *token.FileSet
	at  map[int]*directive // directives of the current file, by line
	all []*directive

	variables map[string]bool       // variables of production code that nothing may assign to
	functions map[string][]function // functions of production code, by package
	lines     map[string]string     // build line of each file of production code
	digits    map[string]string     // result of the function digits
}

func (c *checker) report(rel, what string) { c.found = append(c.found, rel+": "+what) }

// goFile checks a file of the core's module.
func (c *checker) goFile(rel string, set *token.FileSet, f *ast.File, src []byte) {
	pkg, base := path.Dir(rel), path.Base(rel)
	if pkg == "." {
		pkg = ""
	}
	test := strings.HasSuffix(base, "_test.go")
	production := !test && !tool(pkg, f.Name.Name)

	c.directives(rel, set, f)
	c.waits(rel, f)
	for _, spec := range f.Imports {
		c.imports(rel, pkg, spec, production, secret(pkg, base))
	}
	if test {
		c.skips(rel, f)
	}
	if !production {
		return
	}
	if layer(pkg) < 0 {
		c.report(rel, "package has no place in the order of layers")
	}
	if imports(f, "unsafe") && builtUnderPurego(src) {
		c.report(rel, "unsafe in a file that purego does not exclude")
	}
	for line := range strings.Lines(string(src)) {
		if constraint.IsGoBuild(line) {
			c.lines[rel] = strings.TrimSpace(line)
		}
	}
	for _, decl := range f.Decls {
		c.declaration(rel, pkg, decl)
		if d, ok := decl.(*ast.FuncDecl); ok {
			c.functions[pkg] = append(c.functions[pkg], function{rel, d})
		}
	}
	c.assignments(rel, pkg, f)
	c.panicking(rel, f)
	c.reads(rel, f)
	for _, group := range f.Comments {
		for _, line := range group.List {
			if strings.HasPrefix(line.Text, "//go:linkname") {
				c.report(rel, "go:linkname")
			}
		}
	}
	if secret(pkg, base) {
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && strings.HasSuffix(id.Name, "Vartime") {
				c.report(rel, "holds secrets and names "+id.Name)
			}
			return true
		})
	}
}

// imports checks that the file rel in package pkg may import the package that spec names.
func (c *checker) imports(rel, pkg string, spec *ast.ImportSpec, production, secret bool) {
	imported := strings.Trim(spec.Path.Value, `"`)
	inner, inCore := strings.CutPrefix(imported+"/", module+"/")
	inner = strings.TrimSuffix(inner, "/")
	switch {
	case !inCore && strings.Contains(strings.Split(imported, "/")[0], "."):
		if imported != "golang.org/x/sys/cpu" || production && pkg != "internal/cpu" {
			c.report(rel, "imports "+imported+
				": the core depends on golang.org/x/sys/cpu in internal/cpu and on nothing else")
		}
	case !production:
	case !inCore:
		if why, ok := banned[imported]; ok && c.allowed(spec) == "" {
			c.report(rel, "imports "+imported+": "+why)
		}
	case layer(inner) < 0:
		c.report(rel, "imports "+inner+", which is not for production code")
	case layer(inner) >= layer(pkg) && layer(pkg) >= 0:
		c.report(rel, "imports "+inner+", which is not below it")
	case onlyFrom[inner] != nil && !slices.Contains(onlyFrom[inner], pkg):
		c.report(rel, "imports "+inner+", which is for "+strings.Join(onlyFrom[inner], " and "))
	case secret && strings.HasPrefix(inner, "internal/vartime"):
		c.report(rel, "holds secrets and imports vartime")
	case secret && (inner == "internal/engine" || inner == "device"):
		c.report(rel, "holds secrets and imports "+inner+
			", from which data reach accelerators and pools")
	}
}

// declaration reports init functions, and package-level variables without a directive. Embedded
// strings, errors and checks of interfaces need none.
func (c *checker) declaration(rel, pkg string, decl ast.Decl) {
	if f, ok := decl.(*ast.FuncDecl); ok {
		if f.Recv == nil && f.Name.Name == "init" {
			c.report(rel, "init function")
		}
		return
	}
	gen, ok := decl.(*ast.GenDecl)
	if ok && gen.Tok == token.CONST {
		c.constants(rel, pkg, gen)
	}
	if !ok || gen.Tok != token.VAR {
		return
	}
	group := c.allowed(gen)
	for _, spec := range gen.Specs {
		spec := spec.(*ast.ValueSpec)
		if embedded(gen.Doc) || embedded(spec.Doc) {
			if id, ok := spec.Type.(*ast.Ident); !ok || id.Name != "string" {
				c.report(rel, "embeds "+spec.Names[0].Name+
					" as something that can be written to: embed a string")
			}
			continue
		}
		for i, name := range spec.Names {
			if name.Name == "_" || i < len(spec.Values) && isNewError(spec.Values[i]) {
				continue
			}
			full := strings.TrimPrefix(pkg+"."+name.Name, ".")
			switch cmp.Or(c.allowed(spec), group) {
			case "":
				c.report(rel, "variable "+full+" has no directive")
			case "allow":
				c.variables[full] = true
			}
		}
	}
}

// constants reports typed constants that have the value 0 and no directive. They are not allowed
// because a variable that was never set must not equal a constant with a meaning.
func (c *checker) constants(rel, pkg string, gen *ast.GenDecl) {
	for _, spec := range gen.Specs {
		spec := spec.(*ast.ValueSpec)
		if spec.Type == nil || len(spec.Values) != 1 {
			continue
		}
		value := spec.Values[0]
		if call, ok := value.(*ast.CallExpr); ok && len(call.Args) == 1 { // a conversion
			value = call.Args[0]
		}
		id, isIota := value.(*ast.Ident)
		literal, isLiteral := value.(*ast.BasicLit)
		if !(isIota && id.Name == "iota" || isLiteral && literal.Value == "0") {
			continue
		}
		if full := strings.TrimPrefix(pkg+"."+spec.Names[0].Name, "."); c.allowed(spec) == "" {
			c.report(rel, "constant "+full+" is 0, what a variable is that nobody has set: begin at 1")
		}
	}
}

// panicking reports calls of panic without a directive.
func (c *checker) panicking(rel string, f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if id, ok := call.Fun.(*ast.Ident); !ok || id.Name != "panic" || len(call.Args) != 1 {
			return true
		}
		if c.allowed(call) == "" {
			text := "of a value"
			if literal, ok := call.Args[0].(*ast.BasicLit); ok {
				text = literal.Value
			}
			c.report(rel, "panic "+text+" has no directive")
		}
		return true
	})
}

// assignments records the name of every variable that the file assigns to, in whole or in part. It
// does not tell local variables from others. So an assignment to a local variable with the name of
// a package-level variable is reported, and the local variable should be renamed.
func (c *checker) assignments(rel, pkg string, f *ast.File) {
	note := func(e ast.Expr) {
		for {
			switch x := e.(type) {
			case *ast.SelectorExpr:
				e = x.X
				continue
			case *ast.IndexExpr:
				e = x.X
				continue
			case *ast.ParenExpr:
				e = x.X
				continue
			case *ast.Ident:
				c.written = append(c.written, [2]string{rel, pkg + "." + x.Name})
			}
			return
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				note(lhs)
			}
		case *ast.IncDecStmt:
			note(n.X)
		}
		return true
	})
}

// foreignFile reports assembly that a build with the tag purego includes, and every file that is
// neither Go nor assembly.
func (c *checker) foreignFile(rel string, src []byte) {
	switch {
	case path.Ext(rel) != ".s":
		c.report(rel, "not Go and not assembly")
	case builtUnderPurego(src):
		c.report(rel, "assembly that purego does not exclude")
	}
}

// otherModule checks a file of the modules that users install, and of lab/bench. The code of the
// command and of bitcoin, ethereum, nostr and x must import only public packages of the core,
// although the toolchain would allow it internal packages; its tests may also import lab. The same
// holds for the code of gpu, except tests and packages only for tests: see devices. The tests of
// all these modules must follow the rules on skips, and their code the rule on reads. lab/bench may
// import internal packages, since it measures their arithmetic. In all modules, a typed constant
// that is 0 needs a directive, and tests must follow the rule on waits.
func (c *checker) otherModule(rel string, set *token.FileSet, f *ast.File) {
	top, _, _ := strings.Cut(rel, "/")
	if !slices.Contains([]string{"bitcoin", "cmd", "ethereum", "gpu", "nostr", "x"}, top) &&
		!strings.HasPrefix(rel, "lab/bench/") {
		return
	}
	test := strings.HasSuffix(rel, "_test.go")
	c.directives(rel, set, f)
	for _, decl := range f.Decls {
		if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.CONST && !test &&
			!devicesTool(path.Dir(rel)) {
			c.constants(rel, path.Dir(rel), gen)
		}
	}
	c.waits(rel, f)
	if top == "lab" {
		return
	}
	if test {
		c.skips(rel, f)
	} else if !strings.Contains(rel, "/lab/") {
		c.reads(rel, f)
	}
	if top == "cmd" {
		c.commands(rel, f)
	}
	if top == "gpu" {
		if !test {
			c.devices(rel, path.Dir(rel), f)
		}
		return
	}
	for _, spec := range f.Imports {
		inner, ok := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module+"/")
		if path.Base(rel) == "mark_valgrind.go" && inner == "internal/ct" ||
			strings.Contains(rel, "/internal/ct/subject/") && inner == "lab/ctcheck/cases" {
			continue // only lab/ctcheck builds it
		}
		if test && (testHelper(inner) || inner == "internal/changing" ||
			strings.HasPrefix(inner, "lab/")) {
			continue
		}
		if ok && (strings.HasPrefix(inner, "internal/") || strings.HasPrefix(inner, "lab/")) {
			c.report(rel, "imports "+inner+", which is not public")
		}
	}
}

// commands checks which packages that run subcommands a file of the command's module imports: see
// commandOrder. Tests may also import helpers of tests, and those any package.
func (c *checker) commands(rel string, f *ast.File) {
	const folder = "cmd/koblitz/"
	pkg, test := strings.TrimPrefix(path.Dir(rel)+"/", folder), strings.HasSuffix(rel, "_test.go")
	pkg = strings.TrimSuffix(pkg, "/")
	own := layerIn(commandOrder, pkg)
	if strings.HasPrefix(pkg, "internal/command") && own < 0 && !testHelper(pkg) {
		c.report(rel, "package has no place in the order of layers")
	}
	for _, spec := range f.Imports {
		inner := strings.TrimPrefix(strings.Trim(spec.Path.Value, `"`), module+"/"+folder)
		if !strings.HasPrefix(inner+"/", "internal/command/") || testHelper(pkg) {
			continue
		}
		switch imported := layerIn(commandOrder, inner); {
		case imported < 0 && !(test && testHelper(inner)):
			c.report(rel, "imports "+inner+", which is not for production code")
		case imported >= own && imported >= 0:
			c.report(rel, "imports "+inner+", which is not below it")
		}
	}
}

// devices checks the imports of a file of the module gpu that is not a test: see forDevices.
// Packages that are only for tests may import anything. Programs may import anything except
// internal packages of the core, so that the versions of gpu and of the core may differ.
func (c *checker) devices(rel, pkg string, f *ast.File) {
	if devicesTool(pkg) {
		return
	}
	program := f.Name.Name == "main"
	for _, spec := range f.Imports {
		name := strings.Trim(spec.Path.Value, `"`)
		inner, inModule := strings.CutPrefix(name, module+"/")
		own, inGPU := strings.CutPrefix(inner, "gpu/")
		switch {
		case inModule && (strings.HasPrefix(inner, "internal/") || strings.HasPrefix(inner, "lab/")):
			c.report(rel, "imports "+inner+", which is not public")
		case program || slices.Contains(forDevices[pkg], inner):
		case inModule && inGPU && devicesTool("gpu/"+own):
			c.report(rel, "imports "+inner+", which is for tests")
		case name == "unsafe", !inModule && name != module &&
			!strings.HasPrefix(name, "golang.org/x/sys/") &&
			strings.Contains(strings.Split(name, "/")[0], "."):
			c.report(rel, "imports "+name+", which is for the roads to devices")
		}
	}
}

// layer returns the index of a package's layer in order, or -1.
func layer(pkg string) int { return layerIn(order, pkg) }

func layerIn(order [][]string, pkg string) int {
	return slices.IndexFunc(order, func(l []string) bool { return slices.Contains(l, pkg) })
}

func imports(f *ast.File, pkg string) bool {
	return slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool {
		return s.Path.Value == strconv.Quote(pkg)
	})
}

func embedded(doc *ast.CommentGroup) bool {
	return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//go:embed ")
	})
}

// isNewError reports whether expression e is a call of errors.New.
func isNewError(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "errors" && sel.Sel.Name == "New"
}

// builtUnderPurego reports whether a build with the tag purego includes the file on some machine.
// The build for memcheck does not count, because marking secrets needs assembly.
func builtUnderPurego(src []byte) bool {
	for line := range strings.Lines(string(src)) {
		if !constraint.IsGoBuild(line) {
			continue
		}
		expr, err := constraint.Parse(line)
		if err != nil {
			return true
		}
		return satisfiable(expr)
	}
	return true
}

// satisfiable reports whether expr is true for some setting of the build tags in which purego is
// set and valgrind is not. It may return true by mistake, because it sets each occurrence of a tag
// separately.
func satisfiable(expr constraint.Expr) bool {
	var can func(e constraint.Expr, want bool) bool
	can = func(e constraint.Expr, want bool) bool {
		switch e := e.(type) {
		case *constraint.TagExpr:
			switch e.Tag {
			case "purego":
				return want
			case "valgrind":
				return !want
			}
			return true
		case *constraint.NotExpr:
			return can(e.X, !want)
		case *constraint.AndExpr:
			if want {
				return can(e.X, true) && can(e.Y, true)
			}
			return can(e.X, false) || can(e.Y, false)
		case *constraint.OrExpr:
			if want {
				return can(e.X, true) || can(e.Y, true)
			}
			return can(e.X, false) && can(e.Y, false)
		}
		return true
	}
	return can(expr, true)
}
