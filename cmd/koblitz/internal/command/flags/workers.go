package flags

import (
	"runtime"
	"runtime/debug"

	"os"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
	"github.com/spf13/cobra"
)

// AddWorkers adds the flag --workers. The default is shown as a word, not as a number, so that help
// and manual are the same on every machine.
func AddWorkers(cmd *cobra.Command, workers *int) {
	cmd.Flags().IntVarP(workers, "workers", "w", min(runtime.GOMAXPROCS(0), maxWorkers),
		"verify on `N` threads")
	cmd.Flags().Lookup("workers").DefValue = "the number of CPUs"
}

// maxWorkers is the greatest number of workers. More would take memory and no time off.
const maxWorkers = 1024

// CheckWorkers returns a usage error for a number of workers below 1 or above maxWorkers.
func CheckWorkers(workers int) error {
	switch {
	case workers < 1:
		return cli.Usagef("--workers %d: at least one is needed", workers)
	case workers > maxWorkers:
		return cli.Usagef("--workers %d: at most %d are possible", workers, maxWorkers)
	}
	return nil
}

// Memory returns the maximum that the command check needs in bytes.
func Memory(workers int, withDevice bool) int64 {
	const (
		reader = 48 << 20 // the largest buffers of a reader and a decompressor
		worker = 8 << 20  // the buffers of each worker, without the batches that are being checked
	)
	memory := verify.Memory(workers) + reader + int64(workers)*worker
	if withDevice { // a driver's own memory is unknown to the garbage collector
		memory += int64(workers) * worker
	}
	return memory
}

// LimitGarbage sets the garbage collector's memory limit to what Memory returns, so that garbage
// adds little to it. The memory in use is bounded elsewhere, so the limit is never too low. If the
// environment variable GOMEMLIMIT is set, its limit stays. The caller calls undo to restore the
// former limit.
func LimitGarbage(workers int, withDevice bool) (undo func()) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	before := debug.SetMemoryLimit(Memory(workers, withDevice))
	return func() { debug.SetMemoryLimit(before) }
}
