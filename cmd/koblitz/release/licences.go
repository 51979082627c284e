package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// allowed lists the SPDX identifiers of the licences that linked modules may have.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"}

// accepted maps the SHA-256 of licence files to their identifiers. They have words that are not the
// text of known licences, and have been read.
var accepted = map[string]string{
	// github.com/xi2/xz, which its authors have put into the public domain
	"5c640056d513f276d56635af7a0bed81cb7eac02a31b6e56d40c416557a8d8ce": "LicenseRef-Public-Domain",
	// github.com/klauspost/compress, which says to which folders each licence belongs
	"0d9e582ee4bff57bf1189c9e514e6da7ce277f9cd3bc2d488b22fbb39a6d87cf": "Apache-2.0 BSD-3-Clause MIT",
	// github.com/parquet-go/parquet-go, which says that it has files of Apache Parquet
	"6720c58d56926778b4656eb72c446ef65e8a416e2d2af498c8caaab24a02c8e9": "Apache-2.0",
}

// others is the number of words in a licence file that may not be the text of known licences, such
// as BSD 3-Clause License. A condition has more.
const others = 3

// legal matches the names of files with a licence or a notice, and licence those with a licence.
var (
	legal   = regexp.MustCompile(`(?i)^([\w.-]*licen[cs]e|copying|copyright|notice|patents)[\w.-]*$`)
	licence = regexp.MustCompile(`(?i)licen[cs]e|^copying`)
)

// A module is a module that a program links, or the standard library.
type module struct {
	path, version, sum string
	licences           []string // SPDX identifiers, sorted; all of them apply
	notices            []file   // licence files; none for modules of this repository
}

// linked returns the modules that a binary links, with their licences, and first the standard
// library. The other arguments are those with which it was built.
func (r *release) linked(info *buildinfo.BuildInfo, dir string, env, flags []string) (
	[]module, error) {
	packages, err := r.packages(dir, env, append(flags, "."))
	if err != nil {
		return nil, err
	}
	std, err := newModule("std", r.goroot, []string{r.goroot})
	std.version = strings.TrimPrefix(info.GoVersion, "go")
	if err != nil {
		return nil, err
	}
	modules := []module{std}
	for _, dep := range info.Deps {
		p, ok := packages[dep.Path]
		if !ok {
			return nil, fmt.Errorf("go list does not name %s, which is linked", dep.Path)
		}
		delete(packages, dep.Path)
		m := module{path: dep.Path, licences: r.licences}
		if dep.Replace == nil {
			m, err = newModule(dep.Path, p.module, p.folders)
		} else if !strings.HasPrefix(dep.Path+"/", repositoryPath+"/") {
			err = fmt.Errorf("%s is replaced", dep.Path)
		}
		if err != nil {
			return nil, err
		}
		m.version, m.sum = dep.Version, dep.Sum
		modules = append(modules, m)
	}
	delete(packages, info.Main.Path)
	for path := range packages {
		return nil, fmt.Errorf("go list names %s, which is not linked", path)
	}
	return modules, nil
}

// linkedPackages holds the folder of a module, and those of the packages in it that are linked.
type linkedPackages struct {
	module  string
	folders []string
}

// packages calls go list with the given flags and packages, and returns by module path the packages
// that they need, without those of the standard library.
func (r *release) packages(dir string, env, args []string) (map[string]linkedPackages, error) {
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=Dir,Module"}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, env, os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	found := map[string]linkedPackages{}
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var p struct {
			Dir    string
			Module *struct{ Path, Dir string }
		}
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		if m := p.Module; m != nil {
			found[m.Path] = linkedPackages{m.Dir, append(found[m.Path].folders, p.Dir)}
		}
	}
	return found, nil
}

// newModule returns a module with the licence files that cover the given packages: those in their
// folders, and in the folders above up to the module's.
func newModule(path, root string, packages []string) (module, error) {
	m := module{path: path}
	seen := map[string]bool{}
	for _, dir := range packages {
		for ; !seen[dir]; dir = filepath.Dir(dir) {
			seen[dir] = true
			entries, err := os.ReadDir(dir)
			if err != nil {
				return m, err
			}
			for _, e := range entries {
				if e.IsDir() || !legal.MatchString(e.Name()) || filepath.Ext(e.Name()) == ".go" {
					continue
				}
				data, err := os.ReadFile(filepath.Join(dir, e.Name()))
				if err != nil {
					return m, err
				}
				name, err := filepath.Rel(root, filepath.Join(dir, e.Name()))
				if err != nil {
					return m, err
				}
				m.notices = append(m.notices, file{name: filepath.ToSlash(name), data: data})
			}
			if dir == root {
				break
			}
		}
	}
	m.notices = sorted(m.notices)
	var err error
	if m.licences, err = classify(m.notices); err != nil {
		err = fmt.Errorf("the licence of %s: %w", path, err)
	}
	return m, err
}

// classify returns the identifiers of the licences in a module's files. It returns an error if no
// file has a licence, or if a licence is not allowed.
func classify(files []file) (ids []string, err error) {
	for _, f := range files {
		if !licence.MatchString(filepath.Base(f.name)) {
			continue
		}
		if known := accepted[fmt.Sprintf("%x", sha256.Sum256(f.data))]; known != "" {
			ids = append(ids, strings.Fields(known)...)
			continue
		}
		found := licensecheck.Scan(f.data).Match
		for _, m := range found {
			if !slices.Contains(allowed, m.ID) {
				return nil, fmt.Errorf("%s: %s is not allowed", f.name, m.ID)
			}
			ids = append(ids, m.ID)
		}
		if n := unknown(f.data, found); n > others || found == nil {
			return nil, fmt.Errorf("%s: %d words are not the text of known licences", f.name, n)
		}
	}
	if ids == nil {
		return nil, errors.New("no file has one")
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// unknown returns the number of words in a text between and around licences in it.
func unknown(text []byte, found []licensecheck.Match) (n int) {
	at := 0
	for _, m := range found {
		n += len(bytes.Fields(text[at:m.Start]))
		at = m.End
	}
	return n + len(bytes.Fields(text[at:]))
}

// notices returns the file with the licences of all modules that programs link.
func notices(programs ...program) file {
	var modules []module
	for _, p := range programs {
		modules = append(modules, p.modules...)
	}
	slices.SortFunc(modules, func(a, b module) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.version, b.version))
	})
	modules = slices.CompactFunc(modules, func(a, b module) bool {
		return a.path == b.path && a.version == b.version
	})
	text := []byte("Licences and notices of the software that this package contains besides " +
		"koblitz, whose licence\nis in LICENSE. The standard library of Go has the name std.\n")
	for _, m := range modules {
		for _, f := range m.notices {
			text = fmt.Appendf(text, "\n%s\n%s %s: %s\n\n%s\n", strings.Repeat("=", 80), m.path, m.version,
				f.name, bytes.TrimSpace(f.data))
		}
	}
	return file{name: "NOTICES", data: text}
}
