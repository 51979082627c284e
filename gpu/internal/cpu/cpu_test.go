package cpu_test

import (
	"errors"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
)

// TestDo checks that Do returns the expected verdicts and results for calls of all kinds, with
// columns that have a value for each row, and with columns that have one value for all rows.
func TestDo(t *testing.T) {
	for _, set := range hostile.Sets(1) {
		c := set.Call()
		err := cpu.Do(t.Context(), c, nil)
		if set.Rules == device.Hashed {
			if !errors.Is(err, cpu.ErrCall) {
				t.Errorf("%v with challenges: %v", set.Kind, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%v: %v", set.Kind, err)
		}
		if err := set.Check(c); err != nil {
			t.Error(err)
		}
		first := set
		first.Rows = set.Rows[:1]
		one, same := first.Call(), *c
		for i := range same.Columns {
			same.Columns[i].Stride = 0
		}
		err = errors.Join(cpu.Do(t.Context(), one, nil), cpu.Do(t.Context(), &same, nil))
		for _, v := range same.Verdicts {
			if v != one.Verdicts[0] || err != nil {
				t.Fatalf("%v: a row of one value is %v, want %v, %v", set.Kind, v, one.Verdicts[0], err)
			}
		}
	}
	for _, b := range hostile.Batches(3) {
		c := b.Call()
		err := cpu.Do(t.Context(), c, &batch.Options{Workers: 1})
		if (errors.Is(err, cpu.ErrCall)) != (c.Rules == device.Hashed) {
			t.Errorf("%s: %v", b.What, err)
		}
		if b.Want != device.Unchecked && err == nil &&
			(c.Verdicts[0] == device.Valid) != (b.Want == device.Valid) {
			t.Errorf("%s: %v, want %v", b.What, c.Verdicts[0], b.Want)
		}
	}
	for _, s := range hostile.Sums(3) {
		c := s.Call()
		if err := errors.Join(cpu.Do(t.Context(), c, nil), s.Check(c)); err != nil {
			t.Error(err)
		}
	}
}

// TestRefused checks that Do returns an error for kinds and rules that it does not support.
func TestRefused(t *testing.T) {
	for _, c := range []device.Call{
		{Kind: 0}, {Kind: device.RecoverAddress + 1},
		{Kind: device.ECDSA, Rules: device.Uncompressed}, {Kind: device.ECDSA, Rules: 1 << 31},
	} {
		if err := cpu.Do(t.Context(), &c, nil); !errors.Is(err, cpu.ErrCall) {
			t.Errorf("%v, rules %#x: %v", c.Kind, uint32(c.Rules), err)
		}
	}
}
