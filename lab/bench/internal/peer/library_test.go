package peer

import (
	"strings"
	"testing"
)

// TestNoCompiler checks the errors when PATH is empty, so that neither a C compiler nor cargo can
// be run.
func TestNoCompiler(t *testing.T) {
	t.Setenv("PATH", "")
	t.Setenv("CC", "")
	if _, err := buildLibrary(rustSources); err == nil || err.Error() != "no C compiler" {
		t.Errorf("libsecp256k1 without a compiler: %v", err)
	}
	_, err := NewRust(NewInputs(0, 0), rustSources, []string{"k256"})
	if err == nil || !strings.Contains(err.Error(), "no cargo") {
		t.Errorf("Rust without cargo: %v", err)
	}
}
