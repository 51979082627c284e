package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// ptxasVersion is the version of ptxas in the package that requirements.txt lists. Other versions
// of ptxas use other numbers of registers and instructions.
const ptxasVersion = "V12.9.86"

// instructionBytes is the size in bytes of a machine instruction, from compute capability 7.0 on.
const instructionBytes = 16

func isNVIDIA(target string) bool { return strings.HasPrefix(target, "sm_") }

// fetch makes pip download the package that is listed in the file requirements, and check the
// package's hash. It then unpacks ptxas into the folder temp, and returns the path of ptxas.
func fetch(requirements, temp string) (string, error) {
	out, err := exec.Command("python3", "-m", "pip", "download", "--quiet", "--no-deps",
		"--only-binary", ":all:", "--require-hashes", "--dest", temp, "-r", requirements).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("pip: %w\n%s", err, out)
	}
	wheels, err := filepath.Glob(filepath.Join(temp, "*.whl"))
	if err != nil || len(wheels) != 1 {
		return "", fmt.Errorf("pip has brought %q, %v", wheels, err)
	}
	wheel, err := zip.OpenReader(wheels[0])
	if err != nil {
		return "", err
	}
	defer wheel.Close()
	in, err := wheel.Open("nvidia/cuda_nvcc/bin/ptxas")
	if err != nil {
		return "", err
	}
	defer in.Close()
	path := filepath.Join(temp, "ptxas")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return "", err
	}
	if _, err := io.Copy(file, in); err != nil {
		return "", err
	}
	return path, file.Close()
}

// assemble assembles the PTX of a program with ptxas.
func assemble(ptxas, dir, temp, program, target string) ([]row, error) {
	version, err := exec.Command(ptxas, "--version").Output()
	if err != nil {
		return nil, err
	}
	if !strings.Contains(string(version), ptxasVersion) {
		return nil, fmt.Errorf("another ptxas than %s: %s", ptxasVersion, version)
	}
	cubin := filepath.Join(temp, program+"."+target)
	out, err := exec.Command(ptxas, "--verbose", "--gpu-name", target, "--output-file", cubin,
		filepath.Join(dir, program+".ptx")).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("ptxas: %w\n%s", err, out)
	}
	rows, err := parseVerbose(string(out))
	if err != nil {
		return nil, err
	}
	file, err := openCubin(cubin)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		rows[i].Target, rows[i].Program = target, program
		section := file.Section(".text." + rows[i].Kernel)
		if section == nil {
			return nil, fmt.Errorf("there is no code of %s", rows[i].Kernel)
		}
		// A kernel's section also contains the functions that the kernel calls.
		rows[i].Instructions = int(section.Size / instructionBytes)
	}
	return rows, nil
}

// openCubin opens the output of ptxas. It is an ELF file with a version number of NVIDIA's own,
// which debug/elf refuses.
func openCubin(path string) (*elf.File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	const version = 20 // offset of the field e_version, which has 32 bits
	if len(data) < version+4 {
		return nil, fmt.Errorf("%d bytes of code", len(data))
	}
	binary.LittleEndian.PutUint32(data[version:], uint32(elf.EV_CURRENT))
	return elf.NewFile(bytes.NewReader(data))
}

// Expressions that match the lines that ptxas --verbose writes about a kernel.
var (
	compiling = regexp.MustCompile(`^ptxas info +: Compiling entry function '(\w+)' for '\w+'$`)
	frame     = regexp.MustCompile(`(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes`)
	used      = regexp.MustCompile(`^ptxas info +: Used (\d+) registers`)
	stack     = regexp.MustCompile(`, (\d+) bytes cumulative stack size`)
	shared    = regexp.MustCompile(`, (\d+) bytes smem`)
)

// parseVerbose parses the output of ptxas --verbose. Spills of a kernel include those of the
// functions that it calls.
func parseVerbose(text string) (rows []row, err error) {
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		line := lines.Text()
		if m := compiling.FindStringSubmatch(line); m != nil {
			rows = append(rows, row{Kernel: m[1]})
			continue
		}
		if len(rows) == 0 {
			if frame.MatchString(line) || used.MatchString(line) {
				return nil, fmt.Errorf("of no kernel: %q", line)
			}
			continue
		}
		r := &rows[len(rows)-1]
		if m := frame.FindStringSubmatch(line); m != nil {
			if r.Registers == 0 { // the line is about the kernel, not about a function that it calls
				r.Stack = number(m[1])
			}
			r.Spills += number(m[2]) + number(m[3])
		}
		if m := used.FindStringSubmatch(line); m != nil {
			r.Registers = number(m[1])
			if m := stack.FindStringSubmatch(line); m != nil {
				r.Stack = number(m[1])
			}
			if m := shared.FindStringSubmatch(line); m != nil {
				r.Shared = number(m[1])
			}
		}
	}
	for _, r := range rows {
		if r.Registers == 0 {
			return nil, fmt.Errorf("ptxas says nothing of %s", r.Kernel)
		}
	}
	return rows, lines.Err()
}

// number parses digits that a regular expression has matched.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 1 << 30 // more digits than any real value
	}
	return n
}
