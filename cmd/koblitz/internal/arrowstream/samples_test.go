package arrowstream

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// TestSamples verifies a stream of two batches with columns of many types. arrow-go wrote it: the
// module lab has its tests of such streams. The hash of row 1 of each batch is null.
func TestSamples(t *testing.T) {
	in, err := os.ReadFile("testdata/types.arrows")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := columns.ParseSpec([]string{"hash=h", "key=k", "sig=s"}, 0, columns.Auto)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = Run(t.Context(), verify.Config{Workers: 1}, bytes.NewReader(in), &out, spec)
	if err != nil || strings.Count(out.String(), "validmalformedvalidvalidvalid") != 2 {
		t.Errorf("%v\n%q", err, out.String())
	}
}
