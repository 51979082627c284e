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

// aboveVersion is the version of the module above that its drop-in stands for.
//
// Its go.mod asks for Go 1.26.10, which an older go command refuses to build, and its code for
// nothing that Go 1.25 lacks. So the module is built from a copy with another go line.
const aboveVersion = "v2.5.1"

// unpack puts a copy of a module, PATH@VERSION as released, into the folder dir. In the go.mod of
// the copy, the go line is the version of the language of the Go that runs.
func unpack(module, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	download := exec.Command("go", "mod", "download", "-json", module)
	download.Dir = dir // in no module
	download.Env = append(os.Environ(), "PWD="+dir, "GOWORK=off", "GOFLAGS=")
	// go mod download checks the sum of what it fetches, and then fails because of the go line.
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

// lower has the first module of the suite built from a copy that unpack makes, if the suite asks
// for that. raise takes the replace line for the copy away.
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
