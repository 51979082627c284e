package check

import (
	"io"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// BenchmarkTables measures the time per row of check on a table, with two workers.
func BenchmarkTables(b *testing.B) {
	const n = 100_000
	for scheme, columns := range commandtest.TableArgs {
		table := columnstest.Signed(b, scheme, n)
		files := tableFiles(b, table)
		table = nil // if kept, every garbage collection would scan the table
		for name, file := range files {
			b.Run(strings.Split(columns, "=")[0]+strings.Repeat("-sender", map[bool]int{true: 1}[scheme ==
				rows.Recover])+"/"+name, func(b *testing.B) {
				for b.Loop() {
					status := program.RunTo(b.Context(), []string{"check", "--workers", "2", "--columns",
						columns, file}, strings.NewReader(""), io.Discard, io.Discard)
					if status != cli.ExitOK {
						b.Fatal("status", status)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
			})
		}
	}
}
