package blocks

import (
	"os"
	"testing"
)

// TestHeaders checks that the committed headers equal the output of Headers. The module
// gpu/lab/proof proves that their blocks are right for all inputs.
func TestHeaders(t *testing.T) {
	for name, want := range Headers() {
		got, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s differs: go generate", name)
		}
	}
}
