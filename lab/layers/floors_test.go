package layers

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// floors returns the packages of the core in a page's table of layers, by floor, the lowest first.
// They are paths below the module's, with "" for the root package.
func floors(page string) (all [][]string) {
	_, section, _ := strings.Cut(page, "\n## Layers\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || !strings.Contains(cells[2], "`") || strings.Contains(cells[1], "programs") {
			continue
		}
		var floor []string
		for _, m := range regexp.MustCompile("`([a-z0-9/]+)`").FindAllStringSubmatch(cells[2], -1) {
			name := m[1]
			if name == "koblitz" {
				name = ""
			}
			floor = append(floor, name)
		}
		all = append(all, floor)
	}
	slices.Reverse(all)
	return all
}

// misplaced returns the errors in the floors of a page. Each existing package of the order must be
// on one floor. From the lowest floor up, and from the last package to the first on each floor, no
// package may precede one that is below it in the order.
func misplaced(floors [][]string, exists func(pkg string) bool) (found []string) {
	highest := 0 // highest place of an earlier package
	count := map[string]int{}
	for _, floor := range floors {
		for _, pkg := range slices.Backward(floor) {
			count[pkg]++
			n := layer(pkg)
			if n < 0 {
				found = append(found, "no package "+pkg)
			} else if n < highest {
				found = append(found, pkg+" stands above a package that may import it")
			}
			highest = max(highest, n)
		}
	}
	for _, packages := range order {
		for _, pkg := range packages {
			if exists(pkg) && count[pkg] != 1 {
				found = append(found, pkg+" does not stand on one floor")
			}
		}
	}
	return found
}

// TestFloors compares the table of layers in ARCHITECTURE.md with the order of the packages.
func TestFloors(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	exists := func(pkg string) bool {
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pkg), "*.go"))
		return err == nil && len(files) > 0
	}
	table := floors(string(page))
	for _, wrong := range misplaced(table, exists) {
		t.Error(wrong)
	}

	// The table must be wrong upside down, with a package removed, and with one added.
	upside := slices.Clone(table)
	slices.Reverse(upside)
	without := append([][]string{table[0][1:]}, table[1:]...)
	more := append([][]string{{"internal/none"}}, table...)
	beside := slices.Clone(table)
	beside[0] = slices.Clone(beside[0])
	slices.Reverse(beside[0])
	for _, wrong := range [][][]string{upside, without, more, beside} {
		if misplaced(wrong, exists) == nil {
			t.Errorf("nothing is wrong with %v", wrong)
		}
	}
}
