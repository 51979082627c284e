package check

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/progress"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/state"
	"github.com/koblitz-go/koblitz/cmd/koblitz/sample"
)

func TestMain(m *testing.M) {
	progress.Every, progress.LineEvery = time.Millisecond, 0
	program.Main(m)
}

var (
	program                = clitest.Program(Add)
	invoke, expect         = program.Run, program.Expect
	write, readFile, oneIn = clitest.Write, clitest.ReadFile, clitest.OneIn
)

// A failure is a listed failure, or a line of a file of verdicts.
type failure struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Row       *int64 `json:"row"`
	Offset    *int64 `json:"offset"`
	Block     *int32 `json:"block"`
	Index     *int   `json:"index"`
	Tx        string `json:"tx"`
	Input     *int   `json:"input"`
	Event     string `json:"event"`
	Kind      string `json:"kind"`
	Signature int    `json:"signature"`
	Verdict   string `json:"verdict"`
	Reason    string `json:"reason"`
	Sender    string `json:"sender"`
}

// A result is the decoded JSON document of check --json.
type result struct {
	Failures   []failure     `json:"failures"`
	Inputs     []state.Input `json:"inputs"`
	Unreadable []string      `json:"unreadable"`
	summary
}

// checkJSON runs 'koblitz check --json' and decodes its document.
func checkJSON(t testing.TB, stdin string, args ...string) result {
	t.Helper()
	status, stdout, stderr := invoke(t, stdin, append([]string{"check", "--json"}, args...)...)
	var r result
	d := json.NewDecoder(strings.NewReader(stdout))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		t.Fatalf("koblitz check --json %s: %v\n%s%s", strings.Join(args, " "), err, stdout, stderr)
	}
	if r.Exit != status {
		t.Errorf("exit %d in the document, status %d", r.Exit, status)
	}
	if sum := r.Valid + r.Invalid + r.Malformed + r.EngineChecked + r.NotCheckable + r.Recovered +
		r.Unsigned; sum != r.Rows {
		t.Errorf("%d rows, and verdicts for %d", r.Rows, sum)
	}
	return r
}

// numbers returns the counts of a result.
func (r *result) numbers() [9]int64 {
	return [9]int64{r.Rows, r.Valid, r.Invalid, r.Malformed, r.EngineChecked, r.NotCheckable,
		r.PassedOver, r.Recovered, r.Unsigned}
}

// The nostr events are in a file of another module. That module's version is pinned here and it is
// downloaded separately, because its dependencies are not wanted in go.mod.
const (
	nostrModule = "github.com/nbd-wtf/go-nostr@v0.52.3"
	nostrSum    = "h1:Xd87pXfJEJRXHpM+fLjQQln8dBNNaoPA10V7BbyP4KI="
	nostrName   = "testdata/messages.jsonl"
	nostrSHA256 = "02257837d894ebe1718107a13c9be74275d1b52094eee7ba17540bb6db4fcbe2"
)

// nostrFile returns the path of a file with 532 events, another envelope and five broken lines.
func nostrFile(t testing.TB) string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", nostrModule)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.Output()
	var m struct{ Dir, Sum, Error string }
	if jerr := json.Unmarshal(out, &m); err != nil || jerr != nil {
		t.Fatalf("go mod download %s: %v %s", nostrModule, err, m.Error)
	}
	if m.Sum != nostrSum {
		t.Fatalf("%s has the sum %s, not %s", nostrModule, m.Sum, nostrSum)
	}
	path := filepath.Join(m.Dir, nostrName)
	if _, sum := fileSum(t, path); sum != nostrSHA256 {
		t.Fatalf("%s has the SHA-256 %s", path, sum)
	}
	return path
}

// sampleFiles writes the embedded block and its spent outputs, still compressed, into a folder.
func sampleFiles(t testing.TB) (block, spent string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{sample.Block, sample.Spent} {
		write(t, filepath.Join(dir, name), clitest.Must(sample.Files.ReadFile(name)))
	}
	return filepath.Join(dir, sample.Block), filepath.Join(dir, sample.Spent)
}
