package growth

import (
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestSizes(t *testing.T) {
	want := []int{1, 2, 3, 4, 5, 6, 8, 9, 12, 16, 17}
	if got := Sizes(17); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestSteps checks that a step is found against the least time so far, and none below 64 rows.
func TestSteps(t *testing.T) {
	f := Families{"a": {
		{N: 32, Time: [2]float64{1, 1}},
		{N: 64, Time: [2]float64{100, 100}},
		{N: 65, Time: [2]float64{90, 104}},
		{N: 96, Time: [2]float64{95, 90}},
		{N: 128, Time: [2]float64{94, 90}},
	}}
	got := f.Steps()
	if len(got) != 1 || got[0].N != 96 || got[0].Workers != 1 || int(got[0].Percent) != 5 {
		t.Errorf("%v, want one step, with one worker at 96 rows", got)
	}
}

// TestWrite measures all families with a few rows, and reads what Write has written.
func TestWrite(t *testing.T) {
	f := Measure(3, 1, time.Nanosecond, io.Discard)
	dir := t.TempDir()
	if err := f.Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"time-1", "time-2", "memory-1", "memory-2"} {
		svg, err := os.Open(filepath.Join(dir, "growth-"+name+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		defer svg.Close()
		d := xml.NewDecoder(svg)
		for err == nil {
			_, err = d.Token()
		}
		if err != io.EOF {
			t.Error(name, err)
		}
	}
	md, err := os.ReadFile(filepath.Join(dir, "growth.md"))
	for name, points := range f {
		if err != nil || !strings.Contains(string(md), "\n## "+name+"\n") || len(points) != 3 {
			t.Errorf("%s: %d points, %v", name, len(points), err)
		}
		for _, p := range points {
			if p.Time[0] <= 0 || p.Time[1] <= 0 || p.Memory[0] == 0 && name != "msm" {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
}
