package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// repository returns the root of the repository. It returns "" if this module is in the module
// cache, where the Python package is missing.
func repository() string {
	here := must(os.Getwd())
	root := filepath.Join(here, "..", "..", "..")
	_, err := os.Stat(filepath.Join(root, "python"))
	if errors.Is(err, fs.ErrNotExist) && strings.Contains(here, "@v") {
		return ""
	}
	return root
}

// TestWheel checks that a wheel has a RECORD about all files, and the version in the metadata and
// in the package.
func TestWheel(t *testing.T) {
	root := repository()
	if root == "" {
		return
	}
	r := &release{version: "v1.2.3-rc.4", time: time.Unix(1700000000, 0).UTC(), root: root,
		out: t.TempDir(), licences: []string{"BSD-3-Clause"}}
	name := r.wheel("linux_x.linux_y", program{file{"koblitz", []byte("binary"), true},
		new(buildinfo.BuildInfo), []module{{path: "example.org/m", version: "v1.2.0",
			licences: []string{"BSD-3-Clause", "MIT"}, notices: []file{{name: "LICENSE",
				data: []byte("of another")}}}}})
	if name != "koblitz-1.2.3rc4-py3-none-linux_x.linux_y.whl" {
		t.Errorf("the name %s", name)
	}
	text := map[string]string{}
	var names, recorded []string
	for _, f := range readZip(must(os.ReadFile(filepath.Join(r.out, name)))) {
		names, text[f.name] = append(names, f.name), string(f.data)
	}
	info := "koblitz-1.2.3rc4.dist-info/"
	for _, line := range must(csv.NewReader(strings.NewReader(text[info+"RECORD"])).ReadAll()) {
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
		info + "WHEEL":                          "Tag: py3-none-linux_x\nTag: py3-none-linux_y\n",
		info + "licenses/LICENSE":               "Redistribution",
		info + "licenses/NOTICES":               "example.org/m v1.2.0: LICENSE\n\nof another\n",
		info + "sboms/koblitz.cdx.json":         "example.org/m",
		"koblitz/_version.py":                   `PROGRAM: str | None = "v1.2.3-rc.4"`,
		"koblitz/spark.py":                      "mapInArrow",
	} {
		if !strings.Contains(text[name], want) {
			t.Errorf("%s: %q, want %q", name, text[name], want)
		}
	}
	message := must(mail.ReadMessage(strings.NewReader(text[info+"METADATA"])))
	for name, want := range map[string][]string{
		"Metadata-Version": {"2.4"}, "Name": {"koblitz"}, "Version": {"1.2.3rc4"},
		"License-Expression": {"BSD-3-Clause AND MIT"}, "License-File": {"LICENSE", "NOTICES"},
		"Requires-Python": {">=3.10"}, "Description-Content-Type": {"text/markdown"},
	} {
		if got := message.Header[name]; !slices.Equal(got, want) {
			t.Errorf("METADATA: %s: %q, want %q", name, got, want)
		}
	}
	if strings.Contains(text[info+"METADATA"], "\r") {
		t.Error("METADATA has a carriage return")
	}
	if body := must(io.ReadAll(message.Body)); !bytes.HasPrefix(body, []byte("# koblitz\n")) {
		t.Errorf("METADATA describes %.40q", body)
	}
}

// TestPythonVersion compares versions in the form of PEP 440.
func TestPythonVersion(t *testing.T) {
	for version, want := range map[string]string{"v1.2.3": "1.2.3", "v1.2.3-rc.4": "1.2.3rc4",
		"v1.2.3-alpha.1": "1.2.3a1", "v1.2.3-beta.10": "1.2.3b10", "v0.0.0-rehearsal": "0.0.0+rehearsal",
		"v1.0.0-rc": "1.0.0+rc"} {
		if got := pythonVersion(version); got != want {
			t.Errorf("%s: %s, want %s", version, got, want)
		}
	}
}
