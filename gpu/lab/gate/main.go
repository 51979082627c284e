// Gate compiles every program of gpu/kernels for GPUs of NVIDIA and AMD, and compares what each
// kernel takes of the machine with compiled.txt: registers, memory, spills, instructions.
//
//	cd gpu/lab && GOWORK=off go run ./gate           # compare
//	cd gpu/lab && GOWORK=off go run ./gate -update   # write what is measured
//
// A kernel may take 128 registers, so that four groups share a multiprocessor, and may spill none
// of them. compiled.txt lists the kernels that do not keep to that, and how far they may go; the
// flag -update makes such an allowance smaller or removes it, and only a hand makes one larger.
//
// NVIDIA's assembler is taken from the Python package index by its hash (requirements.txt), for
// which pip must be there, or is the program that the flag -ptxas names. It assembles the
// committed PTX. AMD's code is made by clang-15 from the OpenCL C. No GPU is asked.
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

// The targets: from Turing to Blackwell, and MI200, MI300, RDNA 2 and 3. MI300 is gfx942, which
// clang-15 knows as gfx940 alone.
var (
	allTargets = []string{"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120",
		"gfx90a", "gfx940", "gfx1030", "gfx1100"}
	quickTargets = []string{"sm_75", "sm_90", "sm_120", "gfx90a", "gfx1100"}
)

func main() {
	log.SetFlags(0)
	dir := flag.String("dir", "../kernels", "folder of the programs")
	update := flag.Bool("update", false, "write compiled.txt")
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
	if err := gate(*dir, *ptxas, targets, *update); err != nil {
		log.Fatal(err)
	}
}

// gate measures the programs in dir, and compares or updates.
func gate(dir, ptxas string, targets []string, update bool) error {
	begin := time.Now()
	const own = "gate"
	path := filepath.Join(own, "compiled.txt")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	committed, err := parse(string(text))
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
	if update {
		committed.rows = rows
		committed.lower()
		if err := os.WriteFile(path, []byte(committed.String()), 0o644); err != nil {
			return err
		}
	}
	err = committed.consistent()
	if update {
		for _, a := range committed.missing() {
			log.Printf("a hand could write: %v %d", &a, a.Most)
		}
	} else {
		err = errors.Join(err, committed.compare(rows, targets))
	}
	if err != nil {
		return err
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
