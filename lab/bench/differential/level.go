package main

import (
	"bufio"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/koblitz-go/koblitz/internal/cpu"
)

// A block is a number of cases of one operation, as it is sent to a level.
type block struct {
	Operation int
	Number    int
	Together  bool // by the function for many rows
	Exact     bool
	Cases     [][][]byte
}

// A reply holds a level's answers for a block, one for each case.
type reply struct {
	Answers [][]byte
	InRows  bool // the function for many rows gave them
}

// levelVariable is the environment variable that makes this program compute the blocks that it
// reads, and compare nothing.
const levelVariable = "KOBLITZ_DIFFERENTIAL_LEVEL"

// answer reads blocks from in until it ends, and writes koblitz's answers to out. First it writes
// the name of the implementations in use. A fault, for tests, is a block in which the last answer
// is changed.
func answer(in io.Reader, out io.Writer, fault int) error {
	decoder, w := gob.NewDecoder(bufio.NewReader(in)), bufio.NewWriter(out)
	encoder := gob.NewEncoder(w)
	if err := encoder.Encode(implementation()); err != nil {
		return err
	}
	all := operations()
	for {
		if err := w.Flush(); err != nil {
			return err
		}
		var b block
		if err := decoder.Decode(&b); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		r := all[b.Operation].compute(b.Cases, b.Together, b.Exact)
		if last := &r.Answers[len(r.Answers)-1]; b.Number == fault {
			*last = append(*last, 0)
		}
		if err := encoder.Encode(r); err != nil {
			return err
		}
	}
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
	in      io.Closer
	encode  *gob.Encoder
	decode  *gob.Decoder
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
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	l := &level{process: c, in: in, encode: gob.NewEncoder(in),
		decode: gob.NewDecoder(bufio.NewReader(out))}
	if err := l.decode.Decode(&l.name); err != nil {
		l.stop()
		return nil, fmt.Errorf("%s with KOBLITZ_CPU_OFF=%s: %w", program, off, err)
	}
	return l, nil
}

// compute has the level compute a block.
func (l *level) compute(b block) (r reply, err error) {
	if err := l.encode.Encode(b); err != nil {
		return r, err
	}
	if err := l.decode.Decode(&r); err != nil {
		return r, err
	}
	if len(r.Answers) != len(b.Cases) {
		return r, fmt.Errorf("%d answers for %d cases", len(r.Answers), len(b.Cases))
	}
	return r, nil
}

func (l *level) stop() error {
	l.in.Close()
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
