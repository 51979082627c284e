package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// A mock is an engine that gives the CPU's answers to calls of rows, or wrong ones.
type mock struct {
	in     *inputs
	opened bool // the engine accepts calls
	runs   int
	lie    func(c *device.Call, run int) error
}

func (m *mock) Accepts(device.Kind, device.Rules, int) bool { return m.opened }

func (m *mock) Run(ctx context.Context, c *device.Call) error {
	i := slices.IndexFunc(kinds(), func(k kind) bool { return k.kind == c.Kind })
	w, err := m.in.workload(ctx, &kinds()[i], c.Rows)
	if err != nil {
		return err
	}
	copy(c.Verdicts, w.verdicts)
	copy(c.Results, w.results)
	m.runs++
	return m.lie(c, m.runs)
}

// TestCalls checks that every kind of call can be measured, and plants errors in the device: each
// must be reported, although package batch corrects many of them.
func TestCalls(t *testing.T) {
	const n = 40
	in, err := newInputs(t.Context(), 5, n)
	if err != nil {
		t.Fatal(err)
	}
	if err := in.sign(t.Context()); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	for _, c := range []struct {
		what string
		only string // name of the kind, or "" for all
		want error
		lie  func(c *device.Call, run int) error
	}{
		{"nothing", "", nil, func(*device.Call, int) error { return nil }},
		{"a valid row is invalid", "ECDSA verify", errResult, func(c *device.Call, _ int) error {
			c.Verdicts[n-1] = device.Invalid
			return nil
		}},
		{"an invalid row is valid", "BIP-340 verify", errResult, func(c *device.Call, _ int) error {
			c.Verdicts[n/3] = device.Valid
			return nil
		}},
		{"a row is left to the CPU", "ECDSA verify", errResult, func(c *device.Call, _ int) error {
			c.Verdicts[7] = device.Unchecked
			return nil
		}},
		{"a key", "recover key", errResult, func(c *device.Call, _ int) error {
			c.Results[70]++
			return nil
		}},
		{"the last byte of an address", "recover address", errResult, func(c *device.Call, _ int) error {
			c.Results[20*n-1]++
			return nil
		}},
		{"a sum", "sum of products", errResult, func(c *device.Call, _ int) error {
			c.Results[63]++
			return nil
		}},
		{"an equation", "BIP-340, one equation", errResult, func(c *device.Call, _ int) error {
			c.Verdicts[0] = device.Invalid
			return nil
		}},
		{"an error", "public key", broken, func(*device.Call, int) error { return broken }},
		{"an error in timed runs", "public key", errResult, func(_ *device.Call, run int) error {
			if run > 3 {
				return broken
			}
			return nil
		}},
		{"a wrong verdict in the end", "ECDSA verify", errResult, func(c *device.Call, run int) error {
			if run > 2+leastRuns {
				c.Verdicts[0] = device.Malformed
			}
			return nil
		}},
	} {
		for _, k := range kinds() {
			if c.only != "" && c.only != k.name {
				continue
			}
			m := &mock{in: in, lie: c.lie}
			e := &counted{Engine: m}
			d, err := device.New(e)
			if err != nil {
				t.Fatal(err)
			}
			m.opened = true // the calls of device.New are over
			b := &bench{rows: n, in: in}
			o, err := b.call(t.Context(), &k, e, d, 1)
			if !errors.Is(err, c.want) || err == nil && (o.Size != n || o.Count != n ||
				o.Time.Runs != leastRuns || o.Time.Low <= 0) {
				t.Errorf("%s: %s: %+v, %v", k.name, c.what, o, err)
			}
		}
	}
}

// TestWorkload checks that one row of a call is invalid, and that a wrong verdict is found in any
// repetition of the signed rows.
func TestWorkload(t *testing.T) {
	const n, signed = 30, 10
	in := &inputs{n: signed}
	if err := in.sign(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds()[:2] {
		w, err := in.workload(t.Context(), &k, n)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Repeat([]device.Verdict{device.Valid}, signed)
		want[signed/3] = device.Invalid
		if c := w.fresh(); !slices.Equal(w.verdicts, want) || len(c.Columns[0].Data) != 32*n {
			t.Errorf("%s: %v", k.name, w.verdicts)
		}
		c := w.fresh()
		for i := range c.Verdicts {
			c.Verdicts[i] = want[i%signed]
		}
		if err := w.verify(c); err != nil {
			t.Error(err)
		}
		c.Verdicts[n-1] ^= 3
		if err := w.verify(c); !errors.Is(err, errResult) {
			t.Error("a wrong verdict passes:", err)
		}
	}
}

// TestCPUEnds checks that all long work of the CPU stops when the context ends, so that a program
// that does not end must wait for the driver.
func TestCPUEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var calls atomic.Int64
	const n = 1 << 20
	err := parallel(ctx, n, func(lo, hi int) {
		calls.Add(1)
		cancel()
	})
	if most := int64(n / 256 / 2); !errors.Is(err, context.Canceled) || calls.Load() > most {
		t.Errorf("%d calls, %v", calls.Load(), err)
	}
	in, err := newInputs(t.Context(), 1, 300)
	if err := errors.Join(err, in.sign(t.Context())); err != nil {
		t.Fatal(err)
	}
	signing := (&inputs{n: 300}).sign(ctx)
	_, inputs := newInputs(ctx, 1, 300)
	_, data := columnA.data(ctx, in, 300)
	errs := []error{inputs, signing, data}
	for _, k := range kinds() {
		_, err := in.workload(ctx, &k, 300)
		errs = append(errs, err)
	}
	for _, k := range benchKernels() {
		errs = append(errs, k.verify(ctx, in, 300, 1, make([]byte, 4*k.words*300)))
	}
	for i, err := range errs {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// TestPoints checks that isTimesG refuses points with a wrong coordinate, and zeros.
func TestPoints(t *testing.T) {
	in, err := newInputs(t.Context(), 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, column := range []column{columnP, columnJacobian, columnXYZZ} {
		for i := range in.n {
			good := make([]uint32, column.words)
			column.at(in, i, good)
			if !isTimesG(good, in.p.log(i)) || isTimesG(good, in.q.log(i)) {
				t.Errorf("%d words: point %d is not that of its logarithm", len(good), i)
			}
			for c := range len(good) / 8 {
				for _, x := range []*big.Int{new(big.Int).Neg(coordinate(good, c)), new(big.Int)} {
					bad := slices.Clone(good)
					reduce(bad, c, x)
					if isTimesG(bad, in.p.log(i)) {
						t.Errorf("%d words: another coordinate %d passes", len(good), c)
					}
				}
			}
			if isTimesG(make([]uint32, column.words), in.p.log(i)) {
				t.Errorf("%d words: zeros pass", column.words)
			}
		}
	}
	for _, n := range []int{1, 512, 513, 1 << 20} {
		for _, most := range []int{8, 512} {
			rows := in.sample(n, most)
			if len(rows) != min(n, most) || !slices.Contains(rows, 0) || !slices.Contains(rows, n-1) ||
				slices.Max(rows) >= n {
				t.Errorf("of %d rows these are checked: %v", n, rows)
			}
		}
	}
}

// TestUnwritten checks that a single row without a result is noticed, even between those that are
// sampled.
func TestUnwritten(t *testing.T) {
	const n = 2000
	in, err := newInputs(t.Context(), 3, n)
	if err != nil {
		t.Fatal(err)
	}
	k := onElements("copy", "", func(a, _ *big.Int, _ int) *big.Int { return a }, columnA)
	data, err := columnA.data(t.Context(), in, n)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.verify(t.Context(), in, n, 1, data); err != nil {
		t.Error(err)
	}
	for _, row := range []int{0, 1, 999, n - 1} {
		bad := bytes.Clone(data)
		for w := range 8 {
			copy(bad[4*(w*n+row):], bytes.Repeat([]byte{poison}, 4))
		}
		if err := k.verify(t.Context(), in, n, 1, bad); !errors.Is(err, errResult) {
			t.Errorf("row %d: %v", row, err)
		}
	}
}

// TestReport checks the figures of a line, and that the names of published rates and of estimates
// are those of operations. The page with the model must have its clocks.
func TestReport(t *testing.T) {
	r := Report{Device: driver.Info{Major: 9, Units: 132, ClockMHz: 1980}}
	runs := []time.Duration{20e6, 25e6, 30e6, 27e6}
	times, err := repeat(t.Context(), time.Hour, func() (time.Duration, error) {
		runs = append(runs[1:], runs[0])
		return runs[0], nil
	})
	if err != nil || times != (Times{25e6, 20e6, 30e6, mostRuns}) {
		t.Fatalf("%+v, %v", times, err)
	}
	o := Operation{"ECDSA verify", 1 << 20, 1 << 20, Times{26e6, 20e6, 30e6, 4}}
	want := "ECDSA verify 1048576 40.3 M ±23 % 37.3 M 4.34 M"
	if got := strings.Join(strings.Fields(r.line(&o)), " "); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.Device.Major = 12
	if got := strings.Fields(r.line(&o)); got[len(got)-3] != "–" {
		t.Errorf("the model covers another device: %q", got)
	}
	for x, want := range map[float64]string{0: "–", 1.5: "1.5 ", 9.996: "10 ", 999.4: "999 ",
		999.6: "1 k", 5.52e13: "55.2 T"} {
		if got := perSecond(x); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
	var names []string
	for _, k := range kinds() {
		names = append(names, k.name)
	}
	for _, k := range benchKernels() {
		names = append(names, k.name)
	}
	page, err := os.ReadFile("../../../../docs/lab/gpu.md")
	if err != nil {
		t.Fatal(err)
	}
	_, model, _ := strings.Cut(string(page), "\n## Estimates\n")
	for name, clocks := range modelClocks {
		text := strconv.FormatFloat(clocks, 'f', -1, 64)
		if clocks >= 1000 {
			text = text[:len(text)-3] + "," + text[len(text)-3:]
		}
		if !slices.Contains(names, name) || !strings.Contains(model, " "+text) {
			t.Errorf("%s: no operation, or no %s in docs/lab/gpu.md", name, text)
		}
	}
	for name := range published {
		if !slices.Contains(names, name) {
			t.Errorf("%s is no operation", name)
		}
	}
}

// TestCompile checks that -compile reports an assembler that fails, and writes machine code that
// package kernels would take.
func TestCompile(t *testing.T) {
	dir := t.TempDir()
	tool := func(name, script string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	tool("clang-15", "cat >/dev/null; echo '    .vgpr_spill_count: '$SPILLS")
	cubin := filepath.Join(dir, "cubin")
	writes := tool("writes", `while [ "$1" != --output-file ]; do shift; done; echo code >"$2"`)
	compile := func(args ...string) (status int, errs string) {
		var b bytes.Buffer
		return run(t.Context(), nil, args, &b, &b), b.String()
	}
	t.Setenv("SPILLS", "0")
	status, errs := compile("-compile", "sm_90,gfx90a", "-ptxas", writes, "-cubin", cubin)
	if status != good || errs != "" {
		t.Fatalf("status %d, %q", status, errs)
	}
	// A later run removes the machine code of earlier ones, and no other file.
	own := filepath.Join(cubin, "own")
	err := errors.Join(os.WriteFile(own, nil, 0o644),
		os.WriteFile(filepath.Join(cubin, "rows.sm_80.gz"), nil, 0o644))
	status, errs = compile("-compile", "sm_90", "-ptxas", writes, "-cubin", cubin)
	if status != good || errs != "" || err != nil {
		t.Fatalf("status %d, %q, %v", status, errs, err)
	}
	files, err := os.ReadDir(cubin)
	if _, lost := os.Stat(own); err != nil || len(files) != 3 || lost != nil {
		t.Fatalf("%v, %v, %v", files, err, lost)
	}
	f, err := os.Open(filepath.Join(cubin, "rows.sm_90.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if code, err := io.ReadAll(z); err != nil || string(code) != "code\n" || len(z.Comment) != 64 {
		t.Errorf("%q, %q, %v", code, z.Comment, err)
	}
	t.Setenv("SPILLS", "12")
	fails := tool("fails", "echo 'ptxas error: Registers are spilled' >&2; exit 1")
	for _, target := range []string{"sm_90", "gfx90a"} {
		status, errs := compile("-compile", target, "-ptxas", fails)
		for _, program := range []string{"rows", "sums", "bench"} {
			if status != failed || strings.Count(errs, "\n") != 3 || !strings.Contains(errs, "spill") ||
				!strings.Contains("\n"+errs, "\nkoblitz-gpubench: "+program+" for "+target+": ") {
				t.Errorf("status %d, %q", status, errs)
			}
		}
	}
}
