package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"
)

// run runs the benchmark of row r once, in a new process, with the program of the given layout and
// with benchtime as -test.benchtime. It returns the number of iterations, or 0 if the program has
// no such benchmark, and the CPU time of the whole process.
func (t *tree) run(ctx context.Context, r Row, layout int, benchtime string) (
	n int, cpu time.Duration, err error) {
	cmd := t.program(ctx, r.Package, layout, "-test.cpu=1", "-test.run=^$", "-test.bench="+r.Bench,
		"-test.benchtime="+benchtime)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return 0, 0, fmt.Errorf("%s, %s tree: %w\n%s", r.Name, t.name, err, &out)
	}
	cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	found := 0
	for s := benchfmt.NewReader(&out, ""); s.Scan(); {
		if result, ok := s.Result().(*benchfmt.Result); ok {
			n = result.Iters
			found++
		}
	}
	if found > 1 {
		return 0, 0, fmt.Errorf("%s, %s tree: %s names %d benchmarks, not one",
			r.Name, t.name, r.Bench, found)
	}
	return n, cpu, nil
}

// program returns the command that runs the program of a package with the given layout.
func (t *tree) program(ctx context.Context, pkg string, layout int, args ...string) *exec.Cmd {
	all := slices.Concat(onOneCPU(), t.runner, []string{t.programs[pkg][layout]}, args)
	return command(ctx, filepath.Join(t.root, filepath.FromSlash(pkg)), t.env, all...)
}

var allowed = regexp.MustCompile(`(?m)^Cpus_allowed_list:.*?(\d+)$`)

// onOneCPU returns the beginning of a command that keeps a program on one CPU: the last one that
// this process may use, because systems let the first CPUs serve more interrupts. It returns nil if
// the system lacks the command taskset or a list of the CPUs (proc_pid_status(5)).
func onOneCPU() []string {
	status, _ := os.ReadFile("/proc/self/status")
	last := allowed.FindSubmatch(status)
	if _, err := exec.LookPath("taskset"); err != nil || last == nil {
		return nil
	}
	return []string{"taskset", "-c", string(last[1])}
}

// cost returns the CPU time per element in ns of the benchmark of row r with n iterations.
func (t *tree) cost(ctx context.Context, r Row, layout, n int) (float64, error) {
	each, err := difference(n, func(iterations int) (time.Duration, error) {
		_, cpu, err := t.run(ctx, r, layout, fmt.Sprint(iterations, "x"))
		return cpu, err
	})
	if err == nil && each <= 0 {
		err = fmt.Errorf("%s, %s tree: %d iterations took no time", r.Name, t.name, n)
	}
	return each / float64(r.Size), err
}

// difference returns the CPU time of one iteration in ns: the time of a process with n iterations,
// at least 2, minus the time of a process with one iteration, divided by n − 1. So the time to
// start a process and prepare its inputs cancels out. Goroutines and the garbage collector are
// included, and other programs are not.
func difference(n int, cpu func(iterations int) (time.Duration, error)) (float64, error) {
	one, err1 := cpu(1)
	many, err2 := cpu(n)
	return float64(many-one) / float64(n-1), cmp.Or(err1, err2)
}

// A measured is a row with the old and the new tree in which its benchmark is measured, and, for
// each pair of runs, the time per element in ns in both trees.
type measured struct {
	Row
	trees [2]*tree
	times [2][]float64
}

// ratios returns, for each pair of runs, the old tree's time divided by the new tree's. A ratio
// above 1 means that the new tree is faster.
func (m *measured) ratios() []float64 {
	q := make([]float64, len(m.times[0]))
	for i := range q {
		q[i] = m.times[0][i] / m.times[1][i]
	}
	return q
}

// turns measures every row in pairs of runs, one in the row's old tree and one in its new tree. The
// new tree comes first in every second pair (ABBA), so that a machine that becomes slower favours
// neither tree. Two consecutive pairs use the same layout, so each layout is measured in both
// orders. Both runs of a pair do the same number of iterations, as many as the old tree does in the
// given duration. After each round of all rows, turns calls the function done.
func turns(ctx context.Context, rows []*measured, pairs int, duration time.Duration,
	done func(pair int)) error {
	n := make([]int, len(rows))
	for i, r := range rows {
		iterations, _, err := r.trees[0].run(ctx, r.Row, 0, duration.String())
		if err != nil {
			return err
		}
		n[i] = max(iterations, 2)
	}
	for pair := range pairs {
		for i, r := range rows {
			for k := range r.trees {
				side := (k + pair) % 2
				t := r.trees[side]
				x, err := t.cost(ctx, r.Row, pair/2%t.layouts, n[i])
				if err != nil {
					return err
				}
				r.times[side] = append(r.times[side], x)
			}
		}
		done(pair)
	}
	return nil
}

// results returns the lines that the test TestResults of package pkg prints. Each line has the name
// of an operation and the hash of the operation's results.
func (t *tree) results(ctx context.Context, pkg string) ([]string, error) {
	cmd := t.program(ctx, pkg, 0, "-test.run=^TestResults$", "-test.v")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s, %s tree: %w\n%s", pkg, t.name, err, out)
	}
	var lines []string
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "result: ") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines, nil
}
