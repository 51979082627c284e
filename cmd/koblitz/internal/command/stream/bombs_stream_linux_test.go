//go:build linux && !race

package stream

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/arrowstream/arrowstreamtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/arrowstream/ipc"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// feedArrow writes an Arrow stream to f. Batch i has n rows in the columns h, k and s, which are
// null if there are more than 1,000. It also has a column for each of the names, and extra
// returns the type and the values of all these columns. The stream ends when i is batches.
func feedArrow(t testing.TB, f *clitest.Feed, batches, n int, names []string,
	extra func() arrowstreamtest.Column) {
	table := make([]columnstest.Column, 4)
	if n <= 1000 {
		table = columnstest.Signed(t, reading.ECDSA, n)
	}
	list := arrowstreamtest.Binaries(table)[1:]
	for i, name := range []string{"h", "k", "s"} {
		if list[i].Name = name; n > 1000 {
			list[i].Type = ipc.Null
		}
	}
	w := arrowstreamtest.Writer{Out: f.W}
	for i := 0; i < batches && f.Err == nil; i++ {
		all := slices.Clone(list)
		for _, name := range names {
			c := extra()
			c.Name = name
			all = append(all, c)
		}
		f.Err = w.Batch(n, all...)
	}
	if f.Err == nil {
		f.Err = w.Close()
	}
}

// TestMemoryOfStreams checks the memory for streams that are long, or that claim to be.
func TestMemoryOfStreams(t *testing.T) {
	clitest.DeepOnly(t, "it feeds processes what takes memory")
	const wide = 31 << 20
	names := make([]string, 9_990)
	for i := range names {
		names[i] = fmt.Sprint("column ", i)
	}
	note := []string{"note"}
	long := func() arrowstreamtest.Column { return texts(1000, wide, 'x') }
	null := func() arrowstreamtest.Column {
		return arrowstreamtest.Column{Type: ipc.Null}
	}
	for _, test := range []struct {
		name   string
		text   func(f *clitest.Feed)
		args   string
		status int
		want   string
	}{
		{"packed, bad rows", func(f *clitest.Feed) {
			f.Times(f.Size(1<<19), strings.Repeat("\xff", 129))
		}, "--format packed-ecdsa", cli.ExitOK, ""},
		{"packed, parts of rows", func(f *clitest.Feed) {
			for range f.Size(1<<16) + 1 {
				f.Text(strings.Repeat("\xff", 127))
			}
		}, "--format packed-bip340", cli.ExitUnreadable, "the file ends inside row "},
		{"long batches", func(f *clitest.Feed) { feedArrow(t, f, f.Size(12), 1000, note, long) },
			"", cli.ExitOK, ""},
		{"a batch that is too long", func(f *clitest.Feed) {
			feedArrow(t, f, 1, 3, note, func() arrowstreamtest.Column {
				return texts(3, 40<<20, 'x')
			})
		}, "", cli.ExitUnreadable, "stdin: batch 0: a batch of "},
		{"many columns", func(f *clitest.Feed) {
			feedArrow(t, f, f.Size(32), 1, names, func() arrowstreamtest.Column {
				return texts(1, 100, 'x')
			})
		}, "", cli.ExitOK, ""},
		{"more columns", func(f *clitest.Feed) {
			feedArrow(t, f, 1, 1, append(names, names...), func() arrowstreamtest.Column {
				return texts(1, 1, 'x')
			})
		}, "", cli.ExitUnreadable, "stdin: more than 10000 columns"},
		{"empty batches", func(f *clitest.Feed) { feedArrow(t, f, f.Size(1<<14), 0, note, null) },
			"", cli.ExitOK, ""},
		{"null rows", func(f *clitest.Feed) { feedArrow(t, f, f.Size(6), 1<<17, nil, null) }, "",
			cli.ExitOK, ""},
		{"more null rows", func(f *clitest.Feed) { feedArrow(t, f, 1, 1<<30, nil, null) }, "",
			cli.ExitUnreadable, "stdin: batch 0: 1073741824 rows, more than the 131072"},
	} {
		t.Run(test.name, func(t *testing.T) {
			args := "--columns hash=h,key=k,sig=s"
			if test.args != "" {
				args = test.args
			}
			out := clitest.Explode(t, test.text, test.status, test.want, append([]string{"stream"},
				strings.Fields(args)...)...)
			if test.status == cli.ExitOK && out == 0 {
				t.Error("nothing came out")
			}
		})
	}
}
