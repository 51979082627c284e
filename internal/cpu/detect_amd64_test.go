//go:build !purego

package cpu

import "testing"

// TestSplitsVectors checks that splitsVectors is true for CPUs before Zen 2, and false for newer
// ones and for other makers.
func TestSplitsVectors(t *testing.T) {
	const amd = "AuthenticAMD"
	for _, tt := range []struct {
		cpu, vendor string
		signature   uint32
		want        bool
	}{
		{"Excavator", amd, 0x660f01, true},
		{"Zen 1", amd, 0x800f11, true},
		{"Zen+", amd, 0x800f82, true},
		{"Zen+ with graphics", amd, 0x810f81, true},
		{"Zen 2, server", amd, 0x830f10, false},
		{"Zen 2, desktop", amd, 0x870f10, false},
		{"Zen 3", amd, 0xa20f10, false},
		{"Zen 4", amd, 0xa10f11, false},
		{"Hygon Dhyana", "HygonGenuine", 0x900f02, true},
		{"Skylake", "GenuineIntel", 0x506e3, false},
		{"none", "", 0, false},
	} {
		if got := splitsVectors(tt.vendor, tt.signature); got != tt.want {
			t.Errorf("%s: %t", tt.cpu, got)
		}
	}
	t.Logf("this CPU: %s, %#x", vendor(), signature())
}
