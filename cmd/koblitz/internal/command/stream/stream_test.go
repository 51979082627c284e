package stream

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/arrowstream/arrowstreamtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/arrowstream/ipc"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/flags"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// part returns the rows start, …, end-1 of a table as columns of a stream.
func part(table []columnstest.Column, start, end int) []arrowstreamtest.Column {
	list := arrowstreamtest.Binaries(table)
	for i := range list {
		list[i].Values = list[i].Values[start:end]
	}
	return list
}

// TestStreamAnswers checks that the verdicts of a batch are written before the next batch arrives.
func TestStreamAnswers(t *testing.T) {
	batch := part(columnstest.Signed(t, reading.Schnorr, 2500), 0, 2500)
	args := []string{"stream", "--columns", commandtest.TableArgs[reading.Schnorr]}
	var want string
	sizes := make([]int, 4) // length of the answer to a stream of so many batches
	for n := 1; n < len(sizes); n++ {
		var status int
		status, want, _ = invoke(t, string(arrowstreamtest.Stream(slices.Repeat(
			[][]arrowstreamtest.Column{batch}, n)...)), args...)
		if sizes[n] = len(want) - len(ipc.End); status != cli.ExitOK {
			t.Fatalf("status %d", status)
		}
	}
	in, out, end := start(t, args...)
	w := arrowstreamtest.Writer{Out: in}
	for n := 1; n < len(sizes); n++ {
		clitest.Must(0, w.Batch(2500, batch...))
		answer := make([]byte, sizes[n]-sizes[n-1])
		if _, err := io.ReadFull(out, answer); err != nil ||
			string(answer) != want[sizes[n-1]:sizes[n]] {
			t.Fatalf("batch %d: another answer, or %v", n, err)
		}
	}
	clitest.Must(0, w.Close())
	end(len(ipc.End))
}

// texts returns a column of n values: a string of size letters, and nulls.
func texts(n, size int, letter byte) arrowstreamtest.Column {
	c := arrowstreamtest.Column{Type: ipc.Text}
	c.Values = make([][]byte, n)
	c.Values[0] = bytes.Repeat([]byte{letter}, size)
	return c
}

// TestStreamSlowReader checks that a stream waits while its answers are not read, within the memory
// for its number of workers, and that all its batches are answered in the end.
func TestStreamSlowReader(t *testing.T) {
	workers := []int{1, 8}
	if clitest.Deep() {
		workers = []int{1, 2, 4, 8, 16, 32}
	}
	null := arrowstreamtest.Column{Type: ipc.Null}
	for _, note := range clitest.Few([]arrowstreamtest.Column{texts(3, 8<<20, 'x'), texts(3, 14e6,
		'x'), texts(3, 31<<20, 'x')}) {
		list := []arrowstreamtest.Column{null, null, null, note}
		for i, name := range []string{"h", "k", "s", "note"} {
			list[i].Name = name
		}
		var head, batch bytes.Buffer
		w := arrowstreamtest.Writer{Out: &head}
		w.Batch(3, list...)
		w.Out = &batch
		w.Batch(3, list...)
		for _, n := range workers {
			synctest.Test(t, func(t *testing.T) { slowReader(t, n, head.Bytes(), batch.Bytes()) })
		}
	}
}

// slowReader sends the stream head, and then batch until the command takes no more. After that it
// reads the answers.
func slowReader(t *testing.T, workers int, head, batch []byte) {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	var stderr bytes.Buffer
	status, sent, stop := -1, 1, false
	go func() {
		status = run(t.Context(), []string{"stream", "--columns", "hash=h,key=k,sig=s", "--workers",
			fmt.Sprint(workers)}, inRead, outWrite, &stderr)
		outWrite.Close()
		inRead.Close()
	}()
	go func() {
		defer inWrite.Close()
		inWrite.Write(head)
		for !stop {
			if _, err := inWrite.Write(batch); err != nil {
				return
			}
			sent++
		}
	}()
	synctest.Wait()
	limit := flags.Memory(workers, false)
	if used := heap() - before; used > limit {
		t.Errorf("%d workers: %d MiB, want at most %d", workers, used>>20, limit>>20)
	}
	stop = true
	got := 0
	answers := bufio.NewScanner(outRead)
	answers.Split(func(data []byte, end bool) (advance int, token []byte, err error) {
		const verdicts = "malformedmalformedmalformed"
		if i := bytes.Index(data, []byte(verdicts)); i >= 0 {
			return i + len(verdicts), data[i : i+len(verdicts)], nil
		}
		return max(0, len(data)-len(verdicts)), nil, nil
	})
	for answers.Scan() {
		got++
	}
	synctest.Wait()
	if err := answers.Err(); err != nil || status != cli.ExitOK || got != sent {
		t.Errorf("%d workers: status %d, %d answers to %d batches, %v: %s", workers, status, got, sent,
			err, &stderr)
	}
}

// TestStreamErrors checks the errors for malformed Arrow streams and wrong command lines.
func TestStreamErrors(t *testing.T) {
	table := columnstest.Signed(t, reading.ECDSA, 100)
	batch := part(table, 0, 100)
	good := arrowstreamtest.Stream(batch, batch)
	named := func(name string) []byte { // returns a stream with another name of the first column
		other := part(table, 0, 1)
		other[0].Name = name
		return arrowstreamtest.Stream(other)
	}
	numbers := clitest.ReadFile(t, filepath.Join(commandtest.Module, "internal", "arrowstream",
		"testdata", "types.arrows"))
	alike := append(slices.Clone(table), table[3])
	alike[4].Name = "S"
	const columns = "--columns hash=h,key=k,sig=s"
	for _, test := range []struct {
		name, args string
		in         []byte
		status     int
		want       string
	}{
		{"no columns", "", good, cli.ExitUsage, "which columns?"},
		{"an argument", columns + " file", good, cli.ExitUsage, "unexpected argument"},
		{"no workers", columns + " -w 0", good, cli.ExitUsage, "at least one"},
		{"too many workers", columns + " -w 1025", good, cli.ExitUsage, "at most 1024"},
		{"a format", columns + " -f nostr", good, cli.ExitUsage, "known are auto, columns-ecdsa, "},
		{"columns of packed rows", "--format packed-ecdsa --columns hash", nil, cli.ExitUsage,
			"--columns does not go with --format packed-ecdsa"},
		{"their encoding", "--format packed-ecdsa --encoding hex", nil, cli.ExitUsage,
			"--encoding goes with --columns"},
		{"no workers for them", "--format packed-bip340 --workers 0", nil, cli.ExitUsage, "at least one"},
		{"a file of them", "--format packed-bip340 rows", nil, cli.ExitUsage, "unexpected argument"},
		{"empty", columns, nil, cli.ExitUnreadable, "stdin: the stream does not begin with its schema"},
		{"truncated", columns, good[:len(good)-2000], cli.ExitUnreadable, "stdin: batch 1: "},
		{"another column", "--columns hash=x,key=k,sig=s", good, cli.ExitUnreadable,
			`there is no column "x"; there are "note", "h", "k", "s"`},
		{"a column of ours", columns, named("verdict"), cli.ExitUnreadable, `a column "verdict" already`},
		{"a column like ours", columns, named("Reason"), cli.ExitUnreadable, `a column "Reason" already`},
		{"a column of numbers", "--columns hash=int64,sig=s", []byte(numbers), cli.ExitUnreadable,
			`column "int64": int64, where bytes or text are needed`},
		{"names alike", columns, arrowstreamtest.Stream(arrowstreamtest.Binaries(alike)),
			cli.ExitUnreadable, `the names of columns "s" and "S" differ in case alone: rename one`},
		{"Parquet", columns, []byte("PAR1"), cli.ExitUnreadable, "'koblitz check --columns …"},
		{"CSV", columns, []byte("h,k,s\n00,00,00\n"), cli.ExitUnreadable, "no stream of Arrow IPC"},
		{"two streams", columns, append(good[:len(good):len(good)], good...), cli.ExitUnreadable,
			"stdin: the input goes on behind the end of the stream"},
		{"a byte too many", columns, append(good[:len(good):len(good)], 0), cli.ExitUnreadable,
			"stdin: the input goes on behind the end of the stream"},
	} {
		stdout, stderr := expect(t, test.status, nil, string(test.in), append([]string{"stream"},
			strings.Fields(test.args)...)...)
		if !strings.Contains(stderr, test.want) || test.status == cli.ExitUsage && stdout != "" {
			t.Errorf("%s: %q, want %q", test.name, stderr, test.want)
		}
		if test.name == "truncated" && !strings.Contains(stdout, strings.Repeat("valid", 100)) {
			t.Errorf("%s: the batch before the cut has no verdicts", test.name)
		}
	}
}
