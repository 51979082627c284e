package koblitz_test

import (
	"testing"

	"github.com/koblitz-go/koblitz"
)

func TestImplementations(t *testing.T) {
	names := koblitz.Implementations()
	if len(names) == 0 {
		t.Error("nothing is in use")
	}
	for _, name := range names {
		if name == "" {
			t.Errorf("a name is empty: %q", names)
		}
	}
	t.Log(names)
}
