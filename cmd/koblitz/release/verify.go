package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
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
	binary := "koblitz" + suffix
	programs := []string{binary}
	if strings.HasPrefix(folder, "koblitz-gpu-") {
		programs = append(programs, "koblitz-gpubench"+suffix)
	}
	files, err := read(data)
	if err != nil {
		return err
	}
	has := map[string]file{}
	for _, f := range files {
		inner, ok := strings.CutPrefix(f.name, folder+"/")
		if _, twice := has[inner]; !ok || twice || len(f.data) == 0 ||
			f.executable != slices.Contains(programs, inner) {
			return fmt.Errorf("the file %s, of %d bytes, executable: %v", f.name, len(f.data), f.executable)
		}
		has[inner] = f
	}
	for _, must := range append([]string{"LICENSE", "man/koblitz.1", "man/koblitz-check.1",
		"completions/koblitz.bash", "completions/koblitz.zsh", "completions/koblitz.fish",
		"koblitz.cdx.json"}, programs...) {
		if _, ok := has[must]; !ok {
			return fmt.Errorf("no %s in it", must)
		}
	}
	for _, program := range programs {
		if err := unnamed(has[program].data, folders); err != nil {
			return err
		}
	}
	name, version, platform, err := verifySBOM(has["koblitz.cdx.json"].data, has[binary].data)
	if err != nil {
		return err
	}
	if own := name + "-" + version + "-" + strings.Replace(platform, "/", "-", 1); own != folder {
		return fmt.Errorf("the binary is %s", own)
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

// verifySBOM checks that text, the SBOM, has the hash and the modules of binary, and that binary is
// built as in a release. It returns the name of its archives, such as koblitz or koblitz-gpu, the
// version and the platform.
func verifySBOM(text, binary []byte) (name, version, platform string, err error) {
	var b bom
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		return "", "", "", fmt.Errorf("the SBOM: %w", err)
	}
	main := b.Metadata.Component
	if len(main.Hashes) != 1 || main.Hashes[0].Content != fmt.Sprintf("%x", sha256.Sum256(binary)) {
		return "", "", "", errors.New("the SBOM is about another binary")
	}
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return "", "", "", err
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if settings["CGO_ENABLED"] != "0" || settings["-trimpath"] != "true" {
		return "", "", "", fmt.Errorf("the binary is built with %v", settings)
	}
	listed := map[string]bool{}
	for _, c := range b.Components {
		listed[c.Name] = true
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		if !listed[m.Path] {
			return "", "", "", fmt.Errorf("the SBOM lacks %s", m.Path)
		}
	}
	if len(b.Components) != len(info.Deps)+1 { // the extra component is the standard library
		return "", "", "", fmt.Errorf("%d modules in the SBOM, and %d in the binary", len(b.Components)-1,
			len(info.Deps))
	}
	name, ok := map[string]string{"": "koblitz", gpuTags: "koblitz-gpu"}[settings["-tags"]]
	if !ok {
		return "", "", "", fmt.Errorf("the binary is built with the tags %s", settings["-tags"])
	}
	return name, main.Version, settings["GOOS"] + "/" + settings["GOARCH"], nil
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
