package kernels

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// A program is a running process of testdata/arithmetic.c, which calls single functions of the
// kernels' headers.
type program struct {
	build *build
	in    io.WriteCloser
	out   *bufio.Reader
	cmd   *exec.Cmd
	log   bytes.Buffer
}

// An answer is what one function call of the program has returned.
type answer struct {
	out  [4]*big.Int
	flag uint32
}

// A build is one way to compile the kernels' headers as C for the tests.
type build struct {
	name     string
	combBits int
	path     func() (string, error) // compiles the program on the first call, and returns its path
	table    func() []byte          // returns the table of multiples of G that the program uses
}

// builds serve different purposes. One has sanitizers; one has an optimizer, which may expose
// undefined behaviour; and one has a window size that does not divide 256 bits.
var builds = []*build{
	newBuild("sanitized", CombBits,
		"-O1", "-fsanitize=undefined,address", "-fno-sanitize-recover=all"),
	newBuild("optimized", CombBits, "-O2"),
	newBuild("wide", 11, "-O2"),
}

// folder holds the compiled programs. TestMain creates and removes it.
var folder string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if folder, err = os.MkdirTemp("", "kernels"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(folder)
		return m.Run()
	}())
}

func newBuild(name string, combBits int, flags ...string) *build {
	compiled := sync.OnceValues(func() (string, error) {
		path := filepath.Join(folder, name)
		args := append([]string{
			"-std=c11", "-pthread", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function",
			"-o", path,
		}, flags...)
		args = append(args, "-I.")
		out, err := exec.Command("gcc", append(args, "testdata/arithmetic.c")...).CombinedOutput()
		if err != nil {
			err = fmt.Errorf("gcc: %w\n%s", err, out)
		}
		return path, err
	})
	return &build{name, combBits, compiled, sync.OnceValue(func() []byte { return comb(combBits) })}
}

// onHost runs a test once for each build, with the program of the build.
func onHost(t *testing.T, f func(t *testing.T, p *program)) {
	for _, b := range builds {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			f(t, start(t, b))
		})
	}
}

// needs skips the test if the named compiler is not installed.
func needs(t *testing.T, compiler string) {
	t.Helper()
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skipf("without %s: it compiles the kernels", compiler)
	}
}

// start starts the program of a build, and sends it the table of multiples of G.
func start(t *testing.T, b *build) *program {
	t.Helper()
	needs(t, "gcc")
	path, err := b.path()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{build: b, cmd: exec.Command(path, strconv.Itoa(len(b.table())))}
	p.cmd.Stderr = &p.log
	p.cmd.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0")
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReaderSize(out, 1<<16)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.in.Close()
		if err := p.cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, p.log.Bytes())
		}
	})
	if _, err := p.in.Write(b.table()); err != nil {
		t.Fatal(err)
	}
	return p
}

// call calls one function once for each row of operands, and returns the answers. A second
// goroutine writes the operands, because they do not all fit into a pipe.
func (p *program) call(t *testing.T, function byte, rows [][]*big.Int) []answer {
	t.Helper()
	go func() {
		w := bufio.NewWriterSize(p.in, 1<<16)
		for _, row := range rows {
			var request [1 + 6*32]byte
			request[0] = function
			for i, x := range row {
				x.FillBytes(request[1+32*i:][:32])
				slices.Reverse(request[1+32*i:][:32])
			}
			w.Write(request[:])
		}
		w.WriteByte(0)
		w.Flush()
	}()
	answers := make([]answer, len(rows))
	for i := range answers {
		var reply [4*32 + 4]byte
		if _, err := io.ReadFull(p.out, reply[:]); err != nil {
			t.Fatalf("%c%x: %v\n%s", function, rows[i], err, p.log.Bytes())
		}
		for k := range answers[i].out {
			number := reply[32*k:][:32]
			slices.Reverse(number)
			answers[i].out[k] = new(big.Int).SetBytes(number)
		}
		answers[i].flag = binary.LittleEndian.Uint32(reply[128:])
	}
	return answers
}

// random returns a source of random numbers. If the test fails, its seed is logged.
func random(t *testing.T) *rand.Rand {
	seed := rand.Uint64()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %#x", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}

// numbers returns rows of operands. Each row consists of numbers below 2^256, as many as width
// says. For each edge case there is a row that consists of it alone, and then rows in which one
// more number is random. At the end there are count random rows, with many edge cases.
func numbers(r *rand.Rand, count, width int) [][]*big.Int {
	var rows [][]*big.Int
	for _, x := range reference.EdgeInts() {
		row := make([]*big.Int, width)
		for i := range row {
			row[i] = x
		}
		rows = append(rows, row)
		for i := range width {
			row = slices.Clone(row)
			row[i] = reference.RandInt(r)
			rows = append(rows, row)
		}
	}
	for range count {
		row := make([]*big.Int, width)
		for i := range row {
			row[i] = reference.RandInt(r)
		}
		rows = append(rows, row)
	}
	return rows
}

// scalars returns the rows that numbers returns, reduced modulo n.
func scalars(r *rand.Rand, count, width int) [][]*big.Int {
	rows := numbers(r, count, width)
	for _, row := range rows {
		for i, x := range row {
			row[i] = new(big.Int).Mod(x, reference.N())
		}
	}
	return rows
}

func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

func bigint(x int64) *big.Int { return big.NewInt(x) }

// residue returns x modulo m.
func residue(x, m *big.Int) *big.Int { return new(big.Int).Mod(x, m) }

// power2 returns 2^n.
func power2(n uint) *big.Int { return new(big.Int).Lsh(bigint(1), n) }
