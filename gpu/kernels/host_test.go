package kernels

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz/internal/device"
	"github.com/koblitz-go/koblitz/internal/engine"
)

// A host is the kernels compiled as C11, with gcc's sanitizers of addresses and of
// undefined behaviour.
type host struct {
	program, table string
}

// build compiles the program in testdata, for which the folder src has the sources, into
// dir. "" stands for this folder.
func build(t *testing.T, dir, src string) *host {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("there is no gcc")
	}
	if src == "" {
		src = "."
	}
	h := &host{filepath.Join(dir, "host"), filepath.Join(dir, "table")}
	cmd := exec.Command("gcc", "-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror",
		"-Wno-unknown-pragmas", "-Wno-unused-function", "-fsanitize=address,undefined",
		"-fno-sanitize-recover=all", "-I"+src, "-o", h.program, "testdata/host.c")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.WriteFile(h.table, table(), 0o600); err != nil {
		t.Fatal(err)
	}
	return h
}

// table is Table, made once.
var table = sync.OnceValue(Table)

// names are the kernels of the kinds, and whether the call has flags and the kernel a table.
var names = map[device.Kind]struct {
	name  string
	cols  []int
	table bool
	out   bool
}{
	device.ECDSA:      {"k_ecdsa", []int{32, 33, 64, 1}, true, false},
	device.Schnorr:    {"k_schnorr", []int{32, 32, 64}, true, false},
	device.Recover:    {"k_recover", []int{32, 65}, true, true},
	device.Decompress: {"k_decompress", []int{33}, false, true},
	device.PublicKeys: {"k_pubkeys", []int{32}, true, true},
}

// run carries out a call, whose columns must be packed. It sets Verdicts and Out.
func (h *host) run(c *device.Call) error {
	dir, err := os.MkdirTemp(filepath.Dir(h.program), "call")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	kernel, flags, output := names[c.Kind], 0, filepath.Join(dir, "output")
	if c.LowS {
		flags |= LowS
	}
	if c.Hashed {
		flags |= Hashed
	}
	args := []string{kernel.name, strconv.Itoa(c.N), strconv.Itoa(flags), output}
	for i := range kernel.cols {
		if c.Cols[i].Data == nil {
			args = append(args, "-")
			continue
		}
		args = append(args, filepath.Join(dir, fmt.Sprint("column", i)))
		if err := os.WriteFile(args[len(args)-1], c.Cols[i].Data, 0o600); err != nil {
			return err
		}
	}
	if kernel.table {
		args = append(args, h.table)
	}
	if said, err := exec.Command(h.program, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", kernel.name, err, said)
	}
	data, err := os.ReadFile(output)
	if err != nil {
		return err
	}
	for i, v := range data[:c.N] {
		c.Verdicts[i] = device.Verdict(v)
	}
	if n := copy(c.Out, data[c.N:]); n != len(c.Out) || n != len(data)-c.N {
		return fmt.Errorf("%s: %d bytes of results", kernel.name, len(data)-c.N)
	}
	return nil
}

// call returns the call of a kind on rows, which all have as many fields.
func call(kind device.Kind, rows []row) *device.Call {
	c := &device.Call{Kind: kind, N: len(rows), Verdicts: make([]device.Verdict, len(rows))}
	for _, r := range rows {
		for i, f := range r.fields {
			c.Cols[i].Stride = len(f)
			c.Cols[i].Data = append(c.Cols[i].Data, f...)
		}
	}
	if names[kind].out {
		c.Out = make([]byte, device.KeySize*len(rows))
	}
	return c
}

// disagreement returns how the verdicts and results of rows that a device comes to differ
// from the host's. Only a row that is special may be left without a verdict.
func disagreement(got *device.Call, rows []row) string {
	want := *got
	want.Verdicts, want.Out = make([]device.Verdict, got.N), make([]byte, len(got.Out))
	if _, err := engine.Do(context.Background(), &want, engine.Options{Exact: true}); err != nil {
		return err.Error()
	}
	out := func(c *device.Call, i int) []byte {
		if c.Out == nil {
			return nil
		}
		return c.Out[device.KeySize*i:][:device.KeySize]
	}
	for i, v := range got.Verdicts {
		r := rows[i]
		where := fmt.Sprintf("kind %d, lowS %t, hashed %t, row %d (%s, %x)", got.Kind, got.LowS,
			got.Hashed, i, r.what, r.fields)
		switch {
		case v == device.Unchecked && !r.special:
			return where + ": not settled"
		case v == device.Unchecked && bytes.Count(out(got, i), []byte{0}) != len(out(got, i)):
			return where + ": a result without a verdict"
		case v == device.Unchecked:
		case v != want.Verdicts[i]:
			return fmt.Sprintf("%s: verdict %d, want %d", where, v, want.Verdicts[i])
		case !bytes.Equal(out(got, i), out(&want, i)):
			return fmt.Sprintf("%s: result %x, want %x", where, out(got, i), out(&want, i))
		}
	}
	return ""
}
