package main

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/lab/cudatest"
	"github.com/koblitz-go/koblitz/gpu/kernels"
	"github.com/koblitz-go/koblitz/gpu/lab/measure"
)

// A rehearsal is a run of the program on a simulated device.
type rehearsal struct {
	name string
	set  func(*cudatest.Driver)
	args string
	lose string        // the device is lost after the row with this ID
	hang string        // kernels do not end after the row with this ID
	host time.Duration // time of each call on the CPU; 0: 100 ms
	// left are the IDs of rows that are left out, or beginnings of them, besides k·G with large
	// tables, for which the tests leave no memory.
	left []string
	want []string // texts in the output; if it is nil, those of all tables
	deep bool     // the run takes the interpreter long
}

// benches is how the rows of the program of benchmarks are named if all are left out.
const benches = "rates, memory, field, points"

// TestRehearsal runs the whole program, as on a machine with one card, on simulated CUDA devices.
// They interpret the kernels, and take time only by the test's clock. The sizes are small, and the
// devices and the CPU as much slower than real ones.
func TestRehearsal(t *testing.T) {
	memo := cudatest.NewMemo()
	// With the same coefficients each time, the memo knows equations that were computed before.
	random := rand.Reader
	defer func() { rand.Reader = random }()
	rand.Reader = ones{}
	few := "-time 10ms"
	for _, r := range []rehearsal{
		{name: "a compiler that takes 30 s", set: func(*cudatest.Driver) {},
			left: []string{"ecdsa-168"}, deep: true},
		{name: "no cache", set: func(d *cudatest.Driver) { d.NoCache = true }, left: []string{"ecdsa-"}},
		{name: "a compiler that takes 60 s, no cache",
			set:  func(d *cudatest.Driver) { d.NoCache, d.Compile = true, 2*d.Compile },
			left: []string{"open", "ecdsa-"}},
		{name: "lost in a chain", set: func(*cudatest.Driver) {}, lose: "sqr-chain", args: few},
		{name: "lost in a call", set: func(*cudatest.Driver) {}, lose: "ecdsa", args: few},
		{name: "a slow host", set: func(*cudatest.Driver) {}, host: 2 * time.Second,
			left: []string{"open", ""}, want: []string{"first ", "BIP-340, each "}, deep: true},
		{name: "hangs in a chain", set: func(*cudatest.Driver) {}, hang: "sqr-chain",
			args: few + " -only sqr-chain,add-chain", want: []string{"field square "}},
		{name: "hangs in a call", set: func(*cudatest.Driver) {}, hang: "ecdsa",
			args: few + " -only ecdsa,bip340", want: []string{"ECDSA, compressed keys "}},
		{name: "a compiler that takes 85 s", set: func(d *cudatest.Driver) {
			d.Compile = d.Compile * 85 / 30
		}, left: []string{"open", benches, ""}, want: []string{"first ", "Kernels beside "}},
		{name: "a compiler that takes hours", set: func(d *cudatest.Driver) { d.Compile *= 1000 },
			left: []string{"the other rows"}, want: []string{measure.ErrHung.Error()}},
		{name: "141 GB", set: func(d *cudatest.Driver) { d.Memory, d.Units = bytesOf(141), 132 },
			args: few, left: []string{"open"}, deep: true},
		{name: "4 GB", set: func(d *cudatest.Driver) { d.Memory, d.Units = bytesOf(4), 16 }, args: few,
			left: []string{"open"}, deep: true},
		{name: "little memory", set: func(d *cudatest.Driver) { d.Memory = 4 << 20 }, args: few,
			left: []string{"ecdsa", "bip340", "recover", "addresses", "decompress", "pubkeys", "sum"},
			deep: true},
	} {
		if r.deep && os.Getenv("KOBLITZ_DEEP") == "" {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { r.run(t, memo) })
		})
	}
}

// bytesOf returns the number of bytes in the given number of gigabytes, or the largest int if that
// is lower.
func bytesOf(gigabytes int64) int { return int(min(gigabytes*1e9, math.MaxInt)) }

func (r *rehearsal) run(t *testing.T, memo *cudatest.Memo) {
	const limit = 2 * time.Minute
	fake := cudatest.New()
	fake.Memo, fake.Pace = memo, 3*time.Millisecond
	size := len(kernels.Rows().PTX) + len(kernels.Sums().PTX)
	fake.Compile = 30 * time.Second << 20 / time.Duration(size)
	r.set(fake)
	var out bytes.Buffer
	errs := &watched{row: r.lose + r.hang, lose: func() {
		if r.lose != "" {
			fake.LoseAt(1)
		} else {
			fake.Pace = 100 * time.Hour // for a million instructions
		}
	}}
	began := time.Now()
	ctx := measure.WithHostWork(t.Context(), cmp.Or(r.host, 100*time.Millisecond))
	status := run(ctx, measure.Drivers{fake.API()}, append(strings.Fields(r.args),
		"-sizes", "3", "-items", "2", "-gather", "4096"), &out, errs)
	took := time.Since(began)
	defer func() {
		if t.Failed() {
			t.Logf("%v\n%s\n%s", took, &out, errs)
		}
	}()
	if took < 30*time.Second || took > limit {
		t.Errorf("the run took %v", took)
	}
	// Rows that were measured are on standard error, each with a line; the others are left out.
	text := out.String()
	var left []string
	for line := range strings.Lines(text) {
		if id, _, ok := strings.Cut(line, ": left out: "); ok {
			left = append(left, id)
		}
	}
	allowed := r.left
	if r.want == nil {
		allowed = append([]string{"kG-16", "kG-20", "kG-22"}, r.left...)
	}
	ended := slices.Contains(left, "the other rows")
	// Memory of a device that is lost or hangs is not freed.
	if err := fake.Leaks(); err != nil && r.lose == "" && !ended {
		t.Error(err)
	}
	time.Sleep(1e6 * time.Hour) // until everything that hangs has ended, as the test ends only then
	switch {
	case r.lose+r.hang != "":
		allowed = []string{""}
		failure := "the device is lost: "
		if r.hang != "" {
			failure = measure.ErrTime.Error() + ": " + measure.ErrHung.Error()
		}
		if status != failed || !strings.Contains(text, " rows: left out: ") ||
			!strings.Contains(errs.String(), "koblitz-gpubench: auto: "+failure) ||
			!strings.Contains("\n"+errs.String(), "\n"+r.lose+r.hang+" ") {
			t.Errorf("status %d", status)
		}
	case (status == good) == ended:
		t.Errorf("status %d", status)
	}
	for _, id := range left {
		if !slices.ContainsFunc(allowed, func(a string) bool { return strings.HasPrefix(id, a) }) {
			t.Errorf("%s is left out", id)
		}
	}
	for _, a := range allowed {
		if !slices.ContainsFunc(left, func(id string) bool { return strings.HasPrefix(id, a) }) {
			t.Errorf("%s is not left out", a)
		}
	}
	want := r.want
	if want == nil {
		want = []string{"first ", "field multiply ", "Kernels beside ", "RTX 5060 Ti"}
	}
	for _, want := range want {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q", want)
		}
	}
	if strings.Contains(text, "\nfirst ") &&
		strings.Contains(text, "\nagain ") == slices.Contains(left, "open") {
		t.Error("the second opening is measured and left out, or neither")
	}
}

// A ones is a source of random numbers that returns bytes of 1.
type ones struct{}

func (ones) Read(b []byte) (int, error) { return copy(b, bytes.Repeat([]byte{1}, len(b))), nil }

// A watched is a writer for progress messages that calls a function after the line about a row.
type watched struct {
	bytes.Buffer
	row  string
	lose func()
}

func (w *watched) Write(b []byte) (int, error) {
	if w.row != "" && strings.HasPrefix(string(b), w.row+" ") {
		w.lose()
	}
	return w.Buffer.Write(b)
}
