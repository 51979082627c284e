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

// TestPlaces: a platform that fails does not hide the devices of the others, and its error is
// told if there are none.
func TestPlaces(t *testing.T) {
	for want := range 2 {
		a := &api{
			GetPlatformIDs: func(_ uint32, list *platformID, count *uint32) int32 {
				if list != nil {
					copy(unsafe.Slice(list, 2), []platformID{1, 2})
				} else {
					*count = 2
				}
				return 0
			},
			GetDeviceIDs: func(p platformID, _ uint64, _ uint32, list *deviceID, count *uint32) int32 {
				switch {
				case p == 1:
					return codeNoHostMemory
				case want == 0:
					return codeNoDevice
				case list != nil:
					*list = 7
				default:
					*count = 1
				}
				return 0
			},
		}
		places, err := a.places()
		if len(places) != want || (err == nil) != (want > 0) {
			t.Errorf("%v, %v", places, err)
		}
		if want > 0 && len(places) > 0 && places[0] != (place{2, 7}) {
			t.Errorf("%v", places)
		}
	}
}
