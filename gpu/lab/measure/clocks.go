package measure

import (
	"context"
	"os/exec"
	"strings"
	"time"
)

// sampleClocks runs work repeatedly. Meanwhile it asks nvidia-smi, if that is installed, for the
// clocks of the device. It changes no setting.
func (b *bench) sampleClocks(ctx context.Context, work func() (time.Duration, error)) error {
	index, ok := strings.CutPrefix(b.info.Name, "cuda:")
	path, err := exec.LookPath("nvidia-smi")
	if !ok || err != nil {
		return nil
	}
	index, _, _ = strings.Cut(index, " ")
	limited, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	said := make(chan string, 1)
	go func() {
		out, err := exec.CommandContext(limited, path, "-i", index, "--format=csv", "--query-gpu="+
			"clocks.sm,clocks.max.sm,clocks.mem,temperature.gpu,power.draw,utilization.gpu").Output()
		if err != nil {
			out = nil // not an error: clocks are only a remark in the report
		}
		said <- strings.ReplaceAll(strings.TrimSpace(string(out)), "\n", ": ")
	}()
	for {
		select {
		case b.report.Clocks = <-said:
			return ctx.Err()
		default:
			if _, err := work(); err != nil {
				return err
			}
		}
	}
}
