package peer

import (
	"testing"
	"time"
)

// TestClock checks that the clock advances while the process computes.
func TestClock(t *testing.T) {
	start, wall := now(), time.Now()
	x := uint64(1)
	//layers:allow a clock that advances four times too fast does so on any machine
	for time.Since(wall) < 20*time.Millisecond {
		for range 1000 {
			x = x*0x5851f42d4c957f2d + 1
		}
	}
	took := now() - start
	//layers:allow as above: a clock four times too fast
	if took <= 0 || took > 4*time.Since(wall) {
		t.Errorf("20 ms of work took %v (%d)", took, x)
	}
	start = now()
	for range 1000 {
		now()
	}
	t.Logf("a reading takes %v", (now()-start)/1000)
}
