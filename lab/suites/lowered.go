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

// unpack copies a released module, given as PATH@VERSION, to folder dir. In the copy's go.mod, the
// go line is the language version of the running Go.
//
// The go.mod of btcec v2.5.1 requires Go 1.26.10, so older go commands refuse to build it, although
// its code needs nothing newer than Go 1.25.
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
