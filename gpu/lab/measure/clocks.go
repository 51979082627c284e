package measure

import (
	"context"
	"os/exec"
	"strings"
	"time"
)

// clocksTime limits the time for nvidia-smi. With a budget it gets at most a tenth of the time that
// is left.
const clocksTime = 2 * time.Second

// sampleClocks runs work repeatedly. Meanwhile it asks nvidia-smi, if that is installed, for the
// clocks of the device. It changes no setting. If the answer is late, the report has no clocks.
func (b *bench) sampleClocks(ctx context.Context, work func() (time.Duration, error)) error {
	index, ok := strings.CutPrefix(b.info.Name, "cuda:")
	path, err := exec.LookPath("nvidia-smi")
	if !ok || err != nil {
		return nil
	}
	index, _, _ = strings.Cut(index, " ")
	limit := clocksTime
	if !b.until.IsZero() {
		limit = min(limit, time.Until(b.until)/10)
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	command := exec.CommandContext(limited, path, "-i", index, "--format=csv", "--query-gpu="+
		"clocks.sm,clocks.max.sm,clocks.mem,temperature.gpu,power.draw,utilization.gpu")
	command.WaitDelay = time.Second // for processes that it has started
	said := make(chan string, 1)
	go func() {
		out, err := command.Output()
		if err != nil {
			out = nil // not an error: clocks are only a remark in the report
		}
		said <- strings.ReplaceAll(strings.TrimSpace(string(out)), "\n", ": ")
	}()
	for {
		select {
		case clocks := <-said:
			b.record(func(r *Report) { r.Clocks = clocks })
			return ctx.Err()
		case <-limited.Done():
			return ctx.Err()
		default:
			if _, err := work(); err != nil {
				return err
			}
		}
	}
}
