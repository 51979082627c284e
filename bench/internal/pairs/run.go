package pairs

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"
)

// run runs the benchmark of a row once, as -test.benchtime has it, in a process of its own, with
// the program of a layout. It returns the iterations, 0 if there is no such benchmark, and the
// CPU time of the whole process.
func (t *tree) run(ctx context.Context, r Row, layout int, benchtime string) (
	n int, cpu time.Duration, err error) {
	cmd := exec.CommandContext(ctx, t.programs[r.Package][layout],
		"-test.run=^$", "-test.bench="+r.Bench, "-test.benchtime="+benchtime, "-test.cpu=1")
	cmd.Dir = filepath.Join(string(t.root), filepath.FromSlash(r.Package))
	gently(cmd)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := pinned(cmd.Start); err != nil {
		return 0, 0, err
	}
	if err := cmd.Wait(); err != nil {
		return 0, 0, fmt.Errorf("%s, %s tree: %w\n%s", r.Name, t.name, err, &out)
	}
	found := results(out.Bytes())
	switch len(found) {
	case 0:
		return 0, 0, nil
	case 1:
		return found[0].n, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
	}
	return 0, 0, fmt.Errorf("%s, %s tree: %s names %d benchmarks, not one",
		r.Name, t.name, r.Bench, len(found))
}

// cost returns the CPU time of one element in ns.
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

// difference returns the CPU time of one iteration in ns: that of a process with n of them,
// 2 or more, less that of a process with one. It has neither the start and the preparations
// nor what other programs took in it, but goroutines and the collector.
func difference(n int, cpu func(iterations int) (time.Duration, error)) (float64, error) {
	one, err := cpu(1)
	if err != nil {
		return 0, err
	}
	many, err := cpu(n)
	if err != nil {
		return 0, err
	}
	return float64(many-one) / float64(n-1), nil
}

// A sequence is what was measured of a row: the times of an element in ns, pair by pair.
type sequence struct {
	Row
	Old, New []float64
}

// turns measures every row once in each tree, then again, and so on, in the order and with the
// layouts that turn says. Both trees do the same number of iterations, that of the old one in the
// given time. Done is called after each round through the rows.
func turns(ctx context.Context, old, new *tree, rows []Row, pairs int, each time.Duration,
	done func(pair int)) ([]sequence, error) {
	n := make([]int, len(rows))
	all := make([]sequence, len(rows))
	for i, r := range rows {
		all[i].Row = r
		var err error
		if n[i], _, err = old.run(ctx, r, 0, each.String()); err != nil {
			return nil, err
		}
		n[i] = max(n[i], 2)
	}
	for pair := range pairs {
		for i, r := range rows {
			order := []*tree{old, new}
			newFirst, layout := turn(pair, old.layouts)
			if newFirst {
				order = []*tree{new, old}
			}
			for _, t := range order {
				x, err := t.cost(ctx, r, layout, n[i])
				if err != nil {
					return nil, err
				}
				if t == old {
					all[i].Old = append(all[i].Old, x)
				} else {
					all[i].New = append(all[i].New, x)
				}
			}
		}
		done(pair)
	}
	return all, nil
}

// turn returns whether a pair of runs begins with the new tree, and the layout of both programs.
// In every other pair the new tree comes first (ABBA), so that a machine that becomes slower
// favours neither. Two such pairs have one layout, and the next two the next one, so that each
// layout is measured in both orders, however many there are.
func turn(pair, layouts int) (newFirst bool, layout int) {
	return pair%2 == 1, pair / 2 % layouts
}
