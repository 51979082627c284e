// Command generate writes the assembly of a package of the core, the declarations of the
// kernels, and the seam that calls them:
//
//	go run ./cmd/generate -package field -dir ../internal/field
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/koblitz-go/koblitz/_asm/kernels"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/buildtags"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

const generated = "_asm/cmd/generate"

func main() {
	log.SetFlags(0)
	pkg := flag.String("package", "", "folder under internal")
	dir := flag.String("dir", "", "where the files go")
	flag.Parse()
	files := map[string][]kernels.Kernel{}
	for _, k := range kernels.All() {
		if k.Package == *pkg {
			files[k.File] = append(files[k.File], k)
		}
	}
	if len(files) == 0 {
		log.Fatalf("no kernels for package %q", *pkg)
	}
	for name, list := range files {
		if err := write(*dir, name, list); err != nil {
			log.Fatal(err)
		}
	}
	texts, err := seam(*pkg)
	if err != nil {
		log.Fatal(err)
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(*dir, name), text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// write makes NAME.s.
func write(dir, name string, list []kernels.Kernel) error {
	c := build.NewContext()
	for _, k := range list {
		k.Add(c)
	}
	file, err := c.Result()
	if err != nil {
		return err
	}
	constraint, err := buildtags.ParseConstraint("amd64,!purego")
	if err != nil {
		return err
	}
	file.Constraints = buildtags.And(constraint)
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	text, err := assembly(file, list)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name+".s"), text, 0o644)
}

// assembly prints a file with each kernel's contract above it.
func assembly(file *ir.File, list []kernels.Kernel) ([]byte, error) {
	raw, err := printer.NewGoAsm(printer.Config{Name: generated}).Print(file)
	if err != nil {
		return nil, err
	}
	text := string(raw)
	for _, k := range list {
		at := "// func " + k.Name + "("
		if strings.Count(text, at) != 1 {
			return nil, fmt.Errorf("%s is not in its file once", k.Name)
		}
		text = strings.Replace(text, at, header(&k)+at, 1)
	}
	return []byte(text), nil
}

// header is the contract as it stands in the .s file.
func header(k *kernels.Kernel) string {
	var b strings.Builder
	for _, line := range strings.Split(k.Doc, "\n") {
		fmt.Fprintf(&b, "// %s\n", line)
	}
	b.WriteString("//\n" +
		"// The CPU must have the extensions named below; the caller asks. Memory need not\n" +
		"// be aligned. General registers other than SP and BP are not preserved.\n")
	switch {
	case k.Clears:
		b.WriteString("// Constant time. There is no frame.\n")
	case k.Wipes:
		b.WriteString("" +
			"// Constant time in what the pointers point to. The frame is wiped, general\n" +
			"// registers are not.\n")
	case k.ConstantTime:
		b.WriteString("" +
			"// Constant time in what the pointers point to. General registers and the frame\n" +
			"// are not wiped.\n")
	default:
		b.WriteString("// Not constant time.\n")
	}
	b.WriteString("//\n")
	return b.String()
}
