package oracle

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/gob"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/lab/oracle/internal/subject"
)

// programsVariable is the environment variable with the folder of the two programs that are
// compared: theirs, with the real modules, and ours, with the replacements. The worker processes of
// fuzzing use it to find the programs that their parent process has built.
const programsVariable = "KOBLITZ_ORACLE_PROGRAMS"

func TestMain(m *testing.M) { os.Exit(withPrograms(m.Run)) }

// withPrograms runs f. Before that it builds the two programs that are compared, with the real
// modules and with the replacements, unless the environment variable programsVariable says where
// they are.
func withPrograms(f func() int) int {
	if os.Getenv(programsVariable) != "" {
		return f()
	}
	dir, err := os.MkdirTemp("", "oracle")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	released := filepath.Join(dir, "released.mod")
	command("go", "-C", "../suites", "run", ".", "-unpack", filepath.Join(dir, "btcec"))
	command("cp", "go.mod", released)
	command("cp", "go.sum", filepath.Join(dir, "released.sum"))
	command("go", "mod", "edit", "-replace="+btcec+"="+filepath.Join(dir, "btcec"), released)
	for program, with := range map[string][2]string{
		"theirs": {released, "CGO_ENABLED=1"}, "ours": {"replaced.mod", "CGO_ENABLED=0"},
	} {
		command("env", with[1], "go", "build", "-modfile="+with[0], "-o", filepath.Join(dir, program),
			"./internal/runner")
	}
	os.Setenv(programsVariable, dir)
	return f()
}

// command runs a command without any Go workspace. It panics if the command fails.
func command(name string, args ...string) {
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), "GOWORK=off")
	if out, err := c.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%s %s: %v\n%s", name, args, err, out))
	}
}

// A process runs one of the two programs that are compared.
type process struct {
	*gob.Encoder // for batches of tapes
	*gob.Decoder // for their outputs
}

// start starts a process of program, "theirs" or "ours", with additional environment variables. The
// process ends with the test.
func start(t testing.TB, program string, variables ...string) process {
	command := exec.Command(filepath.Join(os.Getenv(programsVariable), program))
	command.Env = append(os.Environ(), variables...)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(in.Close(), command.Wait()); err != nil {
			t.Error(err)
		}
	})
	return process{gob.NewEncoder(in), gob.NewDecoder(out)}
}

// pair holds a process of each program: theirs, with the real modules, and ours, with the
// replacements. found counts the outputs with the difference that the subject expects.
type pair struct {
	theirs, ours process
	found        int
}

// startBoth starts a process of each program. Only the process with the replacements gets the
// additional environment variables.
func startBoth(t testing.TB, variables ...string) *pair {
	return &pair{theirs: start(t, "theirs"), ours: start(t, "ours", variables...)}
}

// compare runs a subject with some tapes in both programs at the same time. It checks that the
// outputs are equal, or differ as the subject says.
func (w *pair) compare(t *testing.T, s subject.Subject, tapes ...[]byte) {
	b := subject.Batch{Name: s.Name, Tapes: tapes}
	var theirs, ours []string
	err := errors.Join(w.theirs.Encode(b), w.ours.Encode(b), w.theirs.Decode(&theirs),
		w.ours.Decode(&ours))
	if err != nil {
		t.Fatal(err)
	}
	for i, tape := range tapes {
		switch {
		case s.Difference == nil && theirs[i] != ours[i]:
			n := 0
			for n < min(len(theirs[i]), len(ours[i])) && theirs[i][n] == ours[i][n] {
				n++
			}
			n = strings.LastIndexByte(theirs[i][:n], ' ') + 1
			t.Fatalf("%x: after %d bytes\n theirs %s\n ours   %s", tape, n, theirs[i][n:], ours[i][n:])
		case s.Difference != nil && ours[i] != s.Ours && (ours[i] != "" || theirs[i] != ""):
			t.Fatalf("%x: %s\nwant %s", tape, ours[i], s.Ours)
		case s.Difference != nil && strings.HasPrefix(theirs[i], s.Theirs):
			w.found++
		}
	}
}

// tapes returns a function that returns pseudo-random tapes for a subject.
func tapes(s subject.Subject) func() []byte {
	random := rand.NewChaCha8(sha256.Sum256([]byte(s.Name)))
	r := rand.New(random)
	return func() []byte {
		tape := make([]byte, r.IntN(s.Most+1))
		random.Read(tape)
		return tape
	}
}

// TestSame checks that the program with the real modules and the program with the replacements have
// the same output for all subjects, except those with intended differences. The output is
// everything that callers can see.
func TestSame(t *testing.T) { compareAll(t, 1) }

// TestSamePortable checks the same as TestSame while the replacements use no optional CPU features.
func TestSamePortable(t *testing.T) { compareAll(t, 10, "KOBLITZ_CPU_OFF=all") }

// compareAll compares both programs as TestSame does, but with only a fraction 1/part of the tapes.
// The program with the replacements gets additional environment variables.
func compareAll(t *testing.T, part int, variables ...string) {
	for _, s := range subject.Subjects {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			w, next := startBoth(t, variables...), tapes(s)
			for left := max(s.Count/part, 1); left > 0; left -= 100 {
				var some [][]byte
				for range min(left, 100) {
					some = append(some, next())
				}
				w.compare(t, s, some...)
			}
			if s.Difference != nil && w.found == 0 {
				t.Error("the real module never says", s.Theirs)
			}
		})
	}
}

// TestReplaced checks that one of the two programs is built from the real modules, and the other
// one from the replacements.
func TestReplaced(t *testing.T) {
	dir := os.Getenv(programsVariable)
	for program, want := range map[string]map[string]string{
		"theirs": {dcrec: "v4.4.1", btcec: filepath.Join(dir, "btcec"), erigon: "v1.2.0"},
		"ours": {dcrec: "../../compat/dcrec/v4", btcec: "../../compat/btcec/v2",
			erigon: "../../compat/erigon/secp256k1"},
	} {
		info, err := buildinfo.ReadFile(filepath.Join(dir, program))
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, module := range info.Deps {
			if module.Replace != nil {
				got[module.Path] = module.Replace.Path
			} else {
				got[module.Path] = module.Version
			}
		}
		for path, from := range want {
			if got[path] != from {
				t.Errorf("%s has %s from %s, want %s", program, path, got[path], from)
			}
		}
	}
}
