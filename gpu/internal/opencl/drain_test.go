//go:build ((linux && !android) || darwin || windows) && (amd64 || arm64)

package opencl

import (
	"context"
	"errors"
	"testing"
	"unsafe"
)

// TestDrain: as long as Finish fails, a device may still copy from and to the host's memory, so
// the queue keeps the commands that hold it. Once Finish succeeds they are released.
func TestDrain(t *testing.T) {
	code, released := int32(-5), 0
	a := &api{
		Finish: func(queueID) int32 { return code },
		GetEventInfo: func(_ eventID, _ uint32, _ uintptr, status unsafe.Pointer, _ *uintptr) int32 {
			*(*int32)(status) = 0
			return 0
		},
		ReleaseEvent: func(eventID) int32 {
			released++
			return 0
		},
	}
	q := &queue{api: a, under: []command{{memory: make([]byte, 1)}, {}}}
	for range 2 {
		var failed *Error
		if err := q.Wait(context.Background()); !errors.As(err, &failed) || failed.Code != code {
			t.Error(err)
		}
		if len(q.under) != 2 || q.under[0].memory == nil || released != 0 {
			t.Fatalf("%d commands are left, %d events were released", len(q.under), released)
		}
	}
	code = 0
	if err := q.Wait(context.Background()); err != nil {
		t.Error(err)
	}
	if len(q.under) != 0 || released != 2 {
		t.Errorf("%d commands are left, %d events were released", len(q.under), released)
	}
}
