package device

import (
	"context"
	"testing"
)

// TestZero: no device accepts a call, a kind that nobody set is none, and a verdict is that nobody
// looked.
func TestZero(t *testing.T) {
	for _, d := range []*Device{nil, {}} {
		if d.Engine() != nil || d.Accepts(Schnorr, 0, 1) || d.Run(context.Background(),
			new(Call)) == nil {
			t.Error("no device has an engine")
		}
	}
	if Schnorr == 0 || RecoverAddress != Kind(len(kindNames)-1) {
		t.Error("kinds do not begin behind zero, or have not as many names")
	}
	if c := (Call{Verdicts: make([]Verdict, 1)}); c.Verdicts[0] != Unchecked {
		t.Error("a verdict that nobody set says something")
	}
}

// TestResultSize: the kinds that find something have a result for each row, and no other.
func TestResultSize(t *testing.T) {
	sizes := map[Kind]int{Recover: 65, Decompress: 65, PublicKeys: 65, RecoverAddress: 20}
	for k := range Kind(255) {
		if got := k.ResultSize(); got != sizes[k] {
			t.Errorf("%v has results of %d bytes, want %d", k, got, sizes[k])
		}
	}
}

// TestNames: kinds and verdicts have names, and other numbers show what they are.
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
