// Release builds a release of the command. For each platform it writes an archive with the static
// binary, the manual, the shell completions, the licences of all linked modules, and a bill of
// materials (SBOM, in CycloneDX format). For most platforms it also writes a Python wheel, with the
// same binary and the package in the folder python. It also writes the checksums of all files. The
// same sources and the same Go version give the same bytes in any folder, on any machine, and with
// any environment.
//
// The tree must be a commit that has the release's tags, without other files. Versions that begin
// with v0.0.0- are no releases, and are built from any tree.
//
// With -gpu there are also archives of the command for GPUs and of koblitz-gpubench. Both carry
// machine code for NVIDIA's GPUs, which must be in gpu/kernels/cubin: make release GPU=yes writes
// it. These binaries are not static, since they load the driver's library.
//
//	go run ./release -version v1.2.3 -o dist
//	go run ./release -version v1.2.3 -o dist -wheels
package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"log"
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

// gpuPlatforms lists the platforms for which there are archives for GPUs.
var gpuPlatforms = []string{"linux/amd64", "linux/arm64", "windows/amd64"}

// gpuTags are the build tags of binaries for GPUs.
const gpuTags = "gpu,cubin"

// A release holds the parameters with which a release is built.
type release struct {
	version string
	time    time.Time // modification time of every file in the archives
	module  string    // folder of the command's module
	root    string    // folder of the repository, which has the licence
	out     string
	wheels  bool // write no archives
	gpu     bool // also write archives for GPUs

	env      []string // environment of the go command
	mod      string   // flag with the go.mod of the command's builds
	goroot   string
	licences []string // SPDX identifiers of this repository's licence
}

func main() {
	version := flag.String("version", "", "the version, as it is tagged")
	out := flag.String("o", "dist", "write to this `folder`, which must be empty or not exist")
	epoch := flag.Int64("time", 0, "the time of all files, in seconds since 1970")
	only := flag.String("platforms", strings.Join(platforms, ","), "build for these platforms")
	wheels := flag.Bool("wheels", false, "build the wheels alone, without archives")
	gpu := flag.Bool("gpu", false, "also build archives for GPUs")
	flag.Parse()
	log.SetFlags(0)
	log.SetPrefix("release: ")
	r := release{version: *version, time: time.Unix(*epoch, 0).UTC(), out: *out, wheels: *wheels,
		gpu: *gpu, module: must(os.Getwd())}
	r.root = filepath.Join(r.module, "..", "..")
	if err := r.validate(); err != nil {
		log.Fatal(err)
	}
	r.run(strings.Split(*only, ","))
}

// must returns v. If there is an error, it ends the program.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// validate returns an error for parameters with which no release is built.
func (r *release) validate() error {
	entries, _ := os.ReadDir(r.out)
	switch {
	case r.version == "" || strings.ContainsAny(r.version, " /\\'\""):
		return fmt.Errorf("%q is not a version: -version v1.2.3", r.version)
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty", r.out)
	case r.gpu && r.wheels:
		return errors.New("wheels have no code for GPUs")
	case strings.HasPrefix(r.version, rehearsal):
		return nil
	}
	return committed(r.root, r.tags())
}

// run builds a release for the given platforms. The program must run in the command's folder.
func (r *release) run(only []string) {
	must(0, os.MkdirAll(r.out, 0o755))
	work := must(os.MkdirTemp("", "koblitz-release-*"))
	defer os.RemoveAll(work)
	r.prepare(work)
	if !strings.HasPrefix(r.version, rehearsal) {
		must(0, r.verify())
	}
	var common []file
	if !r.wheels {
		common = r.common(work)
	}
	var sums strings.Builder
	for _, platform := range slices.Sorted(slices.Values(only)) {
		names := r.platform(platform, work, common)
		if r.gpu && slices.Contains(gpuPlatforms, platform) {
			names = append(names, r.accelerated(platform, work, common))
		}
		for _, name := range names {
			data := must(os.ReadFile(filepath.Join(r.out, name)))
			fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name)
			fmt.Println(name, len(data))
		}
	}
	must(0, os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(sums.String()), 0o644))
}

// prepare sets the fields of r that say how to build. work is the folder for the files that it
// makes.
func (r *release) prepare(work string) {
	r.env = environment()
	r.mod = "-modfile=" + r.modfile(work)
	r.goroot = strings.TrimSpace(string(must(exec.Command("go", "env", "GOROOT").Output())))
	r.licences = must(classify([]file{{name: "LICENSE", data: r.text("LICENSE")}}))
}

// text returns a file of the repository. It ends the program if the file has a carriage return: a
// checkout without .gitattributes can have other ends of lines than the commit.
func (r *release) text(name string) []byte {
	data := must(os.ReadFile(filepath.Join(r.root, name)))
	if bytes.ContainsRune(data, '\r') {
		log.Fatalf("%s has a carriage return", name)
	}
	return data
}

// common returns the files that all archives contain: the licence, the manual and the completions.
// work is the path of the folder in which it builds them.
func (r *release) common(work string) []file {
	dir := filepath.Join(work, "manual")
	must(0, os.Mkdir(dir, 0o755))
	cmd := exec.Command("go", "test", r.mod, "-trimpath", "-vet=off", "-count=1",
		"-run", "^TestManual$", "./internal/command", "-manual", dir)
	cmd.Dir, cmd.Env = r.module, r.env
	if text, err := cmd.CombinedOutput(); err != nil {
		log.Fatalf("the manual: %v\n%s", err, text)
	}
	files := []file{{name: "LICENSE", data: r.text("LICENSE")}}
	for _, page := range must(os.ReadDir(dir)) {
		folder := "completions/"
		if strings.HasSuffix(page.Name(), ".1") {
			folder = "man/"
		}
		files = append(files, file{name: folder + page.Name(),
			data: must(os.ReadFile(filepath.Join(dir, page.Name())))})
	}
	return files
}

// platform builds the archive for one platform, with the files that the argument common holds, and
// the wheel. It returns their names.
func (r *release) platform(platform, work string, common []file) (names []string) {
	p := r.build(r.module, platform, work, "koblitz", "", r.mod)
	if tag := wheelTag(platform, p.data); tag != "" {
		names = append(names, r.wheel(tag, p))
	}
	if r.wheels {
		return names
	}
	return append(names, r.archive("koblitz", platform, common, p))
}

// accelerated builds the archive for GPUs for one platform, and returns its name.
func (r *release) accelerated(platform, work string, common []file) string {
	return r.archive("koblitz-gpu", platform, common,
		r.build(r.module, platform, work, "koblitz", gpuTags, r.mod),
		r.build(r.bench(), platform, work, "koblitz-gpubench", gpuTags))
}

// bench returns the folder of koblitz-gpubench.
func (r *release) bench() string {
	return filepath.Join(r.root, "gpu", "lab", "cmd", "koblitz-gpubench")
}

// archive writes an archive with the given files, and programs with their SBOMs and licences, and
// returns its name.
func (r *release) archive(name, platform string, common []file, programs ...program) string {
	files := append(slices.Clone(common), notices(programs...))
	for _, p := range programs {
		files = append(files, p.file, r.sbom(p))
	}
	folder := fmt.Sprintf("%s-%s-%s", name, r.version, strings.Replace(platform, "/", "-", 1))
	path, write := folder+".tar.gz", writeTar
	if strings.HasPrefix(platform, "windows/") {
		path, write = folder+".zip", writeZip
	}
	write(filepath.Join(r.out, path), folder, r.time, files)
	return path
}
