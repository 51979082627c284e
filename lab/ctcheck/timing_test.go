//go:build timing

package main

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/lab/operations"
)

// This file compares times, by the method of dudect (Reparaz, Balasch, Verbauwhede: "Dude, is my
// code constant time?", DATE 2017):
//
//	go test ./lab/ctcheck -tags timing -run Timing -v -timeout 0 -span 1m
//
// Each operation is timed with one fixed secret and with random ones. Before each call, a random
// bit chooses the class. Welch's t-test then asks whether the mean times of the two classes differ.
// The test can find a dependence that memcheck misses, such as an instruction whose time depends on
// its operands. It does not prove that there is none.

// Thresholds for |t|: that of the paper, and that of dudect's program. For a value in between, more
// calls decide.
const (
	unseen = 4.5 // below this value, nothing was seen
	seen   = 10  // above this value, the time depends on the secret
)

var span = flag.Duration("span", 10*time.Second, "time to spend on each operation and fixed secret")

// timed returns the operations to time: those on many rows, which compute in vector lanes, and
// Receiver.Scan. Those that verify signatures are left out, because that time depends on the public
// key.
func timed() (all []operations.Operation) {
	const without = operations.Public | operations.Vartime | operations.Verifies
	for _, o := range operations.All() {
		many := o.Needs&operations.ManyRows != 0 || o.Name == "silentpay.Receiver.Scan"
		if many && o.Needs&without == 0 {
			all = append(all, o)
		}
	}
	return all
}

// leaking returns an operation that also hashes odd secrets, four times for each row.
func leaking(o operations.Operation) operations.Operation {
	return operations.Operation{Name: "planted leak", Needs: o.Needs,
		Run: func(x *operations.Operands) error {
			for range 4 * x.Rows * int(x.D[31]&1) {
				sha256.Sum256(x.D)
			}
			return o.Run(x)
		}}
}

func TestTiming(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	arbitrary := sha256.Sum256([]byte("a fixed secret"))
	fixed := [][]byte{append(make([]byte, 31), 1), arbitrary[:]}
	t.Run("planted leak", func(t *testing.T) {
		for _, secret := range fixed {
			if v := compare(t, leaking(timed()[0]), secret); math.Abs(v) < seen {
				t.Errorf("the leak is not found: t = %.1f", v)
			}
		}
	})
	t.Run("random secrets twice", func(t *testing.T) {
		if v := compare(t, timed()[0], nil); math.Abs(v) > seen {
			t.Errorf("the test finds what is not there: t = %.1f", v)
		}
	})
	for _, op := range timed() {
		t.Run(op.Name, func(t *testing.T) {
			for _, secret := range fixed {
				if v := compare(t, op, secret); math.Abs(v) > seen {
					t.Errorf("the time depends on the secret: t = %.1f", v)
				}
			}
		})
	}
}

// A sample is the time of one call.
type sample struct {
	class int // 0 with the fixed secret, 1 with random secrets
	time  time.Duration
}

// compare times calls of op with a fixed secret and with random ones, for the time span. It returns
// the result of the function welch. If fixed is nil, both classes have random secrets.
func compare(t *testing.T, op operations.Operation, fixed []byte) float64 {
	random := rand.NewChaCha8(sha256.Sum256(append([]byte(op.Name), fixed...)))
	public := func(b []byte) { random.Read(b) }
	x := operations.NewOperands()
	x.Rows = 64
	var samples []sample
	for start := time.Now(); time.Since(start) < *span; {
		if len(samples)%64 == 0 {
			runtime.GC()
		}
		// What precedes a call is the same in both classes.
		class := int(random.Uint64() & 1)
		x.Fill(func(b []byte) {
			random.Read(b)
			if fixed != nil {
				subtle.ConstantTimeCopy(1-class, b[:32], fixed)
			}
		}, public)
		if err := x.Prepare(op.Needs); err != nil {
			t.Fatal(err)
		}
		before := time.Now()
		err := op.Run(x)
		samples = append(samples, sample{class, time.Since(before)})
		if err != nil {
			t.Fatal(err)
		}
		x.Clean()
	}
	v, kept := welch(samples)
	name, verdict := "none", "nothing seen"
	if fixed != nil {
		name = fmt.Sprintf("…%x", fixed[31:])
	}
	switch {
	case math.Abs(v) > seen:
		verdict = "A LEAK"
	case math.Abs(v) >= unseen:
		verdict = "unclear"
	}
	t.Logf("%-38s fixed secret %5s: %6d calls, median %v, t = %6.2f of the fastest %3.0f %%: %s",
		op.Name, name, len(samples), samples[len(samples)/2].time.Round(time.Microsecond),
		v, 100*kept, verdict)
	return v
}

// welch sorts the samples by time. It computes Welch's t for all samples, and for the fastest ones
// up to each of 100 percentiles, dudect's, since other work on the machine makes calls slow. It
// returns the t with the greatest absolute value, and the part of the samples that it is for.
func welch(samples []sample) (value, kept float64) {
	slices.SortFunc(samples, func(a, b sample) int { return cmp.Compare(a.time, b.time) })
	n, center := len(samples), samples[len(samples)/2].time
	var classes [2]moments
	next := 1 // the next percentile is that of 1 - 2^(-next/10)
	for i, s := range samples {
		classes[s.class].add(float64(s.time - center))
		cut := int(float64(n) * (1 - math.Exp2(-float64(next)/10)))
		if i+1 < n && (i+1 < cut || next > 100) {
			continue
		}
		next++
		a, b := &classes[0], &classes[1]
		v := (a.mean() - b.mean()) / math.Sqrt(a.variance()/a.n+b.variance()/b.n)
		if math.Abs(v) > math.Abs(value) {
			value, kept = v, float64(i+1)/float64(n)
		}
	}
	return value, kept
}

// A moments holds the number of times, their sum, and the sum of their squares.
type moments struct{ n, sum, squares float64 }

func (m *moments) add(x float64) {
	m.n++
	m.sum += x
	m.squares += x * x
}

func (m *moments) mean() float64 { return m.sum / m.n }

// variance returns the unbiased estimate of the variance.
func (m *moments) variance() float64 { return (m.squares - m.sum*m.mean()) / (m.n - 1) }
