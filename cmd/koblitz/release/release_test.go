package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
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
		data, err := os.ReadFile(one)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := os.ReadFile(two); err != nil || !bytes.Equal(data, again) {
			t.Errorf("%s: other bytes, %v", name, err)
		}
		if got := contents(t, name, data); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// contents returns the name, mode and content of each file in an archive.
func contents(t *testing.T, name string, data []byte) (all []string) {
	t.Helper()
	add := func(name string, mode os.FileMode, r io.Reader) {
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, name+" "+strings.TrimPrefix(mode.String(), "-")+" "+string(text))
	}
	if strings.HasSuffix(name, ".zip") {
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			add(f.Name, f.Mode(), r)
		}
	} else {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		r := tar.NewReader(z)
		for {
			h, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			add(h.Name, h.FileInfo().Mode(), r)
		}
	}
	for i, s := range all {
		all[i] = strings.NewReplacer("rwxr-xr-x", "755", "rw-r--r--", "644").Replace(s)
	}
	return all
}

// TestSBOM builds the SBOM of this test binary twice. Both must have the same bytes and list the
// modules.
func TestSBOM(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := sbom(self, "v9.8.7", []byte("the binary"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := sbom(self, "v9.8.7", []byte("the binary"))
	if err != nil || !bytes.Equal(text, again) {
		t.Errorf("another list, %v", err)
	}
	var b bom
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		t.Fatal(err)
	}
	if b.Format != "CycloneDX" || b.Metadata.Component.Version != "v9.8.7" ||
		len(b.Metadata.Component.Hashes) != 1 || len(b.Components) == 0 ||
		b.Components[0].Name != "std" || len(b.Dependencies[0].DependsOn) != len(b.Components) {
		t.Errorf("%s", text)
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
