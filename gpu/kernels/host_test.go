package kernels

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
)

// A host runs kernels that have been compiled as C11.
type host struct {
	program, table string
	width          int // window size of the tables of prepared keys
}

// sanitized are flags of gcc with which accesses outside of columns, and undefined behaviour, end
// the program with an error.
var sanitized = []string{"-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"}

// compileHost compiles the program testdata/host.c with the kernels in source and additional flags.
func compileHost(t *testing.T, source string, flags ...string) *host {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("without gcc: the host of the kernels is written in C")
	}
	dir := t.TempDir()
	h := &host{filepath.Join(dir, "host"), filepath.Join(dir, "table"), 4}
	if err := os.WriteFile(filepath.Join(dir, "rows.cl"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	// gcc compiles in a tenth of the time if it does not inline small functions.
	args := append([]string{"-std=c11", "-O1", "-fno-inline", "-pthread", "-I" + dir, "-o", h.program,
		"testdata/host.c"}, flags...)
	cmd := exec.Command("gcc", args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.WriteFile(h.table, combTable(), 0o600); err != nil {
		t.Fatal(err)
	}
	return h
}

// combTable returns Comb(), computed once.
var combTable = sync.OnceValue(Comb)

// A kernel describes a kernel to the program in testdata: its name and its arguments.
type kernel struct {
	name    string
	columns int
	table   bool
}

// kernelOf returns the description of the kernel for calls of a kind.
func kernelOf(k device.Kind) kernel {
	return map[device.Kind]kernel{
		device.ECDSA:      {"k_ecdsa", 4, true},
		device.Schnorr:    {"k_schnorr", 3, true},
		device.Recover:    {"k_recover", 2, true},
		device.Decompress: {"k_decompress", 1, false},
		device.PublicKeys: {"k_pubkeys", 1, true},

		device.PreparedECDSA:   {"k_prepared_ecdsa", 3, true},
		device.PreparedSchnorr: {"k_prepared_schnorr", 3, true},
		device.RecoverAddress:  {"k_recover", 2, true},
	}[k]
}

// run carries out the call c with the compiled kernels, and writes the verdicts and results to c.
// The columns of c must hold their values without gaps.
func (h *host) run(c *device.Call) error {
	dir, err := os.MkdirTemp(filepath.Dir(h.program), "call")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	kernel, output := kernelOf(c.Kind), filepath.Join(dir, "output")
	args := []string{kernel.name, strconv.Itoa(c.Rows), fmt.Sprint(Flags(c)), output}
	for i := range kernel.columns {
		if c.Columns[i].Data == nil {
			args = append(args, "-")
			continue
		}
		args = append(args, filepath.Join(dir, fmt.Sprint("column", i)))
		if err := os.WriteFile(args[len(args)-1], c.Columns[i].Data, 0o600); err != nil {
			return err
		}
	}
	if kernel.table {
		args = append(args, h.table)
	}
	if c.Keys != nil {
		args[2] = fmt.Sprint(int(Flags(c)) | h.width<<8)
		args = append(args, filepath.Join(dir, "keys"))
		if err := os.WriteFile(args[len(args)-1], c.Keys, 0o600); err != nil {
			return err
		}
	}
	if said, err := exec.Command(h.program, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", kernel.name, err, said)
	}
	data, err := os.ReadFile(output)
	if err != nil {
		return err
	}
	for i, v := range data[:c.Rows] {
		c.Verdicts[i] = device.Verdict(v)
	}
	if n := copy(c.Results, data[c.Rows:]); n != len(c.Results) || n != len(data)-c.Rows {
		return fmt.Errorf("%s: %d bytes of results", kernel.name, len(data)-c.Rows)
	}
	return nil
}

// TestHost checks that the kernels, compiled as C11 with sanitizers, give all rows the host's
// verdicts and results, and leave no rows Unchecked except special ones.
func TestHost(t *testing.T) {
	// gcc warns about points that may be unset: it cannot see that the verdict then prevents their
	// use.
	h := compileHost(t, Rows().Source, append(slices.Clone(sanitized), "-Wall", "-Wextra", "-Werror",
		"-Wno-unused-function", "-Wno-maybe-uninitialized")...)
	for _, s := range hostile.Sets(8) {
		name := fmt.Sprintf("%v rules %#x", s.Kind, uint32(s.Rules))
		rows := s.Rows
		for _, n := range []int{0, 1, GroupSize - 1, GroupSize, len(rows)} {
			s.Rows = rows[:n]
			c := s.Call()
			if err := h.run(c); err != nil {
				t.Errorf("%s, %d rows: %v", name, n, err)
			} else if err := s.Check(c); err != nil {
				t.Errorf("%s, %d rows: %v", name, n, err)
			}
			undecided := 0
			for _, v := range c.Verdicts {
				if v == device.Unchecked {
					undecided++
				}
			}
			t.Logf("%s: %d of %d rows are not decided", name, undecided, n)
		}
	}
}
