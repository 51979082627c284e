// Gate compiles every program of gpu/kernels for GPUs of NVIDIA and AMD, and compares the resources
// of each kernel with compiled.txt: registers, memory, spills, instructions.
//
//	cd gpu/lab && GOWORK=off go run ./gate           # compare
//	cd gpu/lab && GOWORK=off go run ./gate -update   # write what is measured
//	cd gpu/lab && GOWORK=off go run ./gate -cubin    # compare, and keep the machine code
//
// It also compares the hashes of the machine code of rows and sums with cubin.txt: the same PTX and
// the same assembler give the same bytes everywhere. With -cubin it writes that code for NVIDIA's
// targets to gpu/kernels/cubin, which git ignores. A program that is then built with the tag cubin
// carries it.
//
// A kernel on NVIDIA's GPUs may use 128 registers, so that four groups fit on a multiprocessor. No
// kernel may spill any.
//
// NVIDIA's assembler is downloaded from the Python package index with pip and checked by its hash
// (requirements.txt), or the flag -ptxas names an installed one. It assembles the committed PTX.
// clang-15 compiles the OpenCL C for AMD. No GPU is needed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// The targets, as the compilers name them: NVIDIA's from Turing to Blackwell, and AMD's MI200,
// MI300, RDNA 2 and RDNA 3. MI300 is gfx942, but clang-15 supports only its early name, gfx940.
var (
	allTargets = []string{"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120",
		"gfx90a", "gfx940", "gfx1030", "gfx1100"}
	quickTargets = []string{"sm_75", "sm_90", "sm_120", "gfx90a", "gfx1100"}
)

func main() {
	log.SetFlags(0)
	dir := flag.String("dir", "../kernels", "folder of the programs")
	update := flag.Bool("update", false, "write compiled.txt")
	keep := flag.Bool("cubin", false, "write NVIDIA's machine code to the folder cubin of -dir")
	quick := flag.Bool("quick", false, "some of the targets: "+strings.Join(quickTargets, " "))
	ptxas := flag.String("ptxas", "", "NVIDIA's assembler; it is fetched if there is no path")
	flag.Parse()
	if flag.NArg() > 0 || *update && *quick {
		log.Fatal("no arguments, and -update measures all targets")
	}
	targets := allTargets
	if *quick {
		targets = quickTargets
	}
	if err := gate(*dir, *ptxas, targets, *update, *keep); err != nil {
		log.Fatal(err)
	}
}

// gate measures the programs in dir, and compares the results with compiled.txt and cubin.txt, or
// updates these. If keep is set, it writes the machine code to the folder cubin of dir.
func gate(dir, ptxas string, targets []string, update, keep bool) error {
	begin := time.Now()
	const own = "gate"
	path := filepath.Join(own, "compiled.txt")
	file, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	committed, err := parse(string(file))
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "gate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if ptxas == "" {
		ptxas, err = fetch(filepath.Join(own, "requirements.txt"), temp)
		if err != nil {
			return err
		}
	}
	rows, err := measure(dir, ptxas, temp, targets)
	if err != nil {
		return err
	}
	lines, err := hashes(temp, targets)
	if err != nil {
		return err
	}
	sums := filepath.Join(own, "cubin.txt")
	if update {
		if err := os.WriteFile(path, []byte(text(rows)), 0o644); err != nil {
			return err
		}
		if err := os.WriteFile(sums, []byte(hashText(lines)), 0o644); err != nil {
			return err
		}
		committed = rows
	}
	if err := compare(committed, rows, targets); err != nil {
		return err
	}
	known, err := os.ReadFile(sums)
	if err != nil {
		return err
	}
	if err := compareHashes(string(known), lines); err != nil {
		return err
	}
	if keep {
		if err := carry(dir, temp, lines); err != nil {
			return err
		}
	}
	fmt.Printf("%d kernels on %d targets as compiled.txt has them, %.0f s\n",
		len(rows)/len(targets), len(targets), time.Since(begin).Seconds())
	return nil
}

// measure compiles every program for every target, as many at a time as there are processors.
func measure(dir, ptxas, temp string, targets []string) ([]row, error) {
	programs, err := filepath.Glob(filepath.Join(dir, "*.cl"))
	if err != nil || len(programs) == 0 {
		return nil, errors.Join(err, fmt.Errorf("there is no program in %s", dir))
	}
	type result struct {
		rows []row
		err  error
	}
	var all sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	results := make([]result, len(targets)*len(programs))
	for i, target := range targets {
		for j, source := range programs {
			all.Go(func() {
				free <- struct{}{}
				defer func() { <-free }()
				program := strings.TrimSuffix(filepath.Base(source), ".cl")
				r := &results[i*len(programs)+j]
				if isNVIDIA(target) {
					r.rows, r.err = assemble(ptxas, dir, temp, program, target)
				} else {
					r.rows, r.err = compileAMD(dir, program, target)
				}
				if r.err == nil && len(r.rows) == 0 {
					r.err = errors.New("no kernel")
				}
				if r.err != nil {
					r.err = fmt.Errorf("%s for %s: %w", program, target, r.err)
				}
			})
		}
	}
	all.Wait()
	var rows []row
	for _, r := range results {
		rows = append(rows, r.rows...)
		err = errors.Join(err, r.err)
	}
	return rows, err
}
