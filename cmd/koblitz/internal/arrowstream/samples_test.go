package arrowstream

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// TestSamples verifies a stream of two batches with columns of many types, which arrow-go wrote.
// The hash of row 1 of each batch is null. The module cmd/koblitz/lab has further tests of streams
// that arrow-go writes, and reads the answers with arrow-go.
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
	const want = "57c257c9a81ed9db98c83b1543daee476c6a48ff73d0eecd7ecc43e93015f550"
	if sum := fmt.Sprintf("%x", sha256.Sum256(out.Bytes())); err != nil || sum != want ||
		strings.Count(out.String(), "validmalformedvalidvalidvalid") != 2 {
		t.Errorf("%v, digest %s\n%q", err, sum, out.String())
	}
}
