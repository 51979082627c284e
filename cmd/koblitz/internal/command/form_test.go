package command

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
)

// TestForm checks that no line is longer than 100 columns and no file longer than 600 lines.
func TestForm(t *testing.T) {
	count := 0
	err := filepath.WalkDir(commandtest.Module, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		count++
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		if len(lines) > 600 {
			t.Errorf("%s has %d lines", name, len(lines))
		}
		for i, line := range lines {
			if n := utf8.RuneCountInString(line); n > 100 {
				t.Errorf("%s:%d has %d columns", name, i+1, n)
			}
		}
		return nil
	})
	if err != nil || count < 90 {
		t.Errorf("%d files, %v", count, err)
	}
}

// TestEveryWrite checks the source code: only cli.Main may use the outputs of the process. It
// passes them to cli.Run, which makes all text printable.
func TestEveryWrite(t *testing.T) {
	files := 0
	err := filepath.WalkDir(commandtest.Module, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path,
			"_test.go") || strings.Contains(path, "generate") || strings.Contains(path, "release") ||
			strings.HasSuffix(filepath.Dir(path), "test") {
			return err
		}
		files++
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			name := ""
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if pkg, ok := n.X.(*ast.Ident); ok {
					name = pkg.Name + "." + n.Sel.Name
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.Ident); ok {
					name = f.Name
				}
			}
			switch name {
			case "os.Stdout", "os.Stderr", "fmt.Print", "fmt.Printf", "fmt.Println", "print", "println",
				"os.NewFile", "syscall.Write":
				if filepath.Base(path) != "cli.go" {
					t.Errorf("%s: %s", fset.Position(n.Pos()), name)
				}
			}
			return true
		})
		for _, imported := range file.Imports {
			if imported.Path.Value == `"log"` || imported.Path.Value == `"log/slog"` {
				t.Errorf("%s: imports %s", path, imported.Path.Value)
			}
		}
		return nil
	})
	if err != nil || files < 40 {
		t.Errorf("%d files, %v", files, err)
	}
}

// TestBoundedReads checks the source code of the packages that read inputs of the command check.
// They must not use functions whose memory grows with the input, such as io.ReadAll or a decoder or
// scanner with a growing buffer.
func TestBoundedReads(t *testing.T) {
	forbidden := map[string]bool{"io.ReadAll": true, "os.ReadFile": true, "json.NewDecoder": true,
		"bufio.NewScanner": true, "io.Copy": true}
	methods := map[string]bool{"ReadString": true, "ReadBytes": true, "ReadLine": true,
		"ReadFrom": true}
	// These calls are allowed because they read only a bounded number of bytes.
	allowed := map[string]bool{
		"bitcoin/noundo.go io.Copy":          true, // discards the data
		"nostr/documents.go json.NewDecoder": true, // reads the beginning of a file
		"node/client.go io.ReadAll":          true, // reads responses of limited size
		"reading/input.go io.Copy":           true, // discards the data
		"bitcoin/rawblock.go io.ReadAll":     true, // reads the bytes of a block
	}
	files := 0
	for _, dir := range []string{"bitcoin", "check", "ethereum", "node", "nostr", "packed",
		"reading"} {
		names, err := filepath.Glob(filepath.Join(commandtest.Module, "internal", dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range names {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			files++
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				name := s.Sel.Name
				if pkg, ok := s.X.(*ast.Ident); ok {
					name = pkg.Name + "." + name
				}
				if (forbidden[name] || methods[s.Sel.Name]) && !allowed[dir+"/"+filepath.Base(path)+" "+name] {
					t.Errorf("%s: %s", fset.Position(n.Pos()), name)
				}
				return true
			})
		}
	}
	if files < 30 {
		t.Errorf("%d files", files)
	}
}
