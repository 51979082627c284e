package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// verify checks a release in the form in which a user gets it. The folder dir must hold exactly the
// archives that SHA256SUMS lists, with the checksums listed there. Each archive must have all of
// its files and an SBOM that describes its binary. folders lists folders of the machine that built
// the release; no binary may contain their names.
func verify(dir string, folders []string) error {
	sums, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		return err
	}
	want := []string{"SHA256SUMS"}
	for line := range strings.Lines(string(sums)) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || name != filepath.Base(name) {
			return fmt.Errorf("SHA256SUMS: %q", line)
		}
		want = append(want, name)
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(data)); got != sum {
			return fmt.Errorf("%s: its checksum is %s, and SHA256SUMS says %s", name, got, sum)
		}
		check := verifyArchive
		if strings.HasSuffix(name, ".whl") {
			check = verifyWheel
		}
		if err := check(name, data, folders); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Println(name, "is complete")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(want)
	if len(want) < 2 || !slices.Equal(names, want) {
		return fmt.Errorf("%s has %q, and SHA256SUMS is about %q", dir, names, want)
	}
	return nil
}

// verifyArchive checks data, the content of the archive called name. The name determines the
// platform and the folder that the archive must contain.
func verifyArchive(name string, data []byte, folders []string) error {
	folder, zipped := strings.CutSuffix(name, ".zip")
	suffix, read := ".exe", readZip
	if !zipped {
		folder = strings.TrimSuffix(name, ".tar.gz")
		suffix, read = "", readTar
	}
	programs := []string{"koblitz" + suffix}
	if strings.HasPrefix(folder, "koblitz-gpu-") {
		programs = append(programs, "koblitz-gpubench"+suffix)
	}
	files, err := read(data)
	if err != nil {
		return err
	}
	has := map[string][]byte{}
	for _, f := range files {
		inner, ok := strings.CutPrefix(f.name, folder+"/")
		if _, twice := has[inner]; !ok || twice || len(f.data) == 0 ||
			f.executable != slices.Contains(programs, inner) {
			return fmt.Errorf("the file %s, of %d bytes, executable: %v", f.name, len(f.data), f.executable)
		}
		has[inner] = f.data
	}
	if err := complete(has, append(programs, "LICENSE", "man/koblitz.1", "man/koblitz-check.1",
		"completions/koblitz.bash", "completions/koblitz.zsh", "completions/koblitz.fish",
		"koblitz.cdx.json")...); err != nil {
		return err
	}
	for _, program := range programs {
		if err := unnamed(has[program], folders); err != nil {
			return err
		}
	}
	name, version, platform, err := verifySBOM(has["koblitz.cdx.json"], has[programs[0]])
	if err != nil {
		return err
	}
	if own := name + "-" + version + "-" + strings.Replace(platform, "/", "-", 1); own != folder {
		return fmt.Errorf("the binary is %s", own)
	}
	return nil
}

// complete returns an error if an archive lacks one of the files.
func complete(has map[string][]byte, names ...string) error {
	for _, name := range names {
		if _, ok := has[name]; !ok {
			return fmt.Errorf("no %s in it", name)
		}
	}
	return nil
}

// unnamed returns an error if the binary contains the name of one of the folders.
func unnamed(binary []byte, folders []string) error {
	for _, f := range folders {
		if f != "" && bytes.Contains(binary, []byte(f)) {
			return fmt.Errorf("the binary names the folder %s", f)
		}
	}
	return nil
}

// verifySBOM checks that text is the SBOM of binary, and that binary is built as in a release. It
// returns the name of its archives, such as koblitz or koblitz-gpu, the version and the platform.
func verifySBOM(text, binary []byte) (name, version, platform string, err error) {
	var b struct {
		Metadata struct{ Component struct{ Version string } }
	}
	if err := json.Unmarshal(text, &b); err != nil {
		return "", "", "", fmt.Errorf("the SBOM: %w", err)
	}
	version = b.Metadata.Component.Version
	want, settings, err := sbom(version, binary)
	if err != nil {
		return "", "", "", err
	}
	name, known := map[string]string{"": "koblitz", gpuTags: "koblitz-gpu"}[settings["-tags"]]
	switch {
	case !bytes.Equal(text, want):
		return "", "", "", errors.New("the SBOM is about another binary")
	case !known || settings["CGO_ENABLED"] != "0" || settings["-trimpath"] != "true":
		return "", "", "", fmt.Errorf("the binary is built with %v", settings)
	}
	return name, version, settings["GOOS"] + "/" + settings["GOARCH"], nil
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
