package peer

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

//go:embed native/internals.c
var internals []byte

// Flags holds the compiler flags for libsecp256k1: the library's defaults for a workstation, and
// -march=native for the instructions of this machine.
var Flags = []string{"-O3", "-march=native", "-fPIC", "-shared", "-w",
	"-DECMULT_WINDOW_SIZE=15", "-DCOMB_BLOCKS=43", "-DCOMB_TEETH=6",
	"-DENABLE_MODULE_ECDH=1", "-DENABLE_MODULE_RECOVERY=1", "-DENABLE_MODULE_EXTRAKEYS=1",
	"-DENABLE_MODULE_SCHNORRSIG=1", "-DENABLE_MODULE_ELLSWIFT=1", "-DENABLE_MODULE_MUSIG=1",
	"-DENABLE_MODULE_SILENTPAYMENTS=1", "-DUSE_EXTERNAL_DEFAULT_CALLBACKS=1"}

// A library is a compiled shared library with the interface of libsecp256k1.
type library struct {
	path, version, note, prefix string
}

// Cache returns the folder in which compiled libraries and programs are kept between runs.
func Cache() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "koblitz-bench")
	return dir, os.MkdirAll(dir, 0o755)
}

// shipped returns the file libsecp256k1.so in the folder of this program, if there is one. OSS-Fuzz
// runs programs on machines without a compiler. The names of the functions have the prefix of the
// one that is found.
func shipped() (lib library, ok bool) {
	program, err := os.Executable()
	lib.path = filepath.Join(filepath.Dir(program), "libsecp256k1.so")
	text, err2 := os.ReadFile(lib.path)
	prefix := regexp.MustCompile(`(\w*)context_preallocated_create`).FindSubmatch(text)
	if err != nil || err2 != nil || prefix == nil {
		return library{}, false
	}
	lib.prefix, lib.version, lib.note = string(prefix[1]), "unknown", "from "+lib.path
	return lib, true
}

// buildLibrary builds libsecp256k1 from the C sources in the Rust crate secp256k1-sys, which the
// program in the folder rust needs.
func buildLibrary(rust string) (library, error) {
	if lib, ok := shipped(); ok {
		return lib, nil
	}
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	if _, err := exec.LookPath(cc); err != nil {
		return library{}, errors.New("no C compiler")
	}
	dir, crate, err := crateSources(rust)
	if err != nil {
		return library{}, err
	}
	sources := filepath.Join(dir, "depend", "secp256k1")
	header, err1 := os.ReadFile(filepath.Join(sources, "include", "secp256k1_preallocated.h"))
	configure, err2 := os.ReadFile(filepath.Join(sources, "configure.ac"))
	compiler, err3 := exec.Command(cc, "--version").Output()
	cache, err4 := Cache()
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return library{}, err
	}
	prefix := regexp.MustCompile(`(\w*)context_preallocated_create`).FindSubmatch(header)
	part := regexp.MustCompile(`_PKG_VERSION_(?:MAJOR|MINOR|PATCH), (\d+)`)
	version := part.FindAllSubmatch(configure, 3)
	if prefix == nil || len(version) != 3 {
		return library{}, errors.New("secp256k1-sys: no prefix or version found in its sources")
	}
	first, _, _ := strings.Cut(string(compiler), "\n")
	cpu, _ := os.ReadFile("/proc/cpuinfo")
	// -march=native selects instructions by the CPU's flags, so they are part of the cache's key.
	flagsLine := regexp.MustCompile(`(?m)^flags.*$`).Find(cpu)
	settings := []byte(crate + first + strings.Join(Flags, " "))
	sum := sha256.Sum256(bytes.Join([][]byte{internals, flagsLine, settings}, []byte{0}))
	lib := library{
		path:    filepath.Join(cache, fmt.Sprintf("libsecp256k1-%x.so", sum[:8])),
		version: fmt.Sprintf("%s.%s.%s", version[0][1], version[1][1], version[2][1]),
		prefix:  string(prefix[1]),
		note:    fmt.Sprintf("built from crate %s by %s: %s", crate, first, strings.Join(Flags, " ")),
	}
	if _, err := os.Stat(lib.path); err == nil {
		return lib, nil
	}
	work, err := os.MkdirTemp(cache, "build-")
	if err != nil {
		return library{}, err
	}
	defer os.RemoveAll(work)
	file, out := filepath.Join(work, "internals.c"), filepath.Join(work, "lib.so")
	if err := os.WriteFile(file, internals, 0o644); err != nil {
		return library{}, err
	}
	src := filepath.Join(sources, "src")
	args := append(slices.Clone(Flags),
		"-DP="+lib.prefix, "-I"+sources, "-I"+filepath.Join(sources, "include"), "-I"+src,
		file, filepath.Join(src, "precomputed_ecmult.c"),
		filepath.Join(src, "precomputed_ecmult_gen.c"), "-o", out)
	fmt.Fprintln(os.Stderr, "bench: building libsecp256k1", lib.version)
	if text, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		return library{}, fmt.Errorf("%s: %w: %s", cc, err, text)
	}
	return lib, os.Rename(out, lib.path)
}

// crateSources returns the folder and the name of the crate with the C sources, which cargo unpacks
// in its registry.
func crateSources(rust string) (dir, name string, err error) {
	if _, err := exec.LookPath("cargo"); err != nil {
		return "", "", errors.New("no cargo")
	}
	cmd := exec.Command("cargo", "metadata", "--format-version", "1", "--locked",
		"--manifest-path", filepath.Join(rust, "Cargo.toml"))
	var text bytes.Buffer
	cmd.Stderr = &text
	out, err := cmd.Output()
	if err != nil {
		return "", "", fmt.Errorf("cargo metadata: %w: %s", err, strings.TrimSpace(text.String()))
	}
	var meta struct {
		Packages []struct {
			Name, Version string
			Manifest      string `json:"manifest_path"`
		}
	}
	if err := json.Unmarshal(out, &meta); err != nil {
		return "", "", err
	}
	for _, p := range meta.Packages {
		if p.Name == "secp256k1-sys" {
			return filepath.Dir(p.Manifest), p.Name + " " + p.Version, nil
		}
	}
	return "", "", errors.New("cargo knows no crate secp256k1-sys")
}
