package main

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	goversion "go/version"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// aboveVersion is the version of btcec that the drop-in for btcec replaces.
//
// The go.mod of this version requires Go 1.26.10, so older go commands refuse to build it, although
// its code needs nothing newer than Go 1.25. So suites builds a copy with another go line.
const aboveVersion = "v2.5.1"

// unpack copies a released module, given as PATH@VERSION, to folder dir. In the copy's go.mod, the
// go line is the language version of the running Go.
func unpack(module, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	download := exec.Command("go", "mod", "download", "-json", module)
	download.Dir = dir // so that the command runs outside of any module
	download.Env = append(os.Environ(), "PWD="+dir, "GOWORK=off", "GOFLAGS=")
	// go mod download verifies the module's hash before it fails because of the go line.
	out, failed := download.Output()
	var got struct{ Zip, Error string }
	if err := json.Unmarshal(out, &got); err != nil || got.Zip == "" {
		return fmt.Errorf("%s: %w %s", module, errors.Join(failed, err), got.Error)
	}
	archive, err := zip.OpenReader(got.Zip)
	if err != nil {
		return err
	}
	defer archive.Close()
	files, err := fs.Sub(archive, module)
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, files); err != nil {
		return err
	}
	line := strings.TrimPrefix(goversion.Lang(runtime.Version()), "go")
	return exec.Command("go", "mod", "edit", "-go="+line, filepath.Join(dir, "go.mod")).Run()
}

// lower makes the build use a copy of the suite's first module with another go line, if s.lowered
// is set. The method raise removes the replace line that lower adds to go.mod.
func (m *module) lower(s suite) error {
	if !s.lowered {
		return nil
	}
	copied := filepath.Join(m.dir, "lowered")
	if _, err := os.Stat(copied); err != nil {
		if err := unpack(s.modules[0], copied); err != nil {
			return err
		}
	}
	_, err := m.output("mod", "edit", "-replace="+s.modules[0]+"="+copied)
	return err
}

func (m *module) raise(s suite) error {
	_, err := m.output("mod", "edit", "-dropreplace="+s.modules[0])
	return err
}
