package oracle

import (
	"bufio"
	"debug/buildinfo"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz/lab/oracle/internal/subject"
)

// twinVariable is the environment variable with the folder of the two programs that are compared:
// theirs, with the real modules, and ours, with the replacements. The worker processes of fuzzing
// use it to find the programs that their parent process has built.
const twinVariable = "KOBLITZ_ORACLE_TWIN"

func TestMain(m *testing.M) { os.Exit(withTwins(m.Run)) }

// withTwins runs f. Before that it builds the two programs that are compared, with the real modules
// and with the replacements, unless the environment variable twinVariable says where they are.
func withTwins(f func() int) int {
	if os.Getenv(twinVariable) != "" {
		return f()
	}
	dir, err := os.MkdirTemp("", "twin")
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
			"./internal/twin")
	}
	os.Setenv(twinVariable, dir)
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

// A twin is a running process of one of the two programs that are compared.
type twin struct {
	answers  *gob.Decoder
	requests *gob.Encoder
	out      *bufio.Writer
	in       io.Closer
	command  *exec.Cmd
}

// start starts a process of program, "theirs" or "ours", with additional environment variables.
func start(program string, variables ...string) (*twin, error) {
	command := exec.Command(filepath.Join(os.Getenv(twinVariable), program))
	command.Env = append(os.Environ(), variables...)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriter(in)
	return &twin{gob.NewDecoder(bufio.NewReader(out)), gob.NewEncoder(w), w, in, command},
		command.Start()
}

// stop ends the process and returns its error.
func (w *twin) stop() error {
	if err := w.in.Close(); err != nil {
		return err
	}
	return w.command.Wait()
}

// run lets the process run one case, and returns the case's output.
func (w *twin) run(c subject.Case) (string, error) {
	var answer string
	if err := w.requests.Encode(c); err != nil {
		return "", err
	}
	if err := w.out.Flush(); err != nil {
		return "", err
	}
	err := w.answers.Decode(&answer)
	return answer, err
}

// twins holds a process of each program: theirs, with the real modules, and ours, with the
// replacements.
type twins struct{ theirs, ours *twin }

// startBoth starts a process of each program. Only the process with the replacements gets the
// additional environment variables.
func startBoth(variables ...string) (*twins, error) {
	theirs, err := start("theirs")
	if err != nil {
		return nil, err
	}
	ours, err := start("ours", variables...)
	return &twins{theirs, ours}, err
}

// stop ends both processes.
func (w *twins) stop() error { return errors.Join(w.theirs.stop(), w.ours.stop()) }

// each runs count cases, which the function next returns, in both programs at the same time. It
// calls compare with each case and the two outputs.
func (w *twins) each(count int, next func() subject.Case,
	compare func(c subject.Case, theirs, ours string) error,
) error {
	cases := make(chan subject.Case, 1<<10)
	failed := make(chan error, 1)
	go func() {
		defer close(cases)
		for range count {
			c := next()
			err := errors.Join(w.theirs.requests.Encode(c), w.ours.requests.Encode(c))
			if err != nil {
				failed <- err
				return
			}
			cases <- c
		}
		failed <- errors.Join(w.theirs.out.Flush(), w.ours.out.Flush())
	}()
	var wrong error
	done := 0
	for c := range cases {
		var theirs, ours string
		err := errors.Join(w.theirs.answers.Decode(&theirs), w.ours.answers.Decode(&ours))
		if err != nil {
			return err
		}
		if wrong == nil {
			wrong = compare(c, theirs, ours)
		}
		done++
	}
	if err := <-failed; err != nil {
		return err
	}
	if wrong == nil && done != count {
		return fmt.Errorf("%d of %d cases", done, count)
	}
	return wrong
}

// same returns an error unless the outputs of the two programs for case c are equal.
func same(c subject.Case, theirs, ours string) error {
	if theirs == ours {
		return nil
	}
	i := 0
	for i < min(len(theirs), len(ours)) && theirs[i] == ours[i] {
		i++
	}
	i = strings.LastIndexByte(theirs[:i], ' ') + 1
	return fmt.Errorf("%s %s: after %d bytes\n theirs %s\n ours   %s", c.Name,
		hex.EncodeToString(c.Tape), i, theirs[i:], ours[i:])
}

// tapes returns a function that returns cases with the given name and pseudo-random tapes of at
// most limit bytes.
func tapes(name string, limit int) func() subject.Case {
	random := rand.NewChaCha8([32]byte([]byte(name + strings.Repeat(" ", 32))[:32]))
	r := rand.New(random)
	return func() subject.Case {
		tape := make([]byte, r.IntN(limit+1))
		random.Read(tape)
		return subject.Case{Name: name, Tape: tape}
	}
}

// amounts holds, for each case, how often a test runs it, and the largest length of its tapes in
// bytes. A case that multiplies points takes a tenth of a millisecond or more in the real module,
// so such cases run less often.
var amounts = []struct {
	name        string
	count, most int
}{
	{"fieldSequence", 15_000, 300},
	{"fieldOnce", 10_000, 40},
	{"scalarSequence", 20_000, 300},
	{"scalarOnce", 30_000, 40},
	{"pointSequence", 2_000, 300},
	{"multiples", 5_000, 150},
	{"bareMultiples", 5_000, 3},
	{"anyPoints", 10_000, 250},
	{"parseKey", 20_000, 250},
	{"parseKeyBytes", 100_000, 70},
	{"publicKeys", 10_000, 250},
	{"privateKeys", 5_000, 150},
	{"nonces", 30_000, 250},
	{"generate", 20_000, 250},
	{"curve", 10_000, 300},
	{"standardKeys", 2_000, 250},
	{"signatures", 3_000, 120},
	{"verifications", 3_000, 400},
	{"overflowing", 3_000, 300},
	{"recoveries", 10_000, 250},
	{"recoverTape", 10_000, 100},
	{"musigKeys", 1_500, 400},
	{"musigNonces", 3_000, 300},
	{"musigSums", 1_000, 900},
	{"musigSign", 800, 1_200},
	{"musigDecode", 10_000, 60},
	{"musigSession", 800, 1_500},
	{"musigSystem", 200, 120},
	{"parseDER", 250_000, 120},
	{"parseDERBytes", 100_000, 80},
	{"dcr", 3_000, 200},
	{"parseDCR", 20_000, 250},
	{"parseDCRBytes", 30_000, 70},
	{"fixed", 1, 0},
	{"btcKeys", 5_000, 300},
	{"btcKeyBytes", 50_000, 40},
	{"btcSignature", 100_000, 400},
	{"btcSignatureBytes", 100_000, 80},
	{"bip340", 2_000, 250},
	{"lengths", 300, 400},
	{"forgedBIP340", 1_000, 200},
	{"elligator", 2_000, 300},
	{"erigonSign", 10_000, 200},
	{"erigonRecover", 10_000, 250},
	{"erigonVerify", 5_000, 400},
	{"erigonKeyBytes", 50_000, 70},
	{"erigonCurve", 20_000, 400},
	{"erigonStandard", 2_000, 250},
	{"erigonFixed", 1, 0},
}

// TestSame checks that the program with the real modules and the program with the replacements have
// the same output in all cases. The output is everything that callers can see.
func TestSame(t *testing.T) { compareAll(t, 1) }

// TestSamePortable checks the same as TestSame while the replacements use no optional CPU features.
func TestSamePortable(t *testing.T) { compareAll(t, 10, "KOBLITZ_CPU_OFF=all") }

// compareAll compares both programs as TestSame does, but runs only a fraction 1/part of the cases.
// The program with the replacements gets additional environment variables.
func compareAll(t *testing.T, part int, variables ...string) {
	for _, a := range amounts {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			w, err := startBoth(variables...)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.each(max(a.count/part, 1), tapes(a.name, a.most), same); err != nil {
				t.Error(err)
			}
			if err := w.stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestReplaced checks that one of the two programs is built from the real modules, and the other
// one from the replacements.
func TestReplaced(t *testing.T) {
	dir := os.Getenv(twinVariable)
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

// one starts a process of each program in its first call, and returns the same processes in every
// call.
var one = sync.OnceValues(func() (*twins, error) { return startBoth() })
