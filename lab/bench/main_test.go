package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/lab/bench/internal/harness"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// bench runs the program with args, and returns its standard output, its error output and its
// error.
func bench(args ...string) (out, errs string, err error) {
	var o, e bytes.Buffer
	err = run(args, &o, &e)
	return o.String(), e.String(), err
}

// short holds command-line arguments for a run of a few seconds.
var short = []string{
	"-rounds", "2", "-time", "1ms", "-peers", "dcrec", "-only", "parse,keygen",
}

func TestBadInput(t *testing.T) {
	for _, c := range []struct {
		args string
		want []string
	}{
		{"-peers openssl", []string{`no peer "openssl"`, "libsecp256k1 dcrec btcec gnark"}},
		{"-require openssl", []string{`no peer "openssl"`, "k256"}},
		{"-only ecdsa-sing", []string{`no operation "ecdsa-sing"`, "ecdsa-sign", "msm-65536"}},
	} {
		_, _, err := bench(strings.Fields(c.args)...)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q in it", c.args, err, want)
			}
		}
	}
	for _, args := range []string{"-rounds 0", "-time -1s", "-nothing", "extra"} {
		_, errs, err := bench(strings.Fields(args)...)
		if !errors.Is(err, errUsage) || !strings.Contains(errs, "-require") {
			t.Errorf("%s: %v; printed %q, want the list of flags", args, err, errs)
		}
	}
	_, errs, err := bench("-help")
	if !errors.Is(err, flag.ErrHelp) || !strings.Contains(errs, "-require") {
		t.Errorf("-help: %v, %q", err, errs)
	}
}

// TestRun checks the output, the progress and the report files of a short measurement.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	out, errs, err := bench(append(short, "-report", dir)...)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out, "No row was ") && !strings.HasPrefix(out, "Rows marked *") {
		t.Errorf("the report begins with %.80q", out)
	}
	// The error output gets a line before the peers are built, and one for each operation. The
	// standard output gets none.
	if lines := strings.Split(errs, "\n"); len(lines) != 4 ||
		lines[0] != "bench: building the peers" ||
		!strings.HasPrefix(lines[1], "  1/2  ") || !strings.Contains(lines[1], "keygen") ||
		!strings.HasPrefix(lines[2], "  2/2  ") || strings.Contains(out, "1/2  ") {
		t.Errorf("the progress is %q", errs)
	}
	for _, want := range []string{
		"public key from secret", "parse a compressed key", "koblitz", "dcrec",
		"constant time", "One thread. 2 rounds of 1ms",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in what was printed:\n%s", want, out)
		}
	}
	if strings.Contains(out, "ECDSA") {
		t.Error("an operation was measured that -only does not select")
	}
	for _, name := range []string{"report.md", "run.json"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Contains(b, []byte("dcrec")) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := read(t, dir)
	if o, ok := find(r, "keygen"); !ok || len(o.Results) < 3 ||
		len(o.Results[0].Rounds) != 2 || o.Results[0].Rounds[0] <= 0 {
		t.Errorf("keygen: %+v", o)
	}
}

// TestEverything checks that every operation runs once with every peer. Without KOBLITZ_DEEP, it
// runs only the operations on up to 16 elements and those on 256.
func TestEverything(t *testing.T) {
	var only []string
	for _, o := range peer.Operations() {
		if o.Size <= 16 || o.Size == 256 || os.Getenv("KOBLITZ_DEEP") != "" {
			only = append(only, o.ID)
		}
	}
	dir := t.TempDir()
	args := []string{"-rounds", "1", "-time", "1us", "-report", dir,
		"-only", strings.Join(only, ",")}
	if require := os.Getenv("BENCH_REQUIRE"); require != "" {
		args = append(args, "-require", require)
	}
	_, errs, err := bench(args...)
	if err != nil {
		t.Fatalf("%v\n%s", err, errs)
	}
	r := read(t, dir)
	for _, l := range r.LeftOut {
		if t.Log(l); l.Operation != "" {
			t.Error("a peer panicked")
		}
	}
	for _, id := range only {
		o, ok := find(r, id)
		if !ok || len(o.Results) == 0 {
			t.Errorf("%s was not measured", id)
		}
		for _, result := range o.Results {
			if len(result.Rounds) != 1 || result.Rounds[0] <= 0 {
				t.Errorf("%s by %s: %v", id, result.Peer, result.Rounds)
			}
		}
	}
	t.Logf("%d operations, %d peers", len(only), len(r.Peers))
}

// read returns the run in folder dir, which bench has written.
func read(t *testing.T, dir string) *harness.Run {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "run.json"))
	r := new(harness.Run)
	if err == nil {
		err = json.Unmarshal(b, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// find returns the operation of a run with the given ID.
func find(r *harness.Run, id string) (o harness.Operation, ok bool) {
	i := slices.IndexFunc(r.Operations, func(o harness.Operation) bool { return o.ID == id })
	if i < 0 {
		return o, false
	}
	return r.Operations[i], true
}
