package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// repositoryPath is the module path of the library. Paths of this repository's other modules begin
// with it.
const repositoryPath = "github.com/koblitz-go/koblitz"

// versionVariable is the variable of the program that holds the version of a release.
const versionVariable = repositoryPath + "/cmd/koblitz/internal/command/cli.version"

// sources lists Go's variables that say where modules come from and where files are kept. They do
// not change what is built.
var sources = []string{"GOAUTH", "GOCACHE", "GOINSECURE", "GOMODCACHE", "GONOPROXY", "GONOSUMDB",
	"GOPRIVATE", "GOPROXY", "GOSUMDB", "GOVCS"}

// environment returns the environment of the go command: of Go's variables, those in sources have
// the caller's values, and all others the values that a release has on every machine.
func environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "GO") || strings.HasPrefix(v, "CGO_")
	})
	values := strings.Split(string(must(exec.Command("go", append([]string{"env"},
		sources...)...).Output())), "\n")
	for i, name := range sources {
		env = append(env, name+"="+values[i])
	}
	return append(env, "GOENV=off", "GOTOOLCHAIN=local", "GOWORK=off", "GOFIPS140=off",
		"GOAMD64=v1", "GOARM64=v8.0", "CGO_ENABLED=0")
}

// settings returns an error unless a binary has the build settings of a release, and no others.
// DefaultGODEBUG follows from go.mod and from the version of Go.
func settings(info *buildinfo.BuildInfo, platform, tags string) error {
	system, arch, _ := strings.Cut(platform, "/")
	want := map[string]string{"-buildmode": "exe", "-compiler": "gc", "-trimpath": "true",
		"CGO_ENABLED": "0", "GOOS": system, "GOARCH": arch}
	switch arch {
	case "amd64":
		want["GOAMD64"] = "v1"
	case "arm64":
		want["GOARM64"] = "v8.0"
	}
	if tags != "" {
		want["-tags"] = tags
	}
	got := map[string]string{}
	for _, s := range info.Settings {
		if s.Key != "DefaultGODEBUG" {
			got[s.Key] = s.Value
		}
	}
	if !maps.Equal(got, want) {
		return fmt.Errorf("built with the settings %v, want %v", got, want)
	}
	return nil
}

// A program is a binary of a release.
type program struct {
	file
	info    *buildinfo.BuildInfo
	modules []module // the modules that it links, and the standard library
}

// required returns the versions of this repository's modules that the command requires, by module
// path.
func (r *release) required() map[string]string {
	cmd := exec.Command("go", "mod", "edit", "-json")
	cmd.Dir = r.module
	var mod struct {
		Require []struct{ Path, Version string }
	}
	must(0, json.Unmarshal(must(cmd.Output()), &mod))
	versions := map[string]string{}
	for _, m := range mod.Require {
		if m.Path == repositoryPath || strings.HasPrefix(m.Path, repositoryPath+"/") {
			versions[m.Path] = m.Version
		}
	}
	return versions
}

// modfile writes a copy of the command's go.mod to the folder work, and returns its path. In the
// copy, this repository's modules are those of this tree. Other modules have the versions that go
// install selects for the command, which may differ from those of the workspace.
func (r *release) modfile(work string) string {
	path := filepath.Join(work, "go.mod")
	for _, name := range []string{"go.mod", "go.sum"} {
		text := must(os.ReadFile(filepath.Join(r.module, name)))
		must(0, os.WriteFile(filepath.Join(work, name), text, 0o644))
	}
	args := []string{"mod", "edit"}
	for path := range r.required() {
		args = append(args, "-replace="+path+"=../.."+strings.TrimPrefix(path, repositoryPath))
	}
	if text, err := exec.Command("go", append(args, path)...).CombinedOutput(); err != nil {
		log.Fatalf("go.mod: %v\n%s", err, text)
	}
	return path
}

// verify returns an error if a module in the folder of modules has other files than go.sum says.
// The go command checks that only when it downloads a module. The module of koblitz-gpubench links
// other versions than the command's.
func (r *release) verify() error {
	flags := map[string]string{r.module: r.mod}
	if r.gpu {
		flags[r.bench()] = "-modfile="
	}
	for dir, flag := range flags {
		cmd := exec.Command("go", "mod", "verify", flag)
		cmd.Dir, cmd.Env = dir, r.env
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go mod verify: %w\n%s", err, text)
		}
	}
	return nil
}

// executable returns the file name of a program on a platform.
func executable(program, platform string) string {
	if strings.HasPrefix(platform, "windows/") {
		return program + ".exe"
	}
	return program
}

// build builds the program in a folder for a platform. It passes flags, which the module of the
// folder may need, to go build.
func (r *release) build(dir, platform, work, name, tags string, flags ...string) program {
	system, arch, _ := strings.Cut(platform, "/")
	env := append(slices.Clone(r.env), "GOOS="+system, "GOARCH="+arch)
	flags = append([]string{"-tags", tags}, flags...)
	path := filepath.Join(work, fmt.Sprintf("%s-%s-%s-%s", name, tags, system, arch))
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-o", path,
		"-ldflags", "-s -w -buildid= -X " + versionVariable + "=" + r.version}, flags...)
	cmd := exec.Command("go", append(args, ".")...)
	cmd.Dir, cmd.Env = dir, env
	if text, err := cmd.CombinedOutput(); err != nil {
		log.Fatalf("%s: %v\n%s", platform, err, text)
	}
	p := program{file: file{executable(name, platform), must(os.ReadFile(path)), true}}
	p.info = must(buildinfo.Read(bytes.NewReader(p.data)))
	err := settings(p.info, platform, tags)
	if err == nil {
		p.modules, err = r.linked(p.info, dir, env, flags)
	}
	if err != nil {
		log.Fatalf("%s for %s: %v", name, platform, err)
	}
	return p
}
