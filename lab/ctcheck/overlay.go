package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// An overlay maps the absolute names of files of the library to the texts that replace these files
// in one build (go build -overlay).
type overlay map[string]string

// write writes the texts of the overlay to files in dir. It returns the name of the file that lists
// them for go build -overlay.
func (o overlay) write(dir string) (list string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, text := range o {
		file := filepath.Join(dir, strconv.Itoa(len(replace))+"_"+filepath.Base(name))
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			return "", err
		}
		replace[name] = file
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	list = filepath.Join(dir, "overlay.json")
	return list, os.WriteFile(list, b, 0o666)
}

// read returns the text of a file of the library.
func (o overlay) read(name string) (string, error) {
	if text, ok := o[name]; ok {
		return text, nil
	}
	b, err := os.ReadFile(name)
	return string(b), err
}

// A goPackage is the description of a package that go list prints for one build.
type goPackage struct {
	ImportPath, Dir, Export     string
	GoFiles, SFiles, EmbedFiles []string
}

// ours reports whether the package is one of the library, and not of the standard library.
func (p *goPackage) ours() bool { return strings.HasPrefix(p.ImportPath, library) }

// name returns the path of the package below the module's path.
func (p *goPackage) name() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, library), "/")
}

// listPackages returns the packages that a subject depends on when it is built with the given tags,
// each after those that it imports. Further flags are for go list.
func listPackages(subject, tags string, flags ...string) (all []goPackage, err error) {
	args := append([]string{"list", "-deps", "-tags", tags,
		"-json=ImportPath,Dir,Export,GoFiles,SFiles,EmbedFiles"}, flags...)
	list := exec.Command("go", append(args, subject)...)
	list.Env, list.Stderr = environment(), os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p goPackage
		if err := dec.Decode(&p); err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, p)
	}
	return all, nil
}

// buildSubject builds the package of a subject. Files in the overlay o replace those of the
// library.
func buildSubject(program, pkg, tags string, o overlay) error {
	list, err := o.write(program + ".overlay")
	if err != nil {
		return err
	}
	// Memcheck needs debug information, which GOFLAGS may leave out. With -trimpath the compiler
	// names files by the package's path.
	build := exec.Command("go", "build", "-trimpath", "-gcflags=all=-dwarf=true", "-tags", tags,
		"-overlay", list, "-o", program, pkg)
	build.Env, build.Stderr = environment(), os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("building the subject: %w", err)
	}
	return nil
}
