package report

import "github.com/koblitz-go/koblitz/bench/internal/harness"

// Write writes the report.
func Write(dir string, r *harness.Run) error { return nil }
