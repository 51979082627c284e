package device

import (
	"context"
	"testing"
)

// TestZero checks that a zero Device accepts no call, that 0 is not a kind, and that the zero
// verdict is Unchecked.
func TestZero(t *testing.T) {
	for _, d := range []*Device{nil, {}} {
		if d.Engine() != nil || d.Accepts(Schnorr, 0, 1) || d.Run(context.Background(),
			new(Call)) == nil {
			t.Error("a zero Device has an engine")
		}
	}
	if Schnorr == 0 || RecoverAddress != Kind(len(kindNames)-1) {
		t.Error("kinds do not begin after zero, or some have no name")
	}
	if c := (Call{Verdicts: make([]Verdict, 1)}); c.Verdicts[0] != Unchecked {
		t.Error("the zero verdict is not Unchecked")
	}
}

// TestResultSize checks that the kinds that find a key or an address have a result per row, and
// that all other kinds have none.
func TestResultSize(t *testing.T) {
	sizes := map[Kind]int{Recover: 65, Decompress: 65, PublicKeys: 65, RecoverAddress: 20}
	for k := range Kind(255) {
		if got := k.ResultSize(); got != sizes[k] {
			t.Errorf("%v has results of %d bytes, want %d", k, got, sizes[k])
		}
	}
}

// TestNames checks the names of kinds and verdicts, and that undefined values print as numbers.
func TestNames(t *testing.T) {
	for got, want := range map[string]string{
		Schnorr.String(): "Schnorr", RecoverAddress.String(): "RecoverAddress",
		Kind(0).String(): "device.Kind(0)", Kind(12).String(): "device.Kind(12)",
		Unchecked.String(): "unchecked", Malformed.String(): "malformed",
		Verdict(4).String(): "device.Verdict(4)",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
