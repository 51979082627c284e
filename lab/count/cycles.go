package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// This file predicts cycles. The plugin reports which basic blocks of the program were executed and
// how often. llvm-objdump prints the instructions of each block, and llvm-mca predicts its cycles
// from a model of the CPU: the average of a hundred independent executions in a row. The model has
// no caches, no mispredicted branches, and no dependencies between blocks.

// triples maps GOARCH to the target triple for LLVM.
var triples = map[string]string{
	"386": "i386", "arm64": "aarch64", "riscv64": "riscv64", "s390x": "s390x",
}

// iterations is the number of times that llvm-mca simulates the execution of a block.
const iterations = 100

// instruction matches a line of llvm-objdump's output that has an instruction.
var instruction = regexp.MustCompile(`^\s*([0-9a-f]+):\s+(\S.*)$`)

// target matches the target of a jump in the output of llvm-objdump.
var target = regexp.MustCompile(`0x[0-9a-f]+ <.*>$`)

// predictor returns a function that predicts how many cycles the given blocks of program take on a
// CPU.
func predictor(program, arch, cpu string) (func([]block) (float64, error), error) {
	text, err := run(nil, "llvm-objdump-19", "-d", "--no-show-raw-insn", "--mcpu="+cpu, program)
	if err != nil {
		return nil, err
	}
	var at []uint64
	lines := map[uint64]string{}
	index := map[uint64]int{}
	for line := range strings.Lines(text) {
		m := instruction.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		a, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil {
			return nil, err
		}
		code, _, _ := strings.Cut(m[2], "#")
		index[a], lines[a] = len(at), target.ReplaceAllString(strings.TrimSpace(code), "away")
		at = append(at, a)
	}
	type place struct {
		at uint64
		n  int
	}
	known := map[place]float64{}
	return func(blocks []block) (total float64, err error) {
		var ask []place
		var source strings.Builder
		for _, b := range blocks {
			p := place{b.at, b.n}
			if _, ok := known[p]; ok {
				continue
			}
			known[p] = 0
			first, ok := index[b.at]
			if !ok || first+b.n > len(at) {
				return 0, fmt.Errorf("no instructions at %#x", b.at)
			}
			fmt.Fprintf(&source, "# LLVM-MCA-BEGIN %d\n", len(ask))
			for _, a := range at[first : first+b.n] {
				source.WriteString(lines[a] + "\n")
			}
			source.WriteString("# LLVM-MCA-END\n")
			ask = append(ask, p)
		}
		if len(ask) > 0 {
			cycles, err := simulate(source.String(), triples[arch], cpu)
			if err != nil {
				return 0, err
			}
			if len(cycles) != len(ask) {
				return 0, fmt.Errorf("llvm-mca has %d results for %d blocks", len(cycles), len(ask))
			}
			for k, p := range ask {
				known[p] = cycles[k]
			}
		}
		for _, b := range blocks {
			total += known[place{b.at, b.n}] * float64(b.times)
		}
		return total, nil
	}, nil
}

// simulate returns the number of cycles that llvm-mca predicts for each region of an assembly text.
func simulate(source, triple, cpu string) (cycles []float64, err error) {
	cmd := exec.Command("llvm-mca-19", "-mtriple="+triple, "-mcpu="+cpu,
		fmt.Sprint("-iterations=", iterations), "-instruction-info=0", "-resource-pressure=0",
		"-skip-unsupported-instructions=lack-sched") // llvm-mca has no data on fences
	cmd.Stdin = strings.NewReader(source + "away:\n")
	var out, failed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failed
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("llvm-mca: %w\n%s", err, failed.Bytes())
	}
	for line := range strings.Lines(out.String()) {
		var n int
		if _, err := fmt.Sscanf(line, "Total Cycles: %d", &n); err == nil {
			cycles = append(cycles, float64(n)/iterations)
		}
	}
	return cycles, nil
}
