package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
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
	for name, write := range map[string]func(string, string, time.Time, []file) error{
		"a.tar.gz": writeTar, "a.zip": writeZip,
	} {
		dir := t.TempDir()
		one, two := filepath.Join(dir, "1"+name), filepath.Join(dir, "2"+name)
		if err := write(one, "x", at, files); err != nil {
			t.Fatal(err)
		}
		other := slices.Clone(files)
		slices.Reverse(other)
		if err := write(two, "x", at, other); err != nil {
			t.Fatal(err)
		}
		data := must(os.ReadFile(one))
		if !bytes.Equal(data, must(os.ReadFile(two))) {
			t.Errorf("%s: other bytes", name)
		}
		read := readTar
		if name == "a.zip" {
			read = readZip
		}
		var got []string
		for _, f := range must(read(data)) {
			got = append(got, fmt.Sprintf("%s %o %s", f.name, f.mode(), f.data))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// must returns v, and panics if err is not nil.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestSBOM checks that an SBOM lists the modules and the hash of a binary, here this test binary.
func TestSBOM(t *testing.T) {
	binary := must(os.ReadFile(must(os.Executable())))
	text := must(sbom("v9.8.7", binary))
	for _, want := range []string{`"bomFormat": "CycloneDX"`, `"version": "v9.8.7"`,
		`"name": "std"`, fmt.Sprintf(`"content": "%x"`, sha256.Sum256(binary))} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

// TestRefused checks that a malformed version, or an output folder that has files, is refused.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	r := release{out: dir}
	err := r.run(nil)
	if err == nil || !strings.Contains(err.Error(), "not a version") {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.version = "v1"
	err = r.run(nil)
	if err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Error(err)
	}
}

func readTar(data []byte) (files []file, err error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		files = append(files, file{h.Name, content, h.FileInfo().Mode().Perm() == 0o755})
	}
}

func readZip(data []byte) (files []file, err error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		files = append(files, file{f.Name, content, f.Mode().Perm() == 0o755})
	}
	return files, nil
}
