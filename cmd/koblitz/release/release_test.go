package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
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

// thisBinary returns this test binary, changed so that its build settings are not those of a
// release, and its SBOM.
func thisBinary(version string) (data, text []byte) {
	data = must(os.ReadFile(must(os.Executable())))
	data = bytes.ReplaceAll(data, []byte("-trimpath=true"), []byte("-trimpath=none"))
	text, _, err := sbom(version, data)
	return data, must(text, err)
}

// TestSBOM checks that an SBOM lists the modules, and that the SBOM of another binary is refused.
func TestSBOM(t *testing.T) {
	binary, text := thisBinary("v9.8.7")
	for _, want := range []string{`"bomFormat": "CycloneDX"`, `"version": "v9.8.7"`,
		`"name": "std"`, fmt.Sprintf(`"content": "%x"`, sha256.Sum256(binary))} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	for _, test := range []struct {
		text, binary, want string
	}{
		{string(text), string(binary), "built with"},
		{string(text), string(binary) + "x", "the SBOM is about another binary"},
		{strings.Replace(string(text), `"std"`, `"sdt"`, 1), string(binary), "about another binary"},
		{"{}", string(binary), "about another binary"},
		{"{", string(binary), "the SBOM: "},
		{string(text), "text", "unrecognized file format"},
	} {
		_, _, _, err := verifySBOM([]byte(test.text), []byte(test.binary))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
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
