package walks

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// batchRows is the number of rows in a batch. It is large enough that all lanes of a vector are
// used, and that a batch equation is used on every level.
const batchRows = 256

// calls maps the title of each walk to the call that the walk describes: an operation for the
// program subject, its number of rows, and the level.
var calls = map[string]struct {
	operation string
	rows      int
	level     Level
}{
	"One verification: `ecdsa.Verify`": {"ecdsa.Verify", 1, Single},
	"One signature: `ecdsa.Sign`":      {"ecdsa.Sign", 1, Single},
	"One exact batch, row by row: `batch.ECDSARows.Verify`": {
		"batch.ECDSARows.Verify", batchRows, Single},
	"One exact batch, in lanes":                {"batch.ECDSARows.Verify", batchRows, Lanes},
	"One equation: `batch.SchnorrRows.Verify`": {"batch.SchnorrRows.Verify", batchRows, Single},
	"One sum: `msm.SumVartime`":                {"msm.SumVartime", 300, Single},
	"One sum of few terms, in lanes":           {"msm.SumVartime", 20, Lanes},
}

// elsewhere lists the walks that are compared by tests of other modules.
var elsewhere = []string{"One `koblitz check`"}

func read(t *testing.T, page string) []Walk {
	t.Helper()
	text := reference.Must(os.ReadFile(page))
	walks, err := Read(string(text))
	if err != nil {
		t.Fatalf("%s: %v", page, err)
	}
	return walks
}

// leaveCache changes to a copy of the module if the test runs in the module cache, where the go
// command does not apply overlays.
func leaveCache(t *testing.T) {
	t.Helper()
	root := reference.Must(filepath.Abs(filepath.Join("..", "..", "..")))
	cache := reference.Must(run(goCommand("env", "GOMODCACHE")))
	if !strings.HasPrefix(root, strings.TrimSpace(string(cache))+string(filepath.Separator)) {
		return
	}
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(copied, "lab", "layers", "walks"))
}

// subjects returns a function that makes a call on a level and returns the stacks of its calls to
// kernels. It builds the program for each level once.
func subjects(t *testing.T) func(operation string, rows int, level Level) []Stack {
	leaveCache(t)
	programs := map[Level]string{}
	return func(operation string, rows int, level Level) []Stack {
		t.Helper()
		if programs[level] == "" {
			p := reference.Must(Build(t.TempDir(), module+"/lab/layers/walks/subject", level))
			programs[level] = p
		}
		stacks := reference.Must(Record(programs[level], operation, strconv.Itoa(rows)))
		return stacks
	}
}

// TestPage checks that each walk in ARCHITECTURE.md, a list of the packages through which a call
// passes, equals the stack that is recorded when the call runs.
func TestPage(t *testing.T) {
	if !cputest.Deep() {
		t.Skip("without KOBLITZ_DEEP: it builds programs and follows their calls")
	}
	record := subjects(t)
	var titles []string
	for _, w := range read(t, filepath.Join("..", "..", "..", "ARCHITECTURE.md")) {
		titles = append(titles, w.Title)
		call, ok := calls[w.Title]
		if !ok {
			if !slices.Contains(elsewhere, w.Title) {
				t.Errorf("%s: this test makes no such call", w.Title)
			}
			continue
		}
		if err := w.Compare(record(call.operation, call.rows, call.level)); err != nil {
			t.Error(err)
		}
	}
	for title := range calls {
		if !slices.Contains(titles, title) {
			t.Errorf("the page has no walk %q", title)
		}
	}
	for _, title := range elsewhere {
		if !slices.Contains(titles, title) {
			t.Errorf("the page has no walk %q", title)
		}
	}
}

// TestStale checks that Compare accepts a correct walk, and refuses walks with one error each.
// Compare's error must contain the word before the colon in the walk's title.
func TestStale(t *testing.T) {
	stacks := subjects(t)("ecdsa.Verify", 1, Single)
	for i, w := range read(t, filepath.Join("testdata", "stale.md")) {
		err := w.Compare(stacks)
		if i == 0 {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		want, _, _ := strings.Cut(w.Title, ":")
		if err == nil {
			t.Errorf("%s: there is no error", w.Title)
		} else if _, text, _ := strings.Cut(err.Error(), w.Title); !strings.Contains(text, want) {
			t.Errorf("%s: the error is %v", w.Title, err)
		}
	}
}

// TestHops checks that Compare accepts stacks with at most 8 hops, and refuses stacks with more,
// although they equal the walk.
func TestHops(t *testing.T) {
	for hops := range 12 {
		var names []string
		var w Walk
		for i := range hops + 1 {
			names = append(names, fmt.Sprintf("%s/p%d.(*T[...]).F.func1.2", module, i), "other.org/module.F")
			w.Packages = append(w.Packages, fmt.Sprintf("p%d", i))
		}
		s := parseStack(names)
		if len(s) != hops+1 {
			t.Fatalf("%d hops, and the stack is\n%v", hops, s)
		}
		if err := w.Compare([]Stack{s}); (err == nil) != (hops <= 8) {
			t.Errorf("%d hops: %v", hops, err)
		}
		// Compare must refuse a walk that ends before the stack does. It must also refuse a stack
		// with too many hops if another stack equals the walk.
		w.Packages = w.Packages[:1]
		if err := w.Compare([]Stack{s}); (err == nil) != (hops == 0) {
			t.Errorf("a walk without its %d hops: %v", hops, err)
		}
		for _, stacks := range [][]Stack{{s, s[:1]}, {s[:1], s}} {
			if err := w.Compare(stacks); (err == nil) != (hops <= 8) {
				t.Errorf("%d hops beside the walk: %v", hops, err)
			}
		}
	}
}

// TestRead checks that Read refuses pages with invalid walks.
func TestRead(t *testing.T) {
	for _, page := range []string{
		"",
		"\n## Walks\n\n### One\n",
		"\n## Walks\n\n### One\n\n1. Something is done.\n",
		"\n## Walks\n\n### One\n\n1. `ecdsa` is called.\n",
		"\n## Walks\n\n### One\n\n1. `ecdsa`: good\n2. bad\n",
		"\n## Walks\n\n### One\n\n## Another\n\n1. `ecdsa`: good\n",
	} {
		if walks, err := Read(page); err == nil {
			t.Errorf("%q has the walks %v", page, walks)
		}
	}
}

func TestPackageOf(t *testing.T) {
	for name, want := range map[string]string{
		"main.main":                       "main",
		module + ".ParsePrivateKey.func1": module,
		module + "/engine.(*call).work":   module + "/engine",
		module + "/forkjoin.New.gowrap1":  module + "/forkjoin",
		module + "/x.(*list[...]).add":    module + "/x",
		module + "/x.group[...].func1":    module + "/x",
	} {
		if pkg := packageOf(name); pkg != want {
			t.Errorf("%s is of %s", name, pkg)
		}
	}
}

func TestUntil(t *testing.T) {
	s := Stack{"main", "a", "b", "a"}
	if got := s.Until("a"); !slices.Equal(got, s[:2]) {
		t.Errorf("until a: %v", got)
	}
	if got := s.Until("c"); len(got) != 0 {
		t.Errorf("until c: %v", got)
	}
}
