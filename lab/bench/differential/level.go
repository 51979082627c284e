package main

import (
	"errors"
	"fmt"
	"io"
	"net/rpc"
	"os"
	"os/exec"
	"strings"

	"github.com/koblitz-go/koblitz/internal/cpu"
)

// A Block is a number of cases of one operation, as it is sent to a level.
type Block struct {
	Operation int
	Number    int
	Together  bool // by the function for many rows
	Exact     bool
	Cases     [][][]byte
}

// A Reply holds a level's answers for a block, one for each case.
type Reply struct {
	Answers [][]byte
	InRows  bool // the function for many rows gave them
}

// levelVariable is the environment variable that makes this program compute the blocks that it
// reads, and compare nothing.
const levelVariable = "KOBLITZ_DIFFERENTIAL_LEVEL"

// A Server computes blocks in the process of a level. Package rpc calls its methods.
type Server struct {
	all   []operation
	fault int // number of the block in which the last answer is changed, for tests, or -1
}

// Name returns the name of the implementations that this process uses.
func (s *Server) Name(_ struct{}, name *string) error {
	*name = implementation()
	return nil
}

// Compute returns koblitz's answers for the cases of a block.
func (s *Server) Compute(b Block, r *Reply) error {
	*r = s.all[b.Operation].compute(b.Cases, b.Together, b.Exact)
	if last := &r.Answers[len(r.Answers)-1]; b.Number == s.fault {
		*last = append(*last, 0)
	}
	return nil
}

// serve answers the calls that the standard input has, until it ends.
func serve(fault int) error {
	s := rpc.NewServer()
	if err := s.Register(&Server{operations(), fault}); err != nil {
		return err
	}
	s.ServeConn(struct {
		io.Reader
		io.WriteCloser
	}{os.Stdin, os.Stdout})
	return nil
}

// implementation names the code that this process uses.
func implementation() string {
	name := strings.Join(cpu.Implementations(), ", ")
	if f := cpu.Features(); len(f) > 0 {
		return name + " (" + strings.Join(f, ", ") + ")"
	}
	return name
}

// A level is a process in which koblitz uses certain implementations.
type level struct {
	name    string
	process *exec.Cmd
	*rpc.Client
}

// switches lists values of KOBLITZ_CPU_OFF. The program is run with each of them, except with one
// that leaves the same features as an earlier one.
var switches = []string{
	"", "AVX512IFMA", "AVX512F", "AVX512F,AVX-IFMA", "lanes", "AVX512F,lanes", "AVX512F,lanes,SHA-NI",
	"AVX2,lanes,SHA-NI", "all",
}

// startLevel starts the given program with a value of KOBLITZ_CPU_OFF.
func startLevel(program, off string) (*level, error) {
	c := exec.Command(program)
	c.Env = append(os.Environ(), levelVariable+"=1", cpu.Switch+"="+off, "GOMAXPROCS=1")
	c.Stderr = os.Stderr
	in, err1 := c.StdinPipe()
	out, err2 := c.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	l := &level{process: c, Client: rpc.NewClient(struct {
		io.Reader
		io.WriteCloser
	}{out, in})}
	if err := l.Call("Server.Name", struct{}{}, &l.name); err != nil {
		l.stop()
		return nil, fmt.Errorf("%s with KOBLITZ_CPU_OFF=%s: %w", program, off, err)
	}
	return l, nil
}

func (l *level) stop() error {
	l.Close()
	return l.process.Wait()
}

// startLevels starts this program once for each set of implementations that the CPU has, and the
// program purego, which was built without assembly.
func startLevels(program, purego string) (levels []*level, err error) {
	defer func() {
		if err != nil {
			for _, l := range levels {
				l.stop()
			}
		}
	}()
	seen := map[string]bool{}
	for _, off := range switches {
		l, err := startLevel(program, off)
		if err != nil {
			return levels, err
		}
		if seen[l.name] {
			l.stop()
			continue
		}
		seen[l.name] = true
		levels = append(levels, l)
	}
	l, err := startLevel(purego, "")
	if err != nil {
		return levels, err
	}
	l.name = "the build purego: " + l.name
	return append(levels, l), nil
}
