package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// allTargets are NVIDIA's GPUs from Turing to Blackwell, and AMD's MI200, MI300, RDNA 2 and RDNA 3.
// MI300 is gfx942, but clang-15 supports only its early name, gfx940.
const allTargets = "sm_75,sm_80,sm_86,sm_89,sm_90,sm_100,sm_120,gfx90a,gfx940,gfx1030,gfx1100"

// library is OpenCL C that is compiled together with every program for AMD. It defines the
// functions of OpenCL's own library that the programs call.
//
//go:embed amd.cl
var library string

// requirements names the Python package with NVIDIA's assembler, and its hash.
//
//go:embed requirements.txt
var requirements string

// A compilation holds the flags of compilers.
type compilation struct {
	targets string
	ptxas   string // path of the assembler, or "" to fetch it
	cubin   string // folder for machine code, or ""
}

// run compiles every program for every target, as many at a time as there are CPUs.
func (c *compilation) run(ctx context.Context) error {
	temp, err := os.MkdirTemp("", "gpubench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if c.targets == "all" {
		c.targets = allTargets
	}
	if c.ptxas == "" && strings.Contains(c.targets, "sm_") {
		c.ptxas = filepath.Join(temp, "nvidia", "cuda_nvcc", "bin", "ptxas")
		_, err := command(ctx, requirements, "python3", "-m", "pip", "install", "--quiet", "--no-deps",
			"--only-binary", ":all:", "--require-hashes", "--target", temp, "-r", "/dev/stdin")
		if err != nil {
			return err
		}
	}
	if c.cubin != "" {
		if err := c.clear(); err != nil {
			return err
		}
	}
	targets := strings.Split(c.targets, ",")
	failures := make([]error, len(targets))
	free := make(chan bool, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i, target := range targets {
		all.Go(func() {
			free <- true
			defer func() { <-free }()
			for _, p := range []*driver.Program{kernels.Rows(), kernels.Sums(), kernels.Bench()} {
				compile := c.assemble
				if strings.HasPrefix(target, "gfx") {
					compile = amd
				}
				if err := compile(ctx, temp, p, target); err != nil {
					err = fmt.Errorf("%s for %s: %w", p.Name, target, err)
					failures[i] = errors.Join(failures[i], err)
				}
			}
		})
	}
	all.Wait()
	return errors.Join(failures...)
}

// clear makes the folder for machine code, or removes the machine code of an earlier run from it,
// which may have been made from other PTX. Other files stay.
func (c *compilation) clear() error {
	err := os.MkdirAll(c.cubin, 0o755)
	files, failure := os.ReadDir(c.cubin)
	err = errors.Join(err, failure)
	for _, f := range files {
		if ok, _ := filepath.Match("*.sm_*.gz", f.Name()); ok {
			err = errors.Join(err, os.Remove(filepath.Join(c.cubin, f.Name())))
		}
	}
	return err
}

// command runs a compiler, and returns its output. An error has its messages on the same line.
func command(ctx context.Context, in, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdin = strings.NewReader(in)
	var messages strings.Builder
	cmd.Stderr = &messages
	out, err := cmd.Output()
	if err != nil {
		text := strings.TrimSpace(messages.String())
		err = fmt.Errorf("%s: %w: %s", name, err, strings.ReplaceAll(text, "\n", "; "))
	}
	return string(out), err
}

// assemble assembles the PTX of a program for a GPU of NVIDIA. Spilled registers are an error.
func (c *compilation) assemble(
	ctx context.Context, temp string, p *driver.Program, target string,
) error {
	if strings.Count(p.PTX, "\n.minnctapersm 4\n") != strings.Count(p.PTX, "\n.visible .entry ") {
		return errors.New("a kernel is not limited to 128 registers")
	}
	ptx, cubin := filepath.Join(temp, p.Name+target+".ptx"), filepath.Join(temp, p.Name+target)
	if err := os.WriteFile(ptx, []byte(p.PTX), 0o600); err != nil {
		return err
	}
	_, err := command(ctx, "", c.ptxas, "--warn-on-spills", "--warning-as-error", "--gpu-name",
		target, "--output-file", cubin, ptx)
	if err != nil || c.cubin == "" || p.Name == "bench" {
		return err
	}
	code, err := os.ReadFile(cubin)
	if err != nil {
		return err
	}
	// Package kernels embeds files with the hash of the PTX in the header of gzip.
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	z.Comment = fmt.Sprintf("%x", sha256.Sum256([]byte(p.PTX)))
	_, _ = z.Write(code) // a Buffer returns no error
	if err := z.Close(); err != nil {
		return err
	}
	name := filepath.Join(c.cubin, p.Name+"."+target+".gz")
	return os.WriteFile(name, packed.Bytes(), 0o644)
}

// spills matches the metadata of a kernel for AMD that has spilled registers.
var spills = regexp.MustCompile(`\.[sv]gpr_spill_count: +[1-9]\d*`)

// amd compiles the OpenCL C of a program for a GPU of AMD. Spilled registers are an error.
func amd(ctx context.Context, _ string, p *driver.Program, target string) error {
	assembly, err := command(ctx, p.Source+library, "clang-15", "-x", "cl", "-cl-std=CL1.2",
		"-Xclang", "-finclude-default-header", "-target", "amdgcn-amd-amdhsa", "-mcpu="+target,
		"-nogpulib", "-O3", "-S", "-o", "-", "-")
	if found := spills.FindString(assembly); found != "" {
		return fmt.Errorf("a kernel spills registers: %s", found)
	}
	return err
}
