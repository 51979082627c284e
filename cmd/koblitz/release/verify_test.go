package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestVerify damages a release in one way after another and checks that verify reports each damage.
func TestVerify(t *testing.T) {
	text := []byte("as a binary, with the folder /home/builder in it")
	whole := []file{{"koblitz", text, true}, {"LICENSE", []byte("text"), false}}
	for _, name := range []string{"koblitz.cdx.json", "man/koblitz.1", "man/koblitz-check.1",
		"completions/koblitz.bash", "completions/koblitz.zsh", "completions/koblitz.fish"} {
		whole = append(whole, file{name, []byte("{}"), false})
	}
	with := func(i int, f file) []file {
		files := slices.Clone(whole)
		files[i] = f
		return files
	}
	for _, test := range []struct {
		files   []file
		folders []string
		damage  func(dir, archive string) error
		want    string
	}{
		{whole[1:], nil, nil, "no koblitz in it"},
		{slices.Delete(slices.Clone(whole), 1, 2), nil, nil, "no LICENSE in it"},
		{with(1, file{"LICENSE", nil, false}), nil, nil, "of 0 bytes"},
		{with(1, file{"LICENSE", []byte("text"), true}), nil, nil, "executable: true"},
		{with(0, file{"koblitz", text, false}), nil, nil, "executable: false"},
		{append(whole, whole[1]), nil, nil, "the file koblitz-v1-x-y/LICENSE"},
		{whole, []string{"/home/builder"}, nil, "names the folder /home/builder"},
		{whole, nil, func(_, archive string) error { return os.Truncate(archive, 1000) },
			"its checksum is"},
		{whole, nil, func(_, archive string) error { return os.Remove(archive) }, "no such file"},
		{whole, nil, func(dir, _ string) error {
			return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), nil, 0o600)
		}, "SHA256SUMS is about"},
		{whole, nil, nil, "unrecognized file format"},
	} {
		dir := t.TempDir()
		archive := filepath.Join(dir, "koblitz-v1-x-y.tar.gz")
		if err := writeTar(archive, "koblitz-v1-x-y", time.Unix(1, 0), test.files); err != nil {
			t.Fatal(err)
		}
		data := must(os.ReadFile(archive))
		sums := fmt.Sprintf("%x  %s\n", sha256.Sum256(data), filepath.Base(archive))
		if err := os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(sums), 0o600); err != nil {
			t.Fatal(err)
		}
		if test.damage != nil {
			if err := test.damage(dir, archive); err != nil {
				t.Fatal(err)
			}
		}
		if err := verify(dir, test.folders); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}
