package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLicences checks that the licence of go-ethereum, which tests of the command link, is refused,
// and that of another module accepted.
func TestLicences(t *testing.T) {
	root := repository()
	if root == "" {
		return
	}
	work := t.TempDir()
	r := release{root: root, module: filepath.Join(root, "cmd", "koblitz")}
	r.prepare(work)
	if !slices.Equal(r.licences, []string{"BSD-3-Clause"}) {
		t.Errorf("koblitz has the licences %q", r.licences)
	}
	const ethereum, zstd = "github.com/ethereum/go-ethereum", "github.com/klauspost/compress"
	found := must(r.packages(r.module, r.env, []string{r.mod, ethereum + "/rlp", zstd + "/zstd"}))
	_, err := newModule(ethereum, found[ethereum].module, found[ethereum].folders)
	if err == nil || !strings.Contains(err.Error(), ethereum+": COPYING: GPL-3.0 is not allowed") {
		t.Error(err)
	}
	m, err := newModule(zstd, found[zstd].module, found[zstd].folders)
	var names []string
	for _, f := range m.notices {
		names = append(names, f.name)
	}
	if err != nil || !slices.Equal(m.licences, []string{"Apache-2.0", "BSD-3-Clause", "MIT"}) ||
		!slices.Contains(names, "zstd/internal/xxhash/LICENSE.txt") ||
		slices.Contains(names, "gzhttp/LICENSE") {
		t.Errorf("%q, %q, %v", m.licences, names, err)
	}
}

// TestClassify checks which files decide about a module whose package a/b is linked, and that an
// unknown licence, a missing one and text around a licence are refused.
func TestClassify(t *testing.T) {
	root := strings.TrimSpace(string(must(exec.Command("go", "env", "GOROOT").Output())))
	bsd := string(must(os.ReadFile(filepath.Join(root, "LICENSE"))))
	for _, c := range []struct {
		files map[string]string
		want  string // part of the error, or the licence
	}{
		{map[string]string{"LICENSE": bsd}, "BSD-3-Clause"},
		{map[string]string{"BSD-LICENSE.txt": bsd, "NOTICE": "thanks"}, "BSD-3-Clause"},
		{map[string]string{"licence.md": bsd, "COPYING": "all rights reserved"}, "COPYING: 3 words"},
		{map[string]string{"LICENSE": bsd + "\nThe Software may not be used on Sundays, nor sold to " +
			"anyone at all, for any reason, ever."}, "LICENSE: 18 words"},
		{map[string]string{"LICENSE": strings.Repeat(bsd, 9) + "For non-commercial purposes only."},
			"LICENSE: 4 words"},
		{map[string]string{"LICENSE": "BSD 3-Clause License\n" + bsd}, "BSD-3-Clause"},
		{map[string]string{"LICENSE": bsd, "a/LICENSE": bsd, "x/COPYING": "all rights reserved"},
			"BSD-3-Clause"},
		{map[string]string{"LICENSE": bsd, "a/COPYING": "all rights reserved"}, "a/COPYING: 3 words"},
		{map[string]string{"NOTICE": bsd, "license.go": bsd}, "no file has one"},
		{nil, "no file has one"},
	} {
		dir := t.TempDir()
		for _, folder := range []string{"a/b", "x"} {
			must(0, os.MkdirAll(filepath.Join(dir, folder), 0o755))
		}
		for name, text := range c.files {
			must(0, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		}
		m, err := newModule("m", dir, []string{filepath.Join(dir, "a", "b")})
		if got := strings.Join(m.licences, " "); err == nil && got != c.want ||
			err != nil && (got != "" || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: %q, %v, want %q", c.files, got, err, c.want)
		}
	}
}

// TestNotices checks that the licences of a module that two programs link are there once.
func TestNotices(t *testing.T) {
	m := func(path, version string) module {
		return module{path: path, version: version, notices: []file{{name: "LICENSE", data: []byte("of " +
			path + "\n\n")}}}
	}
	f := notices(program{modules: []module{m("std", "1.2"), m("b", "v1")}},
		program{modules: []module{m("std", "1.2"), m("a", "v1"), m("b", "v2"), {path: "ours"}}})
	var got []string
	for line := range strings.Lines(string(f.data)) {
		if strings.Contains(line, ": ") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	want := []string{"a v1: LICENSE", "b v1: LICENSE", "b v2: LICENSE", "std 1.2: LICENSE"}
	if !slices.Equal(got, want) || strings.Count(string(f.data), "\nof b\n") != 2 {
		t.Errorf("%s", f.data)
	}
}
