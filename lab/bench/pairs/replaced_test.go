package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// replaceable creates a repository with three modules: operations, a library that the operations
// use, and a drop-in for this library that is five times as fast. It returns the folder of the
// operations.
func replaceable(t *testing.T) (dir string) {
	t.Helper()
	const library = `package lib

// Times is how often Multiply multiplies.
const Times = TIMES

func Multiply() (x int) {
	for i := range Times { x = x*x + i }
	return x
}

// Twice has another result in the drop-in.
func Twice() int { return TWICE }
`
	const operations = `package ops

import ("fmt"; "os"; "testing"; "example.org/lib")

var sink int

func BenchmarkOperations(b *testing.B) {
	b.Run("multiply", func(b *testing.B) {
		f, err := os.OpenFile(os.Getenv("PAIRS_LOG"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil { b.Fatal(err) }
		defer f.Close()
		fmt.Fprintf(f, "%d cgo=%s\n", lib.Times, os.Getenv("CGO_ENABLED"))
		for b.Loop() { sink += lib.Multiply() }
	})
}

func TestResults(t *testing.T) { fmt.Println("result: TestResults/multiply RESULT") }
`
	return filepath.Join(repository(t, map[string]string{
		"ops/go.mod": "module example.org/ops\n\ngo 1.25\n\nrequire example.org/lib v0.0.0\n\n" +
			"replace example.org/lib => ../slow\n",
		"ops/go.sum":            "",
		"ops/same/ops_test.go":  strings.Replace(operations, "RESULT", "00", 1),
		"ops/other/ops_test.go": strings.Replace(operations, ` RESULT")`, ` ", lib.Twice())`, 1),
		"ops/none/ops_test.go":  strings.Replace(operations, "result: ", "no result: ", 1),
		"slow/go.mod":           "module example.org/lib\n\ngo 1.25\n",
		"fast/go.mod":           "module example.org/lib\n\ngo 1.25\n",
		"slow/lib.go":           strings.NewReplacer("TIMES", "10000", "TWICE", "2").Replace(library),
		"fast/lib.go":           strings.NewReplacer("TIMES", "2000", "TWICE", "3").Replace(library),
	}), "ops")
}

// TestReplaced checks the table that results from measuring operations with and without a
// replace line, and the order of the processes. Different results of the two builds must be an
// error, and no temporary files may remain. Without KOBLITZ_DEEP it measures nothing.
func TestReplaced(t *testing.T) {
	dir, temp := replaceable(t), t.TempDir()
	log := filepath.Join(temp, "log")
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	t.Setenv("PAIRS_LOG", log)
	row := func(name, pkg string, least float64) Row {
		return operation(name, pkg, "multiply", least)
	}
	var out, progress bytes.Buffer
	pairs := 0
	compare := func(rows ...Row) error {
		out.Reset()
		progress.Reset()
		os.Remove(log)
		err := Compare(context.Background(), Settings{
			Dir: dir, Replace: [][2]string{{"example.org/lib", "fast"}}, Rows: rows,
			Pairs: pairs, Layouts: 1, Each: 50 * time.Millisecond,
		}, &out, &progress)
		if rest := left(t, temp); len(rest) > 0 {
			t.Errorf("left behind: %q", rest)
		}
		return err
	}

	if err := compare(row("multiply", "same", 1000)); err != nil || out.Len() > 0 ||
		!strings.Contains(progress.String(), "pairs: 1 operations have the same results\n") {
		t.Errorf("results alone: %v, %s%s", err, &progress, &out)
	}
	for _, c := range []struct{ pkg, want string }{
		{"other", "have other results"}, {"none", "prints no results"},
		{"nothing", "plain tree: go test ./nothing"},
	} {
		err := compare(row(c.pkg, c.pkg, 0))
		if err == nil || !strings.Contains(err.Error(), c.want) || out.Len() > 0 {
			t.Errorf("%s: %v; printed: %s", c.pkg, err, &out)
		}
	}
	if !deep() {
		return
	}

	pairs = 2
	err := compare(row("multiply", "same", 2), cgo(row("against cgo", "same", 0)))
	if err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		"2 pairs of runs of 50ms", "\n| multiply | ", "\n| against cgo | ", " | 2 |\n",
		" |  |\n", "No row falls short",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, &out)
		}
	}
	// This checks only the order of the processes. A benchmark runs twice in a process, unless it
	// does only one iteration.
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	order := slices.Compact(strings.Fields(strings.ReplaceAll(string(b), " ", ",")))
	const plain, c, fast = "10000,cgo=0", "10000,cgo=1", "2000,cgo=0"
	want := []string{
		plain, c, fast, // each build looks for its benchmarks
		plain, c, // each old side finds the number of iterations
		plain, fast, c, fast, // the first pair of runs of each row
		plain, fast, c, // the second pair, the new side first
	}
	if !slices.Equal(order, want) {
		t.Errorf("the programs ran in the order\n%q, want\n%q", order, want)
	}

	if err := compare(row("multiply", "same", 1000)); !errors.Is(err, ErrShort) {
		t.Errorf("a thousand times as fast: %v", err)
	}
	if !strings.Contains(out.String(), "Short of the least: multiply (") {
		t.Errorf("the verdict in:\n%s", &out)
	}
}

// TestDropIns checks that every row names an operation of lab/dropins, and that every such
// operation has a row.
func TestDropIns(t *testing.T) {
	const module = "../../dropins"
	bench := regexp.MustCompile(`^\^BenchmarkOperations\$/\^([a-z0-9-]+)\$$`)
	rows := map[string]bool{}
	for _, d := range DropIns {
		name := bench.FindStringSubmatch(d.Bench)
		if name == nil || d.Size != 1 {
			t.Fatalf("%+v", d)
		}
		rows[d.Package+"/"+name[1]] = true
	}
	operations := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(module, "*/*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`\{Name: "([a-z0-9-]+)"`)
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range name.FindAllSubmatch(b, -1) {
			operations[filepath.Base(filepath.Dir(file))+"/"+string(m[1])] = true
		}
	}
	if len(rows) < 19 {
		t.Errorf("only %d rows", len(rows))
	}
	for r := range rows {
		if !operations[r] {
			t.Errorf("lab/dropins has no %s", r)
		}
	}
	for o := range operations {
		if !rows[o] {
			t.Errorf("no row for %s", o)
		}
	}
}
