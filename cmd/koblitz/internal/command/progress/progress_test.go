package progress

import (
	"testing"
	"time"
)

// TestEstimate checks that the rate and the remaining time leave out the work of earlier runs.
func TestEstimate(t *testing.T) {
	total := int64(1000)
	a := Advance{Rows: 500, Bytes: 600, Total: &total}
	from := Advance{Rows: 400, Bytes: 500}
	a.estimate(&from, 10*time.Second)
	if a.Rate != 10 || a.Left == nil || *a.Left != 40 {
		t.Errorf("%+v, %v left", a, *a.Left)
	}
	if a.estimate(&Advance{Bytes: 600}, time.Second); a.Left != nil {
		t.Errorf("%v left, of which nothing is known", *a.Left)
	}
	a.Bytes = 1200 // more bytes than the total: the file has grown
	if a.estimate(&from, time.Second); *a.Left != 0 {
		t.Errorf("%v left", *a.Left)
	}
}
