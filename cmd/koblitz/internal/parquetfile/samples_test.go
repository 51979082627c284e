package parquetfile

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// TestSamples reads files with several encodings and compressions, which arrow-go and parquet-go
// wrote. The tests of this package with all combinations are in the module cmd/koblitz/lab.
func TestSamples(t *testing.T) {
	spec, err := columns.ParseSpec([]string{"hash=h", "key=k", "sig=s"}, 0, columns.Auto)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dictionary", "plain", "fixed", "delta"} {
		file, err := os.ReadFile("testdata/" + name + ".parquet")
		if err != nil {
			t.Fatal(err)
		}
		r, err := Open(reading.Source{Name: "t"}, bytes.NewReader(file), int64(len(file)), spec)
		if err != nil {
			t.Fatal(err)
		}
		units, err := columnstest.ReadAll(r)
		columnstest.Compare(t, units, err, columnstest.Sample(6), func(i int) string {
			return fmt.Sprintf("t: row %d", i)
		})
	}
}
