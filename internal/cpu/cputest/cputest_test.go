package cputest

import (
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
)

// A recorder implements testing.TB by recording messages, to test Need and Use.
type recorder struct {
	testing.TB
	skipped, failed bool
	said            []string
	cleanups        []func()
}

func (r *recorder) Helper()          {}
func (r *recorder) Name() string     { return "TestX" }
func (r *recorder) Failed() bool     { return r.failed }
func (r *recorder) Skipped() bool    { return r.skipped }
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

func (r *recorder) Logf(format string, args ...any) { r.say(format, args...) }

func (r *recorder) Skipf(format string, args ...any) {
	r.say(format, args...)
	r.skipped = true
	panic(r)
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.say(format, args...)
	r.failed = true
	panic(r)
}

func (r *recorder) say(format string, args ...any) {
	for _, a := range args {
		if l, ok := a.(Level); ok {
			format += " " + string(l)
		}
	}
	r.said = append(r.said, format)
}

// run runs f until it skips, fails or returns, and then the cleanup functions that f registered.
func (r *recorder) run(f func()) {
	func() {
		defer func() {
			if e := recover(); e != nil && e != any(r) {
				panic(e)
			}
		}()
		f()
	}()
	for _, f := range slices.Backward(r.cleanups) {
		f()
	}
}

func TestNeed(t *testing.T) {
	defer cpu.Restrict(0)()
	for _, tt := range []struct {
		level           Level
		environment     string
		skipped, failed bool
		says            string
	}{
		{Portable, "", false, false, ""},
		{Portable, "portable", false, false, ""},
		{Lanes, "", true, false, "level %s: this build"},
		{Lanes, "ADX, AVX2", true, false, "level %s: this build"},
		{Lanes, "ADX,lanes", false, true, "KOBLITZ_REQUIRE asks"},
		{ADX, "ADX", false, true, "KOBLITZ_REQUIRE asks"},
		{Portable, "ADX,fast", false, true, "KOBLITZ_REQUIRE names"},
		{"fast", "", false, true, "there is no level"},
	} {
		var r recorder
		t.Setenv("KOBLITZ_REQUIRE", tt.environment)
		r.run(func() { Need(&r, tt.level) })
		said := strings.Join(r.said, "\n")
		if r.skipped != tt.skipped || r.failed != tt.failed ||
			(said == "") != (tt.says == "") || !strings.Contains(said, tt.says) {
			t.Errorf("%s with KOBLITZ_REQUIRE=%s: skipped %v, failed %v, said %q",
				tt.level, tt.environment, r.skipped, r.failed, r.said)
		}
	}
}

// TestRan checks that Use logs the name of a level only if the test passes.
func TestRan(t *testing.T) {
	for _, tt := range []struct {
		r    *recorder
		says []string
	}{
		{&recorder{}, []string{"level %s: ran portable"}},
		{&recorder{failed: true}, nil},
		{&recorder{skipped: true}, nil},
	} {
		tt.r.run(func() { Use(tt.r, Portable) })
		if !slices.Equal(tt.r.said, tt.says) {
			t.Errorf("failed %v, skipped %v: %q", tt.r.failed, tt.r.skipped, tt.r.said)
		}
	}
}

// TestChosen checks which of all levels that the CPU has Run chooses.
func TestChosen(t *testing.T) {
	has := slices.DeleteFunc(slices.Clone(all), func(l Level) bool { return !cpu.Has(l.features()) })
	best := has[len(has)-1]
	for _, tt := range []struct {
		deep, required string
		want           []Level
	}{
		{"", "", []Level{Portable, best}},
		{"", "A64, ADX", []Level{Portable, Registers(), best}},
		{"1", "", has},
	} {
		t.Setenv("KOBLITZ_DEEP", tt.deep)
		t.Setenv("KOBLITZ_REQUIRE", tt.required)
		for _, l := range has {
			if want := slices.Contains(tt.want, l); chosen(l, all) != want {
				t.Errorf("%s with KOBLITZ_DEEP=%s, KOBLITZ_REQUIRE=%s: want %v", l, tt.deep, tt.required, want)
			}
		}
	}
}

// TestUse checks for each available level that Use enables the level, disables all higher levels,
// and restores them at the end. It passes recorders to Use in place of t: the test runs no kernel,
// so its own log must not claim that a level ran.
func TestUse(t *testing.T) {
	before := cpu.Features()
	for i, l := range all {
		var r recorder
		r.run(func() {
			Use(&r, l)
			if !cpu.Has(l.features()) {
				t.Errorf("%s is not there", l)
			}
			for _, above := range all[i+1:] {
				if cpu.Has(above.features()) {
					t.Errorf("%s is there at level %s", above, l)
				}
			}
		})
		if !slices.Equal(cpu.Features(), before) {
			t.Errorf("%s leaves %v of %v", l, cpu.Features(), before)
		}
	}
}

// TestFeatures checks that the features of a level include those of the lower levels of its
// architecture.
func TestFeatures(t *testing.T) {
	for l, want := range map[Level]cpu.Feature{
		Portable: 0,
		AVX2:     cpu.BMI2 | cpu.ADX | cpu.AVX2,
		A64:      cpu.A64,
		RV64:     cpu.RV64,
	} {
		if got := l.Features(); got != want {
			t.Errorf("%s: %b, want %b", l, got, want)
		}
	}
	if l := Registers(); !slices.Contains(all, l) || l == Lanes {
		t.Errorf("the level of general registers is %s", l)
	}
}
