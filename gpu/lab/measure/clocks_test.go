//go:build unix

package measure

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// TestSampleClocks checks that the answer of nvidia-smi becomes part of the report, and that a
// nvidia-smi that does not end takes a small part of the time that is left.
func TestSampleClocks(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, c := range []struct {
		script, want string
	}{
		{"echo clocks.sm [MHz]; echo 1980 MHz", "clocks.sm [MHz]: 1980 MHz"},
		{"sleep 30; true", ""}, // the shell has a child with the same output
	} {
		err := os.WriteFile(filepath.Join(dir, "nvidia-smi"), []byte("#!/bin/sh\n"+c.script+"\n"), 0o755)
		if err != nil {
			t.Fatal(err)
		}
		left := 20 * time.Second
		b := &bench{report: new(Report), info: driver.Info{Name: "cuda:0 x"},
			until: time.Now().Add(left)}
		began := time.Now()
		err = b.sampleClocks(t.Context(), func() (time.Duration, error) {
			time.Sleep(time.Millisecond)
			return 0, nil
		})
		if took := time.Since(began); err != nil || b.report.Clocks != c.want || took > left/2 {
			t.Errorf("%q: %q, %v, after %v", c.script, b.report.Clocks, err, took)
		}
	}
}
