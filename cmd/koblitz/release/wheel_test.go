package main

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// repository returns the root of the repository. It returns "" if this module is in the module
// cache, where the Python package is missing.
func repository(t *testing.T) string {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(here, "..", "..", "..")
	_, err = os.Stat(filepath.Join(root, "python"))
	if errors.Is(err, fs.ErrNotExist) && strings.Contains(here, "@v") {
		return ""
	}
	return root
}

// TestWheel writes a wheel twice. Both must have the same bytes, a RECORD about all files, and the
// version in the metadata and in the package.
func TestWheel(t *testing.T) {
	root := repository(t)
	if root == "" {
		return
	}
	var wheels [2][]byte
	for i := range wheels {
		r := &release{version: "v1.2.3-rc.4", time: time.Unix(1700000000, 0).UTC(),
			root: root, out: t.TempDir()}
		name, err := r.wheel("linux_x.linux_y", file{"koblitz", []byte("binary"), true}, []byte("sbom"))
		if err != nil {
			t.Fatal(err)
		}
		if name != "koblitz-1.2.3rc4-py3-none-linux_x.linux_y.whl" {
			t.Errorf("the name %s", name)
		}
		if wheels[i], err = os.ReadFile(filepath.Join(r.out, name)); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(wheels[0], wheels[1]) {
		t.Error("other bytes")
	}
	z, err := zip.NewReader(bytes.NewReader(wheels[0]), int64(len(wheels[0])))
	if err != nil {
		t.Fatal(err)
	}
	text := map[string]string{}
	var names, recorded []string
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		names, text[f.Name] = append(names, f.Name), string(data)
	}
	info := "koblitz-1.2.3rc4.dist-info/"
	list, err := csv.NewReader(strings.NewReader(text[info+"RECORD"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range list {
		recorded = append(recorded, line[0])
		if line[0] != info+"RECORD" && line[2] != fmt.Sprint(len(text[line[0]])) {
			t.Errorf("RECORD has %q", line)
		}
	}
	slices.Sort(recorded)
	if !slices.Equal(names, recorded) || !slices.IsSorted(names) {
		t.Errorf("%q in RECORD, and %q in the wheel", recorded, names)
	}
	for name, want := range map[string]string{
		"koblitz-1.2.3rc4.data/scripts/koblitz": "binary",
		info + "METADATA":                       "\nVersion: 1.2.3rc4\n",
		info + "WHEEL":                          "Tag: py3-none-linux_x\nTag: py3-none-linux_y\n",
		info + "licenses/LICENSE":               "Redistribution",
		"koblitz/_version.py":                   `PROGRAM: str | None = "v1.2.3-rc.4"`,
		"koblitz/spark.py":                      "mapInArrow",
	} {
		if !strings.Contains(text[name], want) {
			t.Errorf("%s: %q, want %q", name, text[name], want)
		}
	}
}

// TestPythonVersion compares versions in the form of PEP 440.
func TestPythonVersion(t *testing.T) {
	for version, want := range map[string]string{"v1.2.3": "1.2.3", "v1.2.3-rc.4": "1.2.3rc4",
		"v1.2.3-alpha.1": "1.2.3a1", "v1.2.3-beta.10": "1.2.3b10", "v0.0.0-rehearsal": "0.0.0+rehearsal",
		"v1.0.0-x.Y-9": "1.0.0+x.y.9", "v1.0.0-rc": "1.0.0+rc"} {
		if got := pythonVersion(version); got != want {
			t.Errorf("%s: %s, want %s", version, got, want)
		}
	}
}

// TestVerifyWheel damages a wheel in one way after another, and checks that each is reported. The
// binary is this test binary.
func TestVerifyWheel(t *testing.T) {
	root := repository(t)
	if root == "" {
		return
	}
	self, binary := thisBinary(t)
	bom, err := sbom(self, "v1.0.0", binary)
	if err != nil {
		t.Fatal(err)
	}
	r := &release{version: "v1.0.0", root: root, out: t.TempDir()}
	name, err := r.wheel("linux_x", file{"koblitz", binary, true}, bom)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(r.out, name))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := readZip(data)
	if err != nil {
		t.Fatal(err)
	}
	info := "koblitz-1.0.0.dist-info/"
	without := func(name string) []file {
		left := slices.DeleteFunc(slices.Clone(whole), func(f file) bool {
			return f.name == name || f.name == info+"RECORD"
		})
		return append(left, file{info + "RECORD", record(left, info+"RECORD"), false})
	}
	changed := slices.Clone(whole)
	changed[0].data = []byte("another")
	for want, files := range map[string][]file{
		"RECORD is about other files": changed,
		"is there twice":              append(slices.Clone(whole), whole[1]),
		"no koblitz/spark.py in it":   without("koblitz/spark.py"),
		"the SBOM is about another":   without("koblitz-1.0.0.data/scripts/koblitz"),
		"the SBOM: ":                  without(info + "sboms/koblitz.cdx.json"),
		"the binary is built with":    whole,
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := writeZip(path, "", r.time, files); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := verifyWheel(name, data, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	err = verifyWheel(name, data, []string{"TestVerifyWheel"})
	if err == nil || !strings.Contains(err.Error(), "names the folder TestVerifyWheel") {
		t.Error(err)
	}
}
