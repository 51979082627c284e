package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// repository creates a repository with the given files, by name, and returns its folder.
func repository(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."}, {"commit", "-q", "-m", "all"},
	} {
		args = append([]string{"-C", dir, "-c", "user.name=n", "-c", "user.email=e"}, args...)
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatal(err, string(out))
		}
	}
	return dir
}

func write(t *testing.T, file, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(file), 0o755)
	if err := errors.Join(err, os.WriteFile(file, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// project creates a repository with two packages and returns its folder. The operations in its
// working tree are ten times as slow as those in its commit, and a benchmark has another name.
func project(t *testing.T) (dir string) {
	t.Helper()
	const speed = `package speed

import ("os"; "testing")

// Times is how often an operation multiplies.
const Times = 1000

func multiply() (x int) {
	for i := range Times { x = x*x + i }
	return x
}

var sink int

func BenchmarkMultiply(b *testing.B) {
	f, err := os.OpenFile(os.Getenv("PAIRS_LOG"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil { b.Fatal(err) }
	defer f.Close()
	for b.Loop() { sink += multiply() }
	word := "1000\n"
	if Times > 1000 { word = "10000\n" }
	f.WriteString(word)
}

func BenchmarkSome(b *testing.B) {
	for _, n := range []string{"a", "b"} { b.Run(n, func(b *testing.B) { for b.Loop() {} }) }
}

func BenchmarkBroken(b *testing.B) { b.Fatal("it is broken") }
`
	const later = `package later

import "testing"

func BenchmarkAdded(b *testing.B) {
	x := 1
	for b.Loop() { for range 1000 { x *= 3 } }
	if x == 0 { b.Fatal("zero") }
}
`
	dir = repository(t, map[string]string{
		"go.mod":              "module example.org/project\n\ngo 1.25\n",
		"speed/speed_test.go": speed,
		"later/later_test.go": later,
	})
	write(t, filepath.Join(dir, "speed", "speed_test.go"), strings.NewReplacer(
		"Times = 1000", "Times = 10000", "BenchmarkMultiply", "BenchmarkTimes").Replace(speed))
	return dir
}

var multiply = benchmark("multiply", "speed", "^BenchmarkMultiply$|^BenchmarkTimes$", 1)

// left returns the files in temp that a comparison has not removed.
func left(t *testing.T, temp string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(temp, "koblitz-*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A during is a writer that calls a function when a line is written that contains the string in its
// field text.
type during struct {
	text string
	call func()
}

func (d during) Write(b []byte) (int, error) {
	if d.text != "" && strings.Contains(string(b), d.text) {
		d.call()
	}
	return len(b), nil
}

// deep reports whether KOBLITZ_DEEP is set, as in acceptance. Tests then measure, too,
// which takes an idle machine.
func deep() bool { return os.Getenv("KOBLITZ_DEEP") != "" }

// TestCompare checks that a comparison of two trees reports the rows in which the new tree is
// slower. It must remove its files, even after errors. Without KOBLITZ_DEEP it
// measures nothing.
func TestCompare(t *testing.T) {
	dir, temp := project(t), t.TempDir()
	log := filepath.Join(temp, "log")
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	t.Setenv("PAIRS_LOG", log)
	added := benchmark("added", "later", "^BenchmarkAdded$", 1)
	var out bytes.Buffer
	s := Settings{
		Dir: filepath.Join(dir, "speed"), Old: "HEAD",
		Pairs: 4, Layouts: 1, Each: 20 * time.Millisecond,
	}
	compareRows := func(ctx context.Context, progress during, rows ...Row) error {
		out.Reset()
		os.Remove(log)
		s.Rows = rows
		return Compare(ctx, s, &out, progress)
	}
	bg := context.Background()

	row := func(pkg, bench string) Row { return benchmark("x", pkg, bench, 1) }
	for _, c := range []struct {
		name string
		old  string
		row  Row
		want []string
	}{
		{"no such commit", "nothing", multiply, []string{`no commit "nothing"`}},
		{"a flag", "--version", multiply, []string{`no commit "--version"`}},
		{"no such package", "HEAD", row("none", "^BenchmarkX$"),
			[]string{"old tree: go test ./none"}},
		{"no such benchmark", "HEAD", row("speed", "^BenchmarkNone$"),
			[]string{"x: the old tree", "BenchmarkNone", "speed"}},
		{"only in the old tree", "HEAD", row("speed", "^BenchmarkMultiply$"),
			[]string{"x: the new tree", "BenchmarkMultiply"}},
		{"two benchmarks", "HEAD", row("speed", "^BenchmarkSome$"),
			[]string{"x, old tree", "names 2 benchmarks"}},
		{"a benchmark that fails", "HEAD", row("speed", "^BenchmarkBroken$"),
			[]string{"x, old tree", "it is broken"}},
	} {
		s.Old = c.old
		err := compareRows(bg, during{}, c.row)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: no %q in: %v", c.name, want, err)
			}
		}
		if rest := left(t, temp); len(rest) > 0 || out.Len() > 0 {
			t.Errorf("%s: left behind: %q; printed: %s", c.name, rest, &out)
		}
	}
	if !deep() {
		return
	}

	s.Old, s.Layouts = "HEAD", 2
	required := func(r Row, least float64) Row { r.Least = least; return r }
	rows := []Row{required(multiply, 0.9), required(added, 0.9)}
	if err := compareRows(bg, during{}, rows...); !errors.Is(err, ErrShort) {
		t.Errorf("ten times as slow: %v", err)
	}
	for _, want := range []string{
		"+.\n", "4 pairs of runs of 20ms", "2 layouts",
		"| multiply | ", "| added | ", "\nShort of the least: multiply (0.",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, &out)
		}
	}
	// Each measurement starts two processes. The processes before the first pair look for the
	// benchmark. The last of them finds the number of iterations that the old tree does in the
	// given time.
	order, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	const o, n = "1000\n1000\n", "10000\n10000\n"
	if want := "1000\n10000\n1000\n" + o + n + n + o + o + n + n + o; string(order) != want {
		t.Errorf("the programs ran in the order %q, want %q", order, want)
	}

	// Two layouts of the same program must differ.
	laid := &tree{name: "laid", root: dir, layouts: 2}
	only := &measured{Row: multiply, trees: [2]*tree{laid, laid}}
	if err := laid.build(bg, []*measured{only}, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	programs := laid.programs[multiply.Package]
	a, err1 := os.ReadFile(programs[0])
	b, err2 := os.ReadFile(programs[1])
	if err1 != nil || err2 != nil || bytes.Equal(a, b) {
		t.Errorf("two layouts of one program are the same, %v, %v", err1, err2)
	}

	if err := compareRows(bg, during{}, required(multiply, 0.001)); err != nil {
		t.Errorf("not slower than allowed: %v", err)
	}
	if !strings.Contains(out.String(), "No row falls short of the least.") {
		t.Errorf("the verdict in:\n%s", &out)
	}

	for _, when := range []string{"building the new", "1/4"} {
		ctx, cancel := context.WithCancel(bg)
		err := compareRows(ctx, during{when, cancel}, multiply)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("interrupted at %q: %v", when, err)
		}
		if rest := left(t, temp); len(rest) > 0 || out.Len() > 0 {
			t.Errorf("interrupted at %q: left behind: %q; printed: %s", when, rest, &out)
		}
		cancel()
	}
}

// TestDifference checks that the time that a process needs outside of its iterations, such as for
// preparing inputs, does not count.
func TestDifference(t *testing.T) {
	const start = 300 * time.Millisecond
	broken := errors.New("broken")
	for _, c := range []struct {
		n    int
		cpu  func(n int) (time.Duration, error)
		want float64
		err  error
	}{
		{1001, func(n int) (time.Duration, error) { return start + time.Duration(n)*12_000, nil },
			12_000, nil},
		{2, func(n int) (time.Duration, error) { return start + time.Duration(n)*7, nil }, 7, nil},
		{50, func(int) (time.Duration, error) { return start, nil }, 0, nil},
		{50, func(n int) (time.Duration, error) { return start, broken }, 0, broken},
		{50, func(n int) (time.Duration, error) { return start, map[int]error{50: broken}[n] },
			0, broken},
	} {
		got, err := difference(c.n, c.cpu)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%d iterations: %v, %v, want %v, %v", c.n, got, err, c.want, c.err)
		}
	}
}

// TestTable checks that the ratio of a row is the median of the pairs' ratios, not the ratio of the
// medians. A ratio below the limit must not be rounded up to the limit.
func TestTable(t *testing.T) {
	s := func(name string, least float64, old, new []float64) *measured {
		return &measured{Row: Row{Name: name, Least: least}, times: [2][]float64{old, new}}
	}
	// Three pairs with the ratios 1, 2 and 0.5. During the last pair the machine was ten times as
	// slow.
	verify := s("verify", 0, []float64{1000, 3000, 10_000}, []float64{1000, 1500, 20_000})
	sign := s("sign", 0.98, []float64{98, 98}, []float64{100, 100})
	sum := s("sum", 0.98, []float64{97_999, 97_999}, []float64{1e5, 1e5})
	const head = `| row | old | new | old / new, median | quartiles | at least |
|---|---|---|---|---|---|
| verify | 3 µs | 1.5 µs | 1.000 | 0.583 to 1.833 |  |
| sign | 0.098 µs | 0.1 µs | 0.980 | 0.980 to 0.980 | 0.98 |
`
	for _, c := range []struct {
		rows  []*measured
		want  string
		short bool
	}{
		{[]*measured{verify, sign}, head + "\nNo row falls short of the least.\n", false},
		{[]*measured{verify, sign, sum}, head +
			"| sum | 98 µs | 100 µs | 0.979 | 0.979 to 0.979 | 0.98 |\n" +
			"\nShort of the least: sum (0.979).\n", true},
	} {
		if got, short := table(c.rows); got != c.want || short != c.short {
			t.Errorf("%v: got\n%swant\n%s", short, got, c.want)
		}
	}
}

// TestRows checks that the benchmark of every row exists in the row's package.
func TestRows(t *testing.T) {
	top := regexp.MustCompile(`^\^(Benchmark\w+)\$(/.*)?$`)
	for _, r := range Rows {
		name := top.FindStringSubmatch(r.Bench)
		if name == nil || r.Size < 1 {
			t.Fatalf("%+v", r)
		}
		files, err := filepath.Glob(filepath.Join("../../..", r.Package, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(files, func(file string) bool {
			b, err := os.ReadFile(file)
			return err == nil && bytes.Contains(b, []byte("func "+name[1]+"(b *testing.B)"))
		}) {
			t.Errorf("%s: no %s in %s", r.Name, name[1], r.Package)
		}
	}
}
