package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestArchives checks that archives of the same files, given in any order, have the same bytes, and
// that unpacking an archive returns the files.
func TestArchives(t *testing.T) {
	files := []file{{"koblitz", []byte("binary"), true}, {"LICENSE", []byte("text"), false},
		{"man/koblitz.1", []byte("page"), false}}
	at := time.Unix(1700000000, 0).UTC()
	want := []string{"x/LICENSE 644 text", "x/koblitz 755 binary", "x/man/koblitz.1 644 page"}
	for name, write := range map[string]func(string, string, time.Time, []file){
		"a.tar.gz": writeTar, "a.zip": writeZip,
	} {
		dir := t.TempDir()
		one, two := filepath.Join(dir, "1"+name), filepath.Join(dir, "2"+name)
		write(one, "x", at, files)
		other := slices.Clone(files)
		slices.Reverse(other)
		write(two, "x", at, other)
		data := must(os.ReadFile(one))
		if !bytes.Equal(data, must(os.ReadFile(two))) {
			t.Errorf("%s: other bytes", name)
		}
		read := readTar
		if name == "a.zip" {
			read = readZip
		}
		var got []string
		for _, f := range read(data) {
			got = append(got, fmt.Sprintf("%s %o %s", f.name, f.mode(), f.data))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestSBOM checks that an SBOM lists the modules with their licences, and the hash of a binary,
// here this test binary.
func TestSBOM(t *testing.T) {
	binary := must(os.ReadFile(must(os.Executable())))
	r := release{version: "v9.8.7", licences: []string{"BSD-3-Clause"}}
	bom := r.sbom(program{file: file{"koblitz.exe", binary, true},
		info: must(buildinfo.Read(bytes.NewReader(binary))),
		modules: []module{{path: "example.org/m", version: "v1.2.0", sum: "h1:x",
			licences: []string{"ISC", "MIT"}}}})
	if bom.name != "koblitz.cdx.json" {
		t.Error(bom.name)
	}
	for _, want := range []string{`"bomFormat": "CycloneDX"`, `"version": "v9.8.7"`,
		`"pkg:golang/example.org/m@v1.2.0"`, `"expression": "ISC AND MIT"`, `"value": "h1:x"`,
		`"name": "go:build:GOARCH"`, fmt.Sprintf(`"content": "%x"`, sha256.Sum256(binary))} {
		if !strings.Contains(string(bom.data), want) {
			t.Errorf("no %s in %s", want, bom.data)
		}
	}
}

// TestRefused checks that a malformed version, or an output folder that has files, is refused.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	r := release{out: dir}
	err := r.validate()
	if err == nil || !strings.Contains(err.Error(), "not a version") {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.version = "v1"
	err = r.validate()
	if err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Error(err)
	}
}

func readTar(data []byte) (files []file) {
	r := tar.NewReader(must(gzip.NewReader(bytes.NewReader(data))))
	for {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		must(0, err)
		files = append(files, file{h.Name, must(io.ReadAll(r)), h.FileInfo().Mode().Perm() == 0o755})
	}
}

func readZip(data []byte) (files []file) {
	for _, f := range must(zip.NewReader(bytes.NewReader(data), int64(len(data)))).File {
		files = append(files, file{f.Name, must(io.ReadAll(must(f.Open()))), f.Mode().Perm() == 0o755})
	}
	return files
}
