package main

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/lab/operations"
)

// TestPage compares the table of docs/trusted-base.md with what runs.
func TestPage(t *testing.T) {
	if !cputest.Deep() {
		t.Skip("without KOBLITZ_DEEP: it builds programs and records their calls")
	}
	if runtime.GOOS != "linux" {
		t.Skipf("on %s: the page describes linux", runtime.GOOS)
	}
	cputest.Need(t, cputest.Lanes)
	cputest.Need(t, cputest.SHANI)
	all := recordAll(levels, calls)
	page := string(reference.Must(os.ReadFile("../../docs/trusted-base.md")))
	have, want := strings.Split(page, "\n"), strings.Split(all.update(page), "\n")
	for _, line := range have {
		if !slices.Contains(want, line) {
			t.Errorf("the page has    %s", line)
		}
	}
	for _, line := range want {
		if !slices.Contains(have, line) {
			t.Errorf("it should have  %s", line)
		}
	}
	if t.Failed() || !slices.Equal(have, want) {
		t.Error("go run ./lab/trusted -page docs/trusted-base.md updates the page")
	}

	// The method itself: kernels run at their level alone, and code of variable time is not secret.
	kinds := map[string]int{}
	for level, calls := range all {
		for p := range calls["ecdsa.Sign"] {
			kinds[level+p.kind]++
			if p.secret && strings.Contains(p.pkg+p.name, "artime") {
				t.Errorf("%s.%s may see secrets", p.pkg, p.name)
			}
			if p.kind == assembly && level == "ADX" && strings.Contains(p.name, "AVX") {
				t.Errorf("%s.%s runs at the level %s", p.pkg, p.name, level)
			}
		}
	}
	if kinds["portable"+assembly] != 0 || kinds["ADX"+assembly] < 10 || kinds["ADX"+outside] < 5 {
		t.Errorf("ecdsa.Sign consists of %v", kinds)
	}
}

// TestSearched checks that package operations has every call with a secret: the search for residues
// and the check of constant time make all its calls.
func TestSearched(t *testing.T) {
	for _, call := range calls {
		found := slices.ContainsFunc(operations.All(), func(op operations.Operation) bool {
			return op.Name == call && op.Needs&operations.Public == 0
		})
		if secret := call != "start" && call != "ecdsa.Verify"; found != secret {
			t.Errorf("%s: an operation with a secret: %v", call, found)
		}
	}
}

// TestUpdate checks that update replaces every row.
func TestUpdate(t *testing.T) {
	p := &part{pkg: "koblitz/ecdsa", name: "Sign", kind: function, lines: 7, checks: "C"}
	kernel := &part{pkg: "koblitz/ecdsa", name: "mul", kind: assembly, lines: 5, checks: "C"}
	all := records{shown: {"ecdsa.Sign": {p: true, kernel: true}}}
	table := all.table()
	page := "# Title\n\n" + table + "\nEnd.\n"
	if !strings.Contains(table, "| 7+5 |") || all.update(page) != page {
		t.Errorf("%s\nbecomes\n%s", page, all.update(page))
	}
	for _, planted := range []string{
		strings.Replace(page, "7+5", "7+4", 1),
		strings.Replace(page, "| `koblitz/ecdsa`", "| `koblitz/other` | |\n| `koblitz/ecdsa`", 1),
		page[:strings.Index(page, "| `koblitz/ecdsa`")] + page[strings.Index(page, "| others"):],
	} {
		if planted == page || all.update(planted) != page {
			t.Errorf("%s\nbecomes\n%s", planted, all.update(planted))
		}
	}
}
