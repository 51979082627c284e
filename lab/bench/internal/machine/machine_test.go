package machine

import (
	"os"
	"testing"
)

// TestReadCPU checks that readCPU parses /proc/cpuinfo as written by kernels for amd64, arm64,
// riscv64 and s390x.
func TestReadCPU(t *testing.T) {
	for _, test := range []struct{ info, name, flags string }{
		{"processor\t: 0\nmodel name\t: A CPU\nflags\t\t: fpu adx bmi2\n", "A CPU", "adx bmi2"},
		{"processor\t: 0\nBogoMIPS\t: 48.00\nFeatures\t: fp asimd\nCPU part\t: 0xd0c\n", "unknown", ""},
		{"processor\t: 0\nisa\t\t: rv64imafdc\nuarch\t\t: sifive,u74-mc\n", "sifive,u74-mc", ""},
		{"vendor_id       : IBM/S390\n", "unknown", ""},
		{"", "unknown", ""},
	} {
		name, flags := readCPU(test.info)
		if name != test.name || flags != test.flags {
			t.Errorf("%q: %q, %q", test.info, name, flags)
		}
	}
}

// TestGauges checks that this machine's load, clock and context switches are plausible, and that
// values that the system does not provide are Unknown.
func TestGauges(t *testing.T) {
	_, err := os.Stat("/proc/loadavg")
	if s := Load(); (s == "unknown") != (err != nil) {
		t.Errorf("load %q, with /proc/loadavg %v", s, err)
	}
	before := Switches()
	if ghz, adds := Core(); ghz <= 0 || adds <= 0 {
		t.Errorf("%v GHz, %v additions per cycle", ghz, adds)
	}
	if after := Switches(); after < before || before < Unknown {
		t.Errorf("%d switches, then %d", before, after)
	}
	m := Describe()
	m.See(m.GHzFirst/2, m.GHzFirst*2)
	m.Finish()
	if m.GHzLow != m.GHzFirst/2 || m.GHzHigh != m.GHzFirst*2 || m.LoadAfter == "" {
		t.Errorf("%+v", m)
	}
}
