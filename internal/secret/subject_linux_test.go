//go:build (amd64 || 386 || arm64 || riscv64) && !race && !valgrind

package secret_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
	"github.com/koblitz-go/koblitz/lab/operations"
)

// The subject is this program, run again in a separate process. It reads requests from standard
// input, runs an operation for each, and answers on standard output. Between an answer and the next
// request, the test, which knows the secrets, searches the subject's memory. Secrets are masked in
// the pipes, so that buffers do not contain the numbers that the test looks for.
//
// The subject may be a program of another architecture in an emulator. Then only the subject's own
// memory is searched: the emulator's copies of registers and intermediate values correspond to the
// state of a CPU.

const subjectVariable = "KOBLITZ_SECRET_SUBJECT"

// promised holds the runtime settings under which, as docs/constant-time.md says, hardly any search
// finds a secret. Without asyncpreemptoff=1, a signal that interrupts a goroutine stores its
// registers. Without gcshrinkstackoff=1, a garbage collection moves the stack of a goroutine that
// uses little of it. With other settings, as in -args -settings=asyncpreemptoff=0, the test shows
// how much remains.
const promised = "asyncpreemptoff=1,gcshrinkstackoff=1"

var settings = flag.String("settings", promised,
	"`GODEBUG` of the processes whose memory is searched")

func TestMain(m *testing.M) {
	if os.Getenv(subjectVariable) != "" {
		if err := serve(); err != nil {
			fmt.Fprintln(os.Stderr, "subject:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A request asks the subject to run one operation.
type request struct {
	Operation uint32   // index of the operation in the table
	Fresh     bool     // run on a new goroutine, with a small stack
	Keep      uint32   // the CPU features that the subject may use
	Runs      uint32   // number of runs; if not 1, garbage is collected meanwhile
	DE        [64]byte // the secrets D and E, masked
	Hash      [32]byte // the hash to sign, public
	Random    [32]byte // auxiliary randomness or entropy, masked
}

// mask masks b, or unmasks it if it is masked. It works in place, byte by byte, so that at most one
// byte of the secret is elsewhere at any time.
func mask(b []byte) {
	for i := range b {
		b[i] ^= 0xa7
	}
}

// A subject runs the operations that it is asked for.
type subject struct {
	request
	operands *operations.Operands
}

func serve() error {
	operations.GrowStack()
	s := &subject{operands: operations.NewOperands()}
	for {
		if err := binary.Read(os.Stdin, binary.LittleEndian, &s.request); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := s.serve(&everything[s.Operation]); err != nil {
			return err
		}
		out := &s.operands.Out
		mask(out[:])
		if _, err := syscall.Write(1, out[:]); err != nil {
			return err
		}
	}
}

func (s *subject) serve(o *operation) error {
	defer cpu.Restrict(cpu.Feature(s.Keep))()
	x := s.operands
	*x.DE, x.Out = s.DE, [96]byte{}
	copy(x.Hash, s.Hash[:])
	copy(x.Random, s.Random[:])
	mask(x.DE[:])
	mask(x.Random)
	if err := x.Prepare(o.needs); err != nil {
		return err
	}
	operations.GrowStack() // also wipes the values that Prepare left on the stack
	var err error
	if s.Fresh {
		done := make(chan struct{})
		go func() {
			defer close(done)
			err = s.repeat(o)
		}()
		<-done
	} else {
		err = s.repeat(o)
	}
	x.Clean()
	return err
}

// repeat runs the operation the requested number of times. If this number is more than one, another
// goroutine collects garbage all the time, which interrupts this goroutine and moves its stack.
func (s *subject) repeat(o *operation) (err error) {
	if s.Runs > 1 {
		var stop atomic.Bool
		done := make(chan struct{})
		go func() {
			defer close(done)
			for !stop.Load() {
				runtime.GC()
			}
		}()
		defer func() {
			stop.Store(true)
			<-done
		}()
	}
	if o.needs&operations.Deep != 0 {
		operations.GrowStack()
	}
	for range max(s.Runs, 1) {
		s.operands.Discard()
		if err = o.run(s.operands); err != nil {
			break
		}
	}
	return err
}

// levels returns the CPU levels that have different code for secrets, each once.
func levels() []cputest.Level {
	if level := cputest.Registers(); level != cputest.ADX {
		return slices.Compact([]cputest.Level{cputest.Portable, level})
	}
	return []cputest.Level{cputest.Portable, cputest.ADX, cputest.AVX2, cputest.LanesAVX2,
		cputest.LanesAVXIFMA, cputest.AVX512F, cputest.LanesFMA, cputest.Lanes}
}

// A remote is the test's connection to a subject, the process that runs the operations.
type remote struct {
	memory   secrettest.Memory
	runs     uint32 // number of times that the subject runs each operation
	searches int
	in       io.WriteCloser
	out      io.Reader
}

// startSubject starts the subject: the given command, or this program if the command is empty.
func startSubject(t *testing.T, command []string) *remote {
	t.Helper()
	if command == nil {
		program, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		command = []string{program}
	}
	c := exec.Command(command[0], command[1:]...)
	c.Env = append(os.Environ(), subjectVariable+"=1", "GOGC=off", "GODEBUG="+*settings)
	c.Stderr = os.Stderr
	r := &remote{}
	var err error
	if r.in, err = c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if r.out, err = c.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	r.memory = secrettest.Memory{PID: c.Process.Pid, End: math.MaxUint64}
	t.Cleanup(func() {
		r.in.Close()
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// run sends the request q to the subject, and returns the result. It masks the secrets in q and
// unmasks the result.
func (r *remote) run(q request) (out [96]byte, err error) {
	mask(q.DE[:])
	mask(q.Random[:])
	if err := binary.Write(r.in, binary.LittleEndian, &q); err != nil {
		return out, err
	}
	if _, err := io.ReadFull(r.out, out[:]); err != nil {
		return out, err
	}
	mask(out[:])
	return out, nil
}
