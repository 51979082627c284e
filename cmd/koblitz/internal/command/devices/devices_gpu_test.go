//go:build gpu

package devices

import (
	"bytes"
	"context"
	"testing"

	"errors"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/device"
)

// errBroken is the error with which a moody, an engine for tests, fails.
var errBroken = errors.New("broken")

// A moody is an engine that fails in every second call, and otherwise gives verdicts to all rows
// but the first. Its Accepts method returns false, so that device.New runs no self-test.
type moody struct{ calls int }

func (*moody) Accepts(device.Kind, device.Rules, int) bool { return false }

func (b *moody) Run(_ context.Context, c *device.Call) error {
	for i := range c.Verdicts[1:] {
		c.Verdicts[1+i] = device.Valid
	}
	if b.calls++; b.calls%2 == 0 {
		return errBroken
	}
	return nil
}

// TestTally checks that a tally, an engine that counts rows, counts only rows that got verdicts,
// and only in calls without an error.
func TestTally(t *testing.T) {
	var a Accelerator
	if err := a.use(new(moody)); err != nil {
		t.Fatal(err)
	}
	e := a.Device().Engine()
	for i := range 4 {
		err := e.Run(t.Context(), &device.Call{Verdicts: make([]device.Verdict, 10)})
		if errors.Is(err, errBroken) != (i%2 == 1) {
			t.Error(err)
		}
	}
	if n := a.Share().Rows; n != 18 {
		t.Errorf("%d rows, want 18", n)
	}
}

// TestDeviceInterrupted checks that an interrupt while devices are being opened makes the run
// continue without a device.
func TestDeviceInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var said bytes.Buffer
	a, err := Open(ctx, Auto, 0, cli.Streams{Err: &said})
	if err != nil || a == nil || a.Device() != nil || said.Len() > 0 {
		t.Errorf("%+v, %v, said %q", a, err, said.String())
	}
}
