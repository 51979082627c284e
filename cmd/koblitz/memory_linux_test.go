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
		t.Run(b.format+"/"+b.name, b.explode)
	}
}

var counted = regexp.MustCompile(`\{\d+\}`)

// explode runs check on a bomb in a process with limited memory. It compares the exit status and
// the report with the expected ones.
func (b *bomb) explode(t *testing.T) {
	explode(t, b.text, b.status, b.words, b.command()...)
}

// explode runs the command with four workers in a process with limited memory. text writes its
// standard input; it may be nil. explode compares the exit status and the outputs with the expected
// ones. It returns the length of standard output.
func explode(t *testing.T, text func(f *feed), status int, words string, args ...string) int64 {
	t.Helper()
	if text == nil {
		text = func(*feed) {}
	}
	r, w := io.Pipe()
	go func() {
		text(&feed{w: w, short: !deep()})
		w.Close()
	}()
	got, stdout, stderr := limited(t, fourWorkers, r, nil, append(args, "--workers", "4")...)
	r.Close()
	report := stdout.String() + stderr.String()
	if got != status {
		t.Errorf("status %d, want %d", got, status)
	}
	sized := counted.ReplaceAllStringFunc(words, func(s string) string {
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
	return stdout.n
}

// command returns the arguments of a run of check on the bomb, which is read from standard input.
func (b *bomb) command() []string {
	args := []string{"check"}
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
		args := append(bomb.command(), "--workers", "1")
		var text bytes.Buffer
		bomb.text(&feed{w: &text, short: true})
		b.Run(bomb.format+"/"+bomb.name, func(b *testing.B) {
			var out bytes.Buffer
			for b.Loop() {
				out.Reset()
				status := run(b.Context(), args, bytes.NewReader(text.Bytes()), &out, io.Discard)
				if status != bomb.status {
					b.Fatal("status", status)
				}
			}
			time := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			b.ReportMetric(time/float64(text.Len()), "ns/byte")
			if m := rowCount.FindSubmatch(out.Bytes()); m != nil {
				rows, _ := strconv.Atoi(string(m[1]))
				b.ReportMetric(time/float64(rows), "ns/row")
			}
		})
	}
}

var rowCount = regexp.MustCompile(`(?m)^rows +([1-9][0-9]*)$`)
