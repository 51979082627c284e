package machine

import (
	"runtime"
	"strings"
	"testing"
)

// TestName checks that cpuName parses /proc/cpuinfo as written by kernels for amd64, arm64, riscv64
// and s390x.
func TestName(t *testing.T) {
	for _, test := range []struct{ info, name string }{
		{"processor\t: 0\nmodel name\t: A CPU\nflags\t\t: fpu adx bmi2\n", "A CPU"},
		{"vendor_id\t: B\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: B CPU\n",
			"B CPU (family 25, model 1)"},
		{"processor\t: 0\nBogoMIPS\t: 48.00\nFeatures\t: fp asimd\nCPU part\t: 0xd0c\n", ""},
		{"processor\t: 0\nisa\t\t: rv64imafdc\nuarch\t\t: sifive,u74-mc\n", "sifive,u74-mc"},
		{"vendor_id       : IBM/S390\n", ""},
		{"", ""},
	} {
		if name := cpuName(test.info); name != test.name {
			t.Errorf("%q: %q", test.info, name)
		}
	}
	if s := Describe(); !strings.Contains(s, " cores, "+runtime.GOOS+"/") ||
		!strings.HasSuffix(s, "portable") {
		t.Error(s)
	}
}
