// Package profiletest measures the parameters of package profile, for the benchmarks that `make
// profile` runs. Each measurement runs alternatives in turns and reports medians, because machines
// are rarely idle.
package profiletest

//ci:untested make profile runs it.

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/internal/profile"
)

// Medians calls all functions of f in turns, count times, and returns the median elapsed time of
// each in nanoseconds. It calls prepare, unless it is nil, before each call, and does not time it.
func Medians(count int, prepare func(), f ...func()) []float64 {
	times := make([][]float64, len(f))
	for range count {
		for k := range f {
			if prepare != nil {
				prepare()
			}
			begin := time.Now()
			f[k]()
			times[k] = append(times[k], float64(time.Since(begin)))
		}
	}
	out := make([]float64, len(f))
	for k := range f {
		slices.Sort(times[k])
		out[k] = times[k][len(times[k])/2]
	}
	return out
}

// A Number is an integer parameter of a profile.
type Number struct {
	Name string
	Of   func(p *profile.Profile) *int
}

// Named returns the parameter with the given name, a field of the profile or of its Sums.
func Named(name string) Number {
	return Number{name, func(p *profile.Profile) *int {
		v := reflect.ValueOf(p).Elem().FieldByName(name)
		if !v.IsValid() {
			v = reflect.ValueOf(&p.Sums).Elem().FieldByName(name)
		}
		return v.Addr().Interface().(*int)
	}}
}

// With returns a function that calls f while the parameter has the given value. It must not be used
// by two goroutines at a time, because it changes the current profile.
func (n Number) With(value int, f func()) func() {
	return func() {
		field := n.Of(profile.Current())
		now := *field
		defer func() { *field = now }()
		*field = value
		f()
	}
}

// Sweep measures f with each of the values of the parameter, in percent of its time with the
// profile's value. At the end it logs how much longer f takes with the profile's value than with
// the best.
func (n Number) Sweep(b *testing.B, values []int, f func()) {
	now := *n.Of(profile.Current())
	best, least := now, 1.0
	for _, value := range values {
		b.Run(fmt.Sprint(n.Name, "/", value), func(b *testing.B) {
			t := Medians(b.N, nil, n.With(now, f), n.With(value, f))
			b.ReportMetric(100*t[1]/t[0], "percent-of-profile's")
			b.ReportMetric(float64(now), "profile")
			if t[1]/t[0] < least {
				best, least = value, t[1]/t[0]
			}
		})
	}
	b.Logf("%s: %d loses %.1f %% against the best, %d", n.Name, now, 100*(1/least-1), best)
}

// Threshold measures two alternatives for the given number of elements, where the parameter is the
// number of elements from which newWay is used instead of oldWay. It reports the time of newWay in
// percent of the time of oldWay, and how many percent longer the way in use takes than the faster
// one. prepare is as for Medians.
func (n Number) Threshold(b *testing.B, elements int, prepare, oldWay, newWay func()) {
	b.Run(fmt.Sprint(n.Name, "/", elements), func(b *testing.B) {
		t := Medians(b.N, prepare, oldWay, newWay)
		from := *n.Of(profile.Current())
		used := t[0]
		if from > 0 && elements >= from {
			used = t[1]
		}
		b.ReportMetric(100*t[1]/t[0], "percent")
		b.ReportMetric(100*(used/min(t[0], t[1])-1), "percent-lost")
		b.ReportMetric(float64(from), "profile")
	})
}
