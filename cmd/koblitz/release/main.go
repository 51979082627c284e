// Release builds a release of the command. For each platform it writes an archive with the static
// binary, the manual, the shell completions and a bill of materials (SBOM, in CycloneDX format).
// For most platforms it also writes a Python wheel, with the same binary and the package in the
// folder python. It also writes the checksums of all files. The same sources and the same Go
// version give the same bytes in any folder and on any machine.
//
//	go run ./release -version v1.2.3 -o dist
//	go run ./release -version v1.2.3 -o dist -wheels
//	go run ./release -verify dist
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// platforms lists the platforms for which a release has archives.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64",
	"windows/amd64", "windows/arm64"}

// A release holds the parameters with which a release is built.
type release struct {
	version string
	time    time.Time // modification time of every file in the archives
	module  string    // folder of the command's module
	root    string    // folder of the repository, which has the licence
	out     string
	wheels  bool // write no archives
}

func main() {
	version := flag.String("version", "", "the version, as it is tagged")
	out := flag.String("o", "dist", "write to this `folder`, which must be empty or not exist")
	epoch := flag.Int64("time", 0, "the time of all files, in seconds since 1970")
	only := flag.String("platforms", strings.Join(platforms, ","), "build for these platforms")
	wheels := flag.Bool("wheels", false, "build the wheels alone, without archives")
	release := flag.String("verify", "", "build nothing, and read the release in this `folder`")
	flag.Parse()
	if *release != "" {
		if err := verifyHere(*release); err != nil {
			fmt.Fprintln(os.Stderr, "release:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(*version, *out, *epoch, strings.Split(*only, ","), *wheels); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// verifyHere verifies a release that was built on this machine.
func verifyHere(dir string) error {
	module, err := os.Getwd()
	if err != nil {
		return err
	}
	folders := []string{filepath.Join(module, "..", "..")}
	for _, name := range []string{"GOROOT", "GOMODCACHE"} {
		text, err := exec.Command("go", "env", name).Output()
		if err != nil {
			return err
		}
		folders = append(folders, strings.TrimSpace(string(text)))
	}
	return verify(dir, folders)
}

func run(version, out string, epoch int64, only []string, wheels bool) error {
	if version == "" || strings.ContainsAny(version, " /\\'\"") {
		return fmt.Errorf("%q is not a version: -version v1.2.3", version)
	}
	module, err := os.Getwd()
	if err != nil {
		return err
	}
	r := &release{version: version, time: time.Unix(epoch, 0).UTC(), module: module,
		root: filepath.Join(module, "..", ".."), out: out, wheels: wheels}
	if entries, err := os.ReadDir(out); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty", out)
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "koblitz-release-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	var common []file
	if !wheels {
		if common, err = r.common(work); err != nil {
			return err
		}
	}
	var sums strings.Builder
	for _, platform := range slices.Sorted(slices.Values(only)) {
		names, err := r.platform(platform, work, common)
		if err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
		for _, name := range names {
			data, err := os.ReadFile(filepath.Join(out, name))
			if err != nil {
				return err
			}
			fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name)
			fmt.Println(name, len(data))
		}
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// common returns the files that all archives contain: the licence, the manual and the completions.
// work is the path of the folder in which it builds them.
func (r *release) common(work string) ([]file, error) {
	dir := filepath.Join(work, "manual")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	cmd := exec.Command("go", "test", "-count=1", "-run", "^TestManual$", ".", "-manual", dir)
	cmd.Dir = r.module
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the manual: %w\n%s", err, text)
	}
	licence, err := os.ReadFile(filepath.Join(r.root, "LICENSE"))
	if err != nil {
		return nil, err
	}
	files := []file{{name: "LICENSE", data: licence}}
	pages, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		data, err := os.ReadFile(filepath.Join(dir, page.Name()))
		if err != nil {
			return nil, err
		}
		folder := "completions/"
		if strings.HasSuffix(page.Name(), ".1") {
			folder = "man/"
		}
		files = append(files, file{name: folder + page.Name(), data: data})
	}
	return files, nil
}

// binaryName returns the name of the command's binary on a platform.
func binaryName(platform string) string {
	if strings.HasPrefix(platform, "windows/") {
		return "koblitz.exe"
	}
	return "koblitz"
}

// platform builds the archive for one platform, with the files that the argument common holds, and
// the wheel. It returns their names.
func (r *release) platform(platform, work string, common []file) (names []string, err error) {
	system, arch, ok := strings.Cut(platform, "/")
	if !ok {
		return nil, fmt.Errorf("not a platform")
	}
	binary := filepath.Join(work, system+"-"+arch)
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", binary,
		"-ldflags", "-s -w -buildid= -X main.version="+r.version, ".")
	cmd.Dir = r.module
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0", "GOFLAGS=",
		"GOAMD64=v1", "GOARM64=v8.0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, text)
	}
	data, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	bom, err := sbom(binary, r.version, data)
	if err != nil {
		return nil, err
	}
	program := file{binaryName(platform), data, true}
	tag, err := wheelTag(platform, data)
	if err != nil {
		return nil, err
	}
	if tag != "" {
		name, err := r.wheel(tag, program, bom)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	if r.wheels {
		return names, nil
	}
	files := append(slices.Clone(common), file{name: "koblitz.cdx.json", data: bom}, program)
	folder := fmt.Sprintf("koblitz-%s-%s-%s", r.version, system, arch)
	name, write := folder+".tar.gz", writeTar
	if system == "windows" {
		name, write = folder+".zip", writeZip
	}
	return append(names, name), write(filepath.Join(r.out, name), folder, r.time, files)
}
