//go:build spark && linux

package command

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/parquetfile/parquettest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// An engine runs the examples of docs/scale.md in a folder. The environment variable KOBLITZ_PYTHON
// must name a Python interpreter that has the wheel of this tree and the packages listed in
// python/tests/requirements.txt.
type engine struct {
	t       testing.TB
	dir     string
	python  string
	koblitz string // the program that the wheel brought
}

func newEngine(t testing.TB) *engine {
	python := os.Getenv("KOBLITZ_PYTHON")
	if python == "" {
		t.Fatal("KOBLITZ_PYTHON is not set")
	}
	e := &engine{t, t.TempDir(), python, filepath.Join(filepath.Dir(python), "koblitz")}
	page := clitest.Must(os.ReadFile("../../../../docs/scale.md"))
	for _, name := range []string{"# check.py", "# senders.py", "# duck.py", "-- join.sql"} {
		_, text, found := strings.Cut(string(page), name+"\n")
		text, _, ended := strings.Cut(text, "```\n")
		if !found || !ended {
			t.Fatalf("docs/scale.md has no %s", name)
		}
		write(t, filepath.Join(e.dir, strings.Fields(name)[1]), []byte(text))
	}
	return e
}

// run runs a program in the engine's folder and returns its output.
func (e *engine) run(name string, args ...string) string {
	e.t.Helper()
	out, err := e.try(name, args...)
	if err != nil {
		e.t.Fatalf("%s: %v\n%s", name, err, out[max(0, len(out)-5000):])
	}
	return out
}

func (e *engine) try(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = e.dir
	cmd.Env = append(os.Environ(), "PYSPARK_PYTHON="+e.python, "SPARK_LOCAL_IP=127.0.0.1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// spark returns the path of spark-submit.
func (e *engine) spark() string {
	home := e.run(e.python, "-c", "import pyspark, os; print(os.path.dirname(pyspark.__file__))")
	return filepath.Join(strings.TrimSpace(home), "bin", "spark-submit")
}

// submit runs an example on Spark.
func (e *engine) submit(recipe string, args ...string) string {
	e.t.Helper()
	return e.run(e.spark(), append([]string{"--master", "local[2]", "--conf", "spark.ui.enabled=false",
		"--conf", "spark.sql.files.maxPartitionBytes=1m", recipe}, args...)...)
}

// table writes a table as several files, the last of them without rows. It returns the verdicts
// that the command check gives on the table, by the row's value in the column note.
func (e *engine) table(name string, scheme reading.Scheme, n int) (verdicts map[string]string) {
	table := columnstest.Signed(e.t, scheme, n)
	for i := 7; i < n; i += 501 {
		table[3].Values[i][40] ^= 1
	}
	for i := 11; i < n; i += 701 {
		table[1].Values[i] = nil
	}
	table = columnstest.AsText(table, columnstest.Forms["0x"])
	dir := filepath.Join(e.dir, name)
	clitest.Must(0, os.Mkdir(dir, 0o700))
	verdicts = make(map[string]string)
	const files = 5
	for i := range files + 1 {
		part := slices.Clone(table)
		from, to := min(i*n/files, n), min((i+1)*n/files, n)
		for c := range part {
			part[c].Values = part[c].Values[from:to]
		}
		file := filepath.Join(dir, fmt.Sprintf("part-%d.parquet", i))
		write(e.t, file, parquettest.Write(e.t, part, parquettest.Layout{Text: true, Group: 5000}))
		if from == to {
			continue
		}
		answer := file + ".jsonl"
		status, _, stderr := invoke(e.t, "", "check", "-q", "--columns", commandtest.TableArgs[scheme],
			"--verdicts", answer, file)
		if status != cli.ExitInvalid {
			e.t.Fatalf("status %d: %s", status, stderr)
		}
		for _, line := range e.lines(answer) {
			verdicts[string(part[0].Values[line.Row])] = line.text()
		}
		clitest.Must(0, os.Rename(answer, filepath.Join(e.dir, filepath.Base(answer))))
	}
	return verdicts
}

// A verdictLine is a row of an example's output.
type verdictLine struct {
	Row                           int
	Note, Verdict, Reason, Sender string
}

func (v *verdictLine) text() string { return v.Verdict + "|" + v.Reason + "|" + v.Sender }

func (e *engine) lines(file string) (list []verdictLine) {
	text := clitest.Must(os.ReadFile(file))
	d := json.NewDecoder(strings.NewReader(string(text)))
	for d.More() {
		var line verdictLine
		clitest.Must(0, d.Decode(&line))
		list = append(list, line)
	}
	return list
}

// compare checks that a Parquet file or folder has exactly the verdicts in want, each once.
func (e *engine) compare(name string, want map[string]string) {
	e.t.Helper()
	e.run(e.python, "-c", `import json, sys
import pyarrow.parquet as pq
with open(sys.argv[1] + ".jsonl", "w") as f:
    for row in pq.read_table(sys.argv[1]).to_pylist():
        f.write(json.dumps({k: v for k, v in row.items() if v is not None}) + "\n")
`, name)
	got := make(map[string]string)
	for _, line := range e.lines(filepath.Join(e.dir, name+".jsonl")) {
		if _, twice := got[line.Note]; twice {
			e.t.Errorf("%s: %s twice", name, line.Note)
		}
		got[line.Note] = line.text()
	}
	if len(got) != len(want) {
		e.t.Errorf("%s: %d rows, want %d", name, len(got), len(want))
	}
	for note, text := range want {
		if got[note] != text {
			e.t.Fatalf("%s: %s: %q, want %q", name, note, got[note], text)
		}
	}
}

// failures returns the verdicts that are not valid. The test fails if these are none or all.
func failures(t testing.TB, verdicts map[string]string) map[string]string {
	bad := make(map[string]string)
	for note, text := range verdicts {
		if !strings.HasPrefix(text, "valid|") {
			bad[note] = text
		}
	}
	if len(bad) == 0 || len(bad) == len(verdicts) {
		t.Fatalf("%d failures of %d", len(bad), len(verdicts))
	}
	return bad
}

// gone waits until all processes of the engine's program have ended.
func (e *engine) gone() {
	e.t.Helper()
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		left := ""
		paths := clitest.Must(filepath.Glob("/proc/[0-9]*/exe"))
		for _, path := range paths {
			if exe, err := os.Readlink(path); err == nil && exe == e.koblitz {
				left = path
			}
		}
		if left == "" {
			return
		}
		if time.Since(began) > time.Minute {
			e.t.Errorf("still there after a minute: %s", left)
			return
		}
	}
}

// TestSparkLocal runs the Spark examples in one process, and checks that their output has the
// expected verdict for every row.
func TestSparkLocal(t *testing.T) {
	e := newEngine(t)
	verdicts := e.table("in", reading.ECDSA, 25_000)
	bad := failures(t, e.table("transactions", reading.Recover, 5000))
	if out := e.submit("check.py", "in", "out"); !strings.Contains(out,
		fmt.Sprintf("malformed|%5d|", 36)) {
		t.Errorf("no table of verdicts in\n%s", out)
	}
	failures(t, verdicts)
	e.compare("out", verdicts)
	e.submit("senders.py", "transactions", "bad")
	e.compare("bad", bad)
	e.loses(e.spark(), "check.py", "in", "fewer")
	e.loses(e.spark(), "senders.py", "transactions", "fewer senders")
	e.gone()
}

// TestPython runs the tests of the Python package.
func TestPython(t *testing.T) {
	e := newEngine(t)
	tests := clitest.Must(filepath.Abs("../../../../python/tests"))
	out := e.run(e.python, "-W", "error", "-m", "unittest", "discover", "-v", "-s", tests)
	if !strings.Contains(out, "\nOK\n") || strings.Contains(out, "skipped") {
		t.Error(out)
	}
	e.gone()
}

// TestDuckDB runs the DuckDB examples, and those of the pages about the Python package. It checks
// that the output of the former has the expected verdict for every row.
func TestDuckDB(t *testing.T) {
	e := newEngine(t)
	verdicts := e.table("in", reading.ECDSA, 50_000)
	e.run(e.python, "duck.py", "in/*.parquet", "out.parquet")
	e.compare("out.parquet", verdicts)
	e.loses(e.python, "duck.py", "in/*.parquet", "lossy.parquet")

	e.table("one", reading.ECDSA, 25_000)
	clitest.Must(0, os.Rename(filepath.Join(e.dir, "one", "part-0.parquet"),
		filepath.Join(e.dir, "events.parquet")))
	status, err := e.try(e.koblitz, "check", "-q", "--columns", "hash=h,key=k,signature=s",
		"--verdicts", "verdicts.csv", "events.parquet")
	if err == nil {
		t.Errorf("nothing failed: %s", status)
	}
	const join = `import duckdb
duckdb.sql("COPY (" + open("join.sql").read().rstrip().rstrip(";") + ") TO 'joined.parquet'")`
	e.run(e.python, "-c", join)
	for page, want := range map[string][]string{
		"../../../../python/README.md":     {`"malformed"`},
		"../../../../docs/guide/tables.md": {"rows are not valid", "5000 rows are written", " is bad: "},
	} {
		text := clitest.Must(os.ReadFile(page))
		parts := strings.Split(string(text), "```python\n")[1:]
		if len(parts) != len(want) {
			t.Fatalf("%s has %d examples", page, len(parts))
		}
		for i, part := range parts {
			example, _, _ := strings.Cut(part, "```\n")
			if out := e.run(e.python, "-c", example); !strings.Contains(out, want[i]) {
				t.Errorf("%s: no %q in\n%s", page, want[i], out)
			}
			if strings.Contains(example, "ParquetWriter") {
				write(t, filepath.Join(e.dir, "example.py"), []byte(example))
				e.loses(e.python, "example.py")
			}
		}
	}
	want := make(map[string]string)
	for _, line := range e.lines(filepath.Join(e.dir, "part-0.parquet.jsonl")) {
		if line.Verdict != "valid" {
			want[fmt.Sprintf("row %d", line.Row)] = line.text()
		}
	}
	e.compare("joined.parquet", want)
	verdictsFile := filepath.Join(e.dir, "verdicts.csv")
	header, rows, _ := strings.Cut(clitest.ReadFile(t, verdictsFile), "\n")
	_, rows, _ = strings.Cut(rows, "\n")
	write(t, verdictsFile, []byte(header+"\n"+rows))
	if out, err := e.try(e.python, "-c", join); err == nil || !strings.Contains(out,
		"a row has no verdict") {
		t.Errorf("join.sql without the verdict on a row: %v\n%s", err, out)
	}
	e.gone()
}

// loses checks that an example ends with an error if a part of the rows does not come back. program
// is the program that runs it.
func (e *engine) loses(program string, args ...string) {
	e.t.Helper()
	write(e.t, filepath.Join(e.dir, "lossy.py"), []byte(`import sys
import koblitz.spark
import pyarrow

def lossy(f):
    def call(data, **names):
        answer = f(data, **names)
        if not isinstance(answer, pyarrow.RecordBatchReader):
            return answer.limit(10)
        return pyarrow.RecordBatchReader.from_batches(answer.schema, list(answer)[1:])
    return call

koblitz.verify = lossy(koblitz.verify)
koblitz.spark.verify = lossy(koblitz.spark.verify)
koblitz.spark.recover = lossy(koblitz.spark.recover)
with open(sys.argv.pop(1)) as f:
    exec(f.read())
`))
	out, err := e.try(program, append([]string{"lossy.py"}, args...)...)
	if err == nil || !strings.Contains(out, " verdicts\n") {
		e.t.Errorf("lost rows: %v, %v\n%s", args, err, out)
	}
}
