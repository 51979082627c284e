package main

import (
	"fmt"
	"io"
	"strings"
)

// A choice is a value of a parameter, with the instructions that were counted for it.
type choice struct {
	value, instructions int
	profile             bool // this is the value in the profile
}

// printSweep prints the results of count/profile, one line for each kind of operation and each
// size. Most lines have two values of a parameter, each with the instructions per term or row:
// first the value in the profile, then the value with the fewest instructions. A line of the kind
// called Prices has instead the cost of a batch equation, in percent of the cost of verifying each
// row alone: first as the profile states it, then as counted.
func printSweep(w io.Writer, counts []counted) error {
	for len(counts) > 0 {
		kind, size, list, err := group(&counts)
		if err != nil {
			return err
		}
		if kind == "Prices" {
			each, equation := list[0], list[1]
			price := 100 * float64(equation.instructions) / float64(each.instructions)
			_, err := fmt.Fprintf(w, "%-12s %6d  profile %5d  counted %8.1f\n", kind, size, each.value,
				price)
			if err != nil {
				return err
			}
			continue
		}
		best, now := list[0], choice{}
		for _, c := range list {
			if c.instructions < best.instructions {
				best = c
			}
			if c.profile {
				now = c
			}
		}
		if _, err := fmt.Fprintf(w, "%-12s %6d  profile %5d  %8d  best %5d  %8d\n", kind, size,
			now.value, now.instructions/size, best.value, best.instructions/size); err != nil {
			return err
		}
	}
	return nil
}

// group removes from counts all entries with the kind and the size of the first entry, and returns
// them.
func group(counts *[]counted) (kind string, size int, list []choice, err error) {
	for len(*counts) > 0 {
		var c choice
		var k string
		var n int
		name, star := strings.CutSuffix((*counts)[0].name, "*")
		if _, err := fmt.Sscanf(name, "%s %d %d", &k, &n, &c.value); err != nil {
			return "", 0, nil, fmt.Errorf("%q: %w", name, err)
		}
		if len(list) > 0 && (k != kind || n != size) {
			break
		}
		kind, size = k, n
		c.instructions, c.profile = (*counts)[0].instructions, star
		list = append(list, c)
		*counts = (*counts)[1:]
	}
	return kind, size, list, nil
}
