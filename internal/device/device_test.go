package device

import (
	"context"
	"testing"
)

// A nothing is an Engine that does nothing.
type nothing struct{}

func (*nothing) Pays(Kind, int) bool              { return false }
func (*nothing) Run(context.Context, *Call) error { return nil }

// TestDevice: a device leads to its engine, and nil and the zero value to none.
func TestDevice(t *testing.T) {
	e := new(nothing)
	if New(e).Engine() != Engine(e) {
		t.Error("a device has another engine")
	}
	for _, d := range []*Device{nil, {}} {
		if d.Engine() != nil {
			t.Error("no device has an engine")
		}
	}
}

// TestZero: a kind that nobody set is none, and a verdict is that nobody looked.
func TestZero(t *testing.T) {
	seen := map[Kind]bool{0: true}
	for _, k := range []Kind{
		Schnorr, ECDSA, Recover, Decompress, AllSchnorr, AllECDSA, Sum, PublicKeys,
		PreparedSchnorr, PreparedECDSA, RecoverAddress,
	} {
		if seen[k] {
			t.Errorf("kind %d is there twice, or is the zero value", k)
		}
		seen[k] = true
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
			t.Errorf("kind %d has results of %d bytes, want %d", k, got, sizes[k])
		}
	}
}
