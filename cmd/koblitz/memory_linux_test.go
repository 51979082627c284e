//go:build linux && !race

package main

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// fourWorkers is the maximum memory in bytes that check with four workers needs for any input.
const fourWorkers = 200 << 20

// TestMemoryLimit checks the limit that the other tests rely on: a process that allocates more than
// the limit must die with status 2.
func TestMemoryLimit(t *testing.T) {
	for size, want := range map[int]int{fourWorkers / 2: 0, fourWorkers + fourWorkers/4: 2} {
		status, _, stderr := limited(t, fourWorkers, nil, []string{fmt.Sprintf("%s=%d", allocate, size)})
		if status != want {
			t.Errorf("%d bytes: status %d, want %d\n%s", size, status, want, stderr)
		}
	}
}

// A bomb is an input that is small or endless and that makes a careless reader use a lot of memory.
type bomb struct {
	name   string
	format string
	text   func(f *feed)
	status int
	words  string // words expected in the report, separated by |; {12} means size(12)
	args   []string
}

// A feed writes the text of a bomb to w and keeps the first error. If short is set, the functions
// that write bombs write less.
type feed struct {
	w     io.Writer
	err   error
	short bool
}

func (f *feed) text(s string) {
	if f.err == nil {
		_, f.err = io.WriteString(f.w, s)
	}
}

// times writes n copies of s.
func (f *feed) times(n int, s string) {
	chunk := max(1, 1<<16/len(s))
	b := bytes.Repeat([]byte(s), min(n, chunk))
	for ; n > 0 && f.err == nil; n -= chunk {
		_, f.err = f.w.Write(b[:min(n, chunk)*len(s)])
	}
}

// list writes n copies of s, separated by commas.
func (f *feed) list(n int, s string) {
	f.times(n-1, s+",")
	f.text(s)
}

// size returns n, or n/4 if short is set.
func (f *feed) size(n int) int {
	if f.short {
		return n / 4
	}
	return n
}

// TestMemoryOfEveryInput checks that the command stays within its memory limit on one bomb (hostile
// input) of each format, or on all bombs if deep returns true.
func TestMemoryOfEveryInput(t *testing.T) {
	format := ""
	for _, b := range bombs {
		if b.format == format && !deep() {
			continue
		}
		format = b.format
		t.Run(b.format+"/"+strings.ReplaceAll(b.name, " ", "-"), func(t *testing.T) { b.explode(t) })
	}
}

var counted = regexp.MustCompile(`\{\d+\}`)

// explode runs check on a bomb in a process with limited memory. It compares the exit status and
// the report with the expected ones.
func (b *bomb) explode(t *testing.T) {
	r := b.pipe(!deep())
	status, stdout, stderr := limited(t, fourWorkers, r, nil, b.command(4)...)
	r.Close()
	report := stdout.String() + stderr.String()
	if status != b.status {
		t.Errorf("status %d, want %d", status, b.status)
	}
	sized := counted.ReplaceAllStringFunc(b.words, func(s string) string {
		n, _ := strconv.Atoi(s[1 : len(s)-1])
		return strconv.Itoa((&feed{short: !deep()}).size(n))
	})
	for _, words := range strings.Split(sized, "|") {
		if !strings.Contains(report, words) {
			t.Errorf("no %q", words)
		}
	}
	if t.Failed() {
		t.Logf("%.3000s", report)
	}
}

// pipe returns a reader of the bomb.
func (b *bomb) pipe(short bool) *io.PipeReader {
	r, w := io.Pipe()
	go func() {
		b.text(&feed{w: w, short: short})
		w.Close()
	}()
	return r
}

// command returns the arguments of a run of check on the bomb, which is read from standard input.
func (b *bomb) command(workers int) []string {
	args := []string{"check", "--workers", strconv.Itoa(workers)}
	if b.format != "auto" {
		args = append(args, "--format", b.format)
	}
	args = append(args, b.args...)
	if !strings.HasSuffix(args[len(args)-1], ".file") {
		args = append(args, "-")
	}
	return args
}

// BenchmarkBombs measures the time of check on each bomb from standard input, a byte and a row.
func BenchmarkBombs(b *testing.B) {
	for _, bomb := range bombs {
		args := bomb.command(1)
		if args[len(args)-1] != "-" {
			continue
		}
		text, err := io.ReadAll(bomb.pipe(true))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(bomb.format+"/"+strings.ReplaceAll(bomb.name, " ", "-"), func(b *testing.B) {
			var out bytes.Buffer
			for b.Loop() {
				out.Reset()
				status := run(b.Context(), args, bytes.NewReader(text), &out, io.Discard)
				if status != bomb.status {
					b.Fatal("status", status)
				}
			}
			time := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			b.ReportMetric(time/float64(len(text)), "ns/byte")
			if m := rowCount.FindSubmatch(out.Bytes()); m != nil {
				rows, _ := strconv.Atoi(string(m[1]))
				b.ReportMetric(time/float64(rows), "ns/row")
			}
		})
	}
}

var rowCount = regexp.MustCompile(`(?m)^rows +([1-9][0-9]*)$`)
