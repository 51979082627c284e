package layers

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// layers returns the packages of the core that a page lists in its table of layers, the lowest row
// of the table first. A package is given by its path below the module's path, and "" is the root
// package.
func layers(page string) (all [][]string) {
	_, section, _ := strings.Cut(page, "\n## Layers\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || !strings.Contains(cells[2], "`") || strings.Contains(cells[1], "programs") {
			continue
		}
		var row []string
		for _, m := range regexp.MustCompile("`([a-z0-9/]+)`").FindAllStringSubmatch(cells[2], -1) {
			name := m[1]
			if name == "koblitz" {
				name = ""
			}
			row = append(row, name)
		}
		all = append(all, row)
	}
	slices.Reverse(all)
	return all
}

// misplaced returns what is wrong with layers, the rows of the table of layers. Each existing
// package that the variable named order lists must occur once in them. misplaced reads the rows
// from the lowest up, and each row from its last package to its first. In this sequence no package
// may come before a package that is in a lower layer of order.
func misplaced(layers [][]string, exists func(pkg string) bool) (found []string) {
	highest := 0 // largest layer of the packages so far
	count := map[string]int{}
	for _, row := range layers {
		for _, pkg := range slices.Backward(row) {
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
				found = append(found, pkg+" is not in exactly one layer")
			}
		}
	}
	return found
}

// TestFloors checks that the table of layers in ARCHITECTURE.md agrees with the variable order, and
// that misplaced detects wrong tables.
func TestFloors(t *testing.T) {
	page := reference.Must(os.ReadFile(filepath.Join("..", "..", "ARCHITECTURE.md")))
	exists := func(pkg string) bool {
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pkg), "*.go"))
		return err == nil && len(files) > 0
	}
	table := layers(string(page))
	for _, wrong := range misplaced(table, exists) {
		t.Error(wrong)
	}

	// Wrong copies of the table must be refused: upside down, without a package, with an unknown
	// package, and with the packages of one row reversed.
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
