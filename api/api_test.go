// Package api consists of a test. It compares the exported names of every public package with the
// text files in this folder, so that a change of an exported name shows in review as a change of
// these files. The packages are those of the core, except compat/impl, and of the modules bitcoin,
// ethereum and nostr. The test parses packages and does not import them. To update the files:
//
//	go test ./api -update
package api

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/koblitz-go/koblitz"

var update = flag.Bool("update", false, "write the text files instead of comparing with them")

// TestDeclarations checks that the exported names of each package are those in the text files, on
// every architecture and with the build tag purego.
func TestDeclarations(t *testing.T) {
	root := ".."
	dirs, err := publicPackages(root)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, dir := range dirs {
		name := strings.ReplaceAll(filepath.ToSlash(dir), "/", "_") + ".txt"
		if dir == "." {
			name = "koblitz.txt"
		}
		files = append(files, name)

		got := declarations(t, root, dir, "amd64")
		for _, other := range []struct {
			arch string
			tags []string
		}{{"amd64", []string{"purego"}}, {"arm64", nil}, {"386", nil}, {"s390x", nil}} {
			if declarations(t, root, dir, other.arch, other.tags...) != got {
				t.Errorf("%s: the API for %s %v differs from that for amd64", dir, other.arch, other.tags)
			}
		}
		if *update {
			if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Errorf("%s: %v (go test ./api -update)", dir, err)
			continue
		}
		if want := strings.ReplaceAll(string(want), "\r\n", "\n"); got != want {
			t.Errorf("%s has changed (go test ./api -update):\n%s", dir, difference(want, got))
		}
	}
	old, err := filepath.Glob("*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range old {
		if !slices.Contains(files, name) && !ofAbsentModule(root, name) {
			t.Errorf("%s describes no package", name)
		}
	}
}

// ofAbsentModule reports whether a text file describes a package of a module whose folder is not
// there. This is so in Go's module cache, where the core has no folders of other modules.
func ofAbsentModule(root, name string) bool {
	folder, _, _ := strings.Cut(strings.TrimSuffix(name, ".txt"), "_")
	_, err := os.Stat(filepath.Join(root, folder))
	return slices.Contains(modules, folder) && errors.Is(err, fs.ErrNotExist)
}

// modules lists the folders of the other modules whose exported names are compared.
var modules = []string{"bitcoin", "ethereum", "nostr"}

// publicPackages returns the folders of the packages that programs can import, in the core without
// compat/impl and in modules. Their exported names are promised to stay (docs/releases.md).
func publicPackages(root string) (dirs []string, err error) {
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, name)
		if !d.IsDir() {
			return nil
		}
		if rel != "." {
			base := d.Name()
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			if err == nil && !slices.Contains(modules, rel) ||
				rel == filepath.Join("compat", "impl") || rel == "lab" ||
				base == "internal" || base == "testdata" || base[0] == '.' || base[0] == '_' {
				return fs.SkipDir
			}
		}
		p, err := build.ImportDir(name, 0)
		if err == nil && p.Name != "main" && len(p.GoFiles) > 0 {
			dirs = append(dirs, rel)
		}
		return nil
	})
	return dirs, err
}

// declarations returns the exported declarations of a package as text, without comments and bodies.
func declarations(t *testing.T, root, dir, arch string, tags ...string) string {
	t.Helper()
	ctx := build.Default
	ctx.GOARCH, ctx.GOOS, ctx.CgoEnabled, ctx.BuildTags = arch, "linux", false, tags
	p, err := ctx.ImportDir(filepath.Join(root, dir), 0)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	d, err := doc.NewFromFiles(fset, files, filepath.ToSlash(filepath.Join(module, dir)))
	if err != nil {
		t.Fatal(err)
	}

	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s // import %q\n", d.Name, d.ImportPath)
	write := func(indent int, node any) {
		b.WriteString("\n")
		var text bytes.Buffer
		config := printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8, Indent: indent}
		if err := config.Fprint(&text, token.NewFileSet(), node); err != nil {
			t.Fatal(err)
		}
		// go/doc inserts a comment where it removed fields. The printer has no positions for this
		// comment and puts it after the closing brace, so the test replaces it by a comment inside
		// the braces.
		const filtered = "// contains filtered or unexported fields"
		source := strings.NewReplacer("{\n\n}"+filtered, "{ /* unexported fields */ }",
			"\n\n}"+filtered, "\n\t/* unexported fields */\n}").Replace(text.String())
		b.WriteString(strings.TrimRight(source, "\n"))
	}
	values := func(indent int, values []*doc.Value) {
		for _, v := range values {
			write(indent, v.Decl)
			b.WriteString("\n")
		}
	}
	funcs := func(indent int, funcs []*doc.Func) {
		for _, f := range funcs {
			f.Decl.Body = nil
			write(indent, f.Decl)
		}
		if len(funcs) > 0 {
			b.WriteString("\n")
		}
	}
	values(0, d.Consts)
	values(0, d.Vars)
	funcs(0, d.Funcs)
	for _, typ := range d.Types {
		write(0, typ.Decl)
		b.WriteString("\n")
		values(1, typ.Consts)
		values(1, typ.Vars)
		funcs(1, typ.Funcs)
		funcs(1, typ.Methods)
	}
	return b.String()
}

// difference lists the lines that are in only one of the two texts.
func difference(want, got string) string {
	var b strings.Builder
	only := func(sign string, a, other []string) {
		for _, line := range a {
			if !slices.Contains(other, line) {
				fmt.Fprintf(&b, "%s %s\n", sign, line)
			}
		}
	}
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	only("-", w, g)
	only("+", g, w)
	if b.Len() == 0 {
		b.WriteString("the order of lines\n")
	}
	return b.String()
}
