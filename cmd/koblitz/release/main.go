// Release builds a release of the command. For each platform it writes an archive with the static
// binary, the licence and a bill of materials (SBOM, in CycloneDX format). For most platforms it
// also writes a Python wheel, with the same binary and the package in the folder python. It also
// writes the checksums of all files. The same sources and the same Go version give the same bytes
// in any folder and on any machine.
//
// With -gpu there are also archives of the command for GPUs and of koblitz-gpubench. Both carry
// machine code for NVIDIA's GPUs, which must be in gpu/kernels/cubin: make release GPU=yes writes
// it. These binaries are not static, since they load the driver's library.
//
//	go run ./release -version v1.2.3 -o dist
//	go run ./release -version v1.2.3 -o dist -wheels
package main

import (
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
	}
	return nil
}

// run builds a release for the given platforms. The program must run in the command's folder.
func (r *release) run(only []string) {
	must(0, os.MkdirAll(r.out, 0o755))
	work := must(os.MkdirTemp("", "koblitz-release-*"))
	defer os.RemoveAll(work)
	var sums strings.Builder
	for _, platform := range slices.Sorted(slices.Values(only)) {
		names := r.platform(platform, work)
		if r.gpu && slices.Contains(gpuPlatforms, platform) {
			names = append(names, r.accelerated(platform, work))
		}
		for _, name := range names {
			data := must(os.ReadFile(filepath.Join(r.out, name)))
			fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name)
			fmt.Println(name, len(data))
		}
	}
	must(0, os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(sums.String()), 0o644))
}

// executable returns the file name of a program on a platform.
func executable(program, platform string) string {
	if strings.HasPrefix(platform, "windows/") {
		return program + ".exe"
	}
	return program
}

// versionVariable is the variable of the program that holds the version of a release.
const versionVariable = "github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli.version"

// build builds the program in a folder for a platform, and returns the binary.
func (r *release) build(
	dir, platform, work, program string, env []string, flags ...string,
) []byte {
	system, arch, _ := strings.Cut(platform, "/")
	path := filepath.Join(work, program+"-"+system+"-"+arch)
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-o", path,
		"-ldflags", "-s -w -buildid= -X " + versionVariable + "=" + r.version}, flags...)
	cmd := exec.Command("go", append(args, ".")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0", "GOFLAGS=",
		"GOAMD64=v1", "GOARM64=v8.0")
	cmd.Env = append(cmd.Env, env...)
	if text, err := cmd.CombinedOutput(); err != nil {
		log.Fatalf("%s: %v\n%s", platform, err, text)
	}
	return must(os.ReadFile(path))
}

// platform builds the archive and the wheel for one platform, and returns their names.
func (r *release) platform(platform, work string) (names []string) {
	data := r.build(r.module, platform, work, "koblitz", nil)
	program := file{executable("koblitz", platform), data, true}
	if tag := wheelTag(platform, data); tag != "" {
		names = append(names, r.wheel(tag, program, sbom(r.version, data)))
	}
	if r.wheels {
		return names
	}
	return append(names, r.archive("koblitz", platform, program))
}

// accelerated builds the archive for GPUs for one platform, and returns its name.
func (r *release) accelerated(platform, work string) string {
	lab := filepath.Join(r.root, "gpu", "lab", "cmd", "koblitz-gpubench")
	return r.archive("koblitz-gpu", platform, file{executable("koblitz", platform),
		r.build(r.module, platform, work, "koblitz-gpu", nil, "-tags", gpuTags), true},
		file{executable("koblitz-gpubench", platform), r.build(lab, platform, work, "koblitz-gpubench",
			[]string{"GOWORK=off"}, "-tags", gpuTags), true})
}

// archive writes an archive with the licence, the programs, and the SBOM of the first program. It
// returns the archive's name.
func (r *release) archive(name, platform string, programs ...file) string {
	bom := file{name: "koblitz.cdx.json", data: sbom(r.version, programs[0].data)}
	licence := file{name: "LICENSE", data: must(os.ReadFile(filepath.Join(r.root, "LICENSE")))}
	files := append([]file{licence, bom}, programs...)
	folder := fmt.Sprintf("%s-%s-%s", name, r.version, strings.Replace(platform, "/", "-", 1))
	path, write := folder+".tar.gz", writeTar
	if strings.HasPrefix(platform, "windows/") {
		path, write = folder+".zip", writeZip
	}
	write(filepath.Join(r.out, path), folder, r.time, files)
	return path
}
