package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz"
)

// A ticker is a clock that advances only when an operation runs.
type ticker struct{ at time.Time }

func (c *ticker) now() time.Time { return c.at }

// takes returns an operation on the given number of rows that advances the clock. The first calls
// executions take times[0] each, the next ones times[1] each, and so on; the last duration holds
// for all further ones.
func (c *ticker) takes(rows, calls int, times ...time.Duration) operation {
	done := 0
	return operation{"ticks", rows, func(int) bool {
		c.at = c.at.Add(times[min(done/calls, len(times)-1)])
		done++
		return true
	}}
}

func TestMeasure(t *testing.T) {
	c := &ticker{}
	const each = 100 * time.Microsecond
	// measure doubles the number of executions until one round is long enough, 1 + 2 + 4 + … + 32 =
	// 63 executions of 1 µs. It then knows that 100 executions take the wanted time.
	steady := c.takes(1, 63, time.Microsecond)
	// After one execution of 50 µs, measure knows that two executions take the wanted time. In the
	// three rounds of two, one execution takes 50, 10 and 20 µs on average.
	long := c.takes(10, 1, 50*time.Microsecond, 50*time.Microsecond, 50*time.Microsecond,
		10*time.Microsecond, 10*time.Microsecond, 20*time.Microsecond)
	got, err := measure([]operation{steady, long}, 3, each, c.now)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0] != 1000 || got[1] != 2000 {
		t.Errorf("medians %v, want 1000, and 20000 for ten rows", got)
	}
}

func TestClockStandsStill(t *testing.T) {
	calls := 0
	o := operation{"still", 1, func(int) bool { calls++; return calls < 1<<20 }}
	_, err := measure([]operation{o}, 1, time.Second, func() time.Time { return time.Time{} })
	if err == nil || !strings.Contains(err.Error(), "still: a wrong result") {
		t.Errorf("error %v", err)
	}
}

func TestWrongResult(t *testing.T) {
	c := &ticker{}
	// Executions 1 and 2 happen while measure still chooses the number of executions.
	for _, last := range []int{1, 2, 70, 200} {
		calls := 0
		o := operation{"breaks", 1, func(int) bool {
			c.at = c.at.Add(time.Microsecond)
			calls++
			return calls < last
		}}
		_, err := measure([]operation{o}, 3, 100*time.Microsecond, c.now)
		if err == nil || !strings.Contains(err.Error(), "breaks: a wrong result") {
			t.Errorf("a wrong result of call %d: error %v", last, err)
		}
	}
}

// TestOperations checks that every operation has the right result for each of its inputs.
func TestOperations(t *testing.T) {
	operations, err := prepare()
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range operations {
		for i := range many + 1 {
			if !o.do(i) {
				t.Errorf("%s: input %d", o.name, i)
			}
			if o.rows > 1 {
				break
			}
		}
	}
}

func TestRun(t *testing.T) {
	var out bytes.Buffer
	err := run([]string{"-time", "1us", "-rounds", "1", "-machine", "a|b\nc"}, &out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 4 || lines[3] != "" {
		t.Fatalf("not a heading, a line and a row:\n%s", &out)
	}
	for _, l := range lines[:3] {
		if strings.Count(l, "|") != 11 || !strings.HasPrefix(l, "|") || !strings.HasSuffix(l, "|") {
			t.Errorf("not ten cells: %s", l)
		}
	}
	want := "| a/b c | " + koblitz.Implementations()[0] + " | "
	if !strings.HasPrefix(lines[2], want) {
		t.Errorf("the row begins with %q, want %q", lines[2], want)
	}
	out.Reset()
	err = run([]string{"-time", "1us", "-rounds", "1", "-heading=false"}, &out, io.Discard)
	if err != nil || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("not a row alone: %v\n%s", err, &out)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{
		{"argument"}, {"-time", "0s"}, {"-time", "-1s"}, {"-rounds", "0"}, {"-unknown"},
	} {
		var out, errs bytes.Buffer
		if err := run(args, &out, &errs); err == nil || out.Len() != 0 {
			t.Errorf("%q: error %v, output %q", args, err, &out)
		}
		if !strings.Contains(errs.String(), "-machine") {
			t.Errorf("%q: no usage in %q", args, &errs)
		}
	}
}

func TestThreeDigits(t *testing.T) {
	for _, test := range []struct {
		x    float64
		want string
	}{
		{0, "0"}, {0.5, "0.5"}, {9.994, "9.99"}, {9.996, "10"}, {11.64, "11.6"}, {99.96, "100"},
		{164.4, "164"}, {999.6, "1,000"}, {5149, "5,150"}, {17149, "17,100"}, {1234567, "1,230,000"},
		{123, "123"}, {999999, "1,000,000"},
	} {
		if got := threeDigits(test.x); got != test.want {
			t.Errorf("%v: %s, want %s", test.x, got, test.want)
		}
	}
}
