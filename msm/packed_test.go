package msm

import (
	"bytes"
	"context"
	"errors"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/engine/enginetest"
)

// TestPackedErrors checks that the error names the first invalid term, that no sum is returned with
// it, and that the next sum is right.
func TestPackedErrors(t *testing.T) {
	r := rand.New(rand.NewSource(21))
	scalars, points, log := terms(r, 300)
	want := new(group.Point).ScalarBaseMult(log)
	scalars32, points64 := pack(scalars, points)
	ones := bytes.Repeat([]byte{0xff}, 64)
	for what, spoil := range map[string]func(s, p []byte){
		"scalar 17 is not below":  func(s, p []byte) { copy(s[17*32:], ones[:32]) },
		"scalar 299 is not below": func(s, p []byte) { copy(s[299*32:], ones[:32]) },
		"point 0 is not on":       func(s, p []byte) { copy(p, ones) },
		"point 140 is not on":     func(s, p []byte) { copy(p[140*64:], ones[:32]) },
		"point 141 is not on":     func(s, p []byte) { clear(p[141*64 : 141*64+32]); p[141*64+63] = 1 },
		"point 142 is not on":     func(s, p []byte) { clear(p[142*64+32 : 143*64]); p[142*64] = 1 },
		"point 3 is not on": func(s, p []byte) {
			copy(p[3*64:], ones)
			copy(s[200*32:], ones[:32])
		},
		"scalar 5 is not below the": func(s, p []byte) {
			copy(s[5*32:], ones[:32])
			copy(p[5*64:], ones)
		},
	} {
		s, p := bytes.Clone(scalars32), bytes.Clone(points64)
		spoil(s, p)
		for workers := 1; workers < 3; workers++ {
			got, err := PackedSumVartime(context.Background(), s, p, &Options{Workers: workers})
			if err == nil || !strings.Contains(err.Error(), what) || !got.IsIdentity() {
				t.Errorf("%s: %v", what, err)
			}
			got, err = PackedSumVartime(context.Background(), scalars32, points64,
				&Options{Workers: workers})
			if err != nil || !got.Equal(want) {
				t.Errorf("after %s: another sum, %v", what, err)
			}
		}
	}
	for _, n := range [][2]int{{32, 0}, {0, 64}, {33, 64}, {32, 65}, {64, 64}} {
		_, err := PackedSumVartime(context.Background(), scalars32[:n[0]], points64[:n[1]], nil)
		if err == nil {
			t.Errorf("%d bytes of scalars and %d of points are accepted", n[0], n[1])
		}
	}
}

// isSum is the method Accepts of an engine for sums.
func isSum(k device.Kind, _ device.Rules, _ int) bool { return k == device.Sum }

// answer computes the sum of a call on the CPU.
func answer(ctx context.Context, c *device.Call) error {
	sum, err := PackedSumVartime(ctx, c.Columns[0].Data, c.Columns[1].Data, nil)
	if err == nil {
		c.Verdicts[0] = device.Valid
		if k, err := sum.PublicKey(); err == nil { // the identity has no public key and stays zeros
			copy(c.Results, k.UncompressedBytes()[1:])
		}
	}
	return err
}

// TestDevice checks that a device gets the terms, and that the sum is the device's answer unless it
// fails or its answer is not a point.
func TestDevice(t *testing.T) {
	scalars, points, log := terms(rand.New(rand.NewSource(22)), 50)
	want := new(group.Point).ScalarBaseMult(log)
	right := func(ctx context.Context, c *device.Call) error {
		if c.Kind != device.Sum || c.Rows != 50 || len(c.Results) != 64 || len(c.Verdicts) != 1 {
			t.Errorf("a call of kind %d", c.Kind)
		}
		return answer(ctx, c)
	}
	devices := map[string]*device.Device{"nil": nil, "zero": {}}
	for what, do := range map[string]func(ctx context.Context, c *device.Call) error{
		"right": right,
		"fails": func(context.Context, *device.Call) error { return errors.New("the device is gone") },
		"says nothing": func(ctx context.Context, c *device.Call) error {
			c.Results[0] = 1
			return nil
		},
		"says what is no point": func(ctx context.Context, c *device.Call) error {
			err := right(ctx, c)
			c.Results[63] ^= 1
			return err
		},
	} {
		f := &enginetest.Fake{Accept: isSum, Do: do}
		devices[what] = f.Device()
	}
	scalars32, points64 := pack(scalars, points)
	for what, d := range devices {
		got, err := SumVartime(t.Context(), scalars, points, &Options{Device: d})
		packed, err2 := PackedSumVartime(t.Context(), scalars32, points64, &Options{Device: d})
		if err != nil || err2 != nil || !got.Equal(want) || !packed.Equal(want) {
			t.Errorf("%s: another sum, %v, %v", what, err, err2)
		}
	}
}

// TestAccumulatorDevice checks that the device adds up the terms of calls with enough terms, and
// that the CPU adds up the terms of other calls and of calls on which the device fails. After an
// error the sum must not have changed.
func TestAccumulatorDevice(t *testing.T) {
	scalars, points, log := terms(rand.New(rand.NewSource(23)), 50)
	minus := *new(group.Scalar).Negate(&scalars[0])
	var failure error
	ctx, cancel := context.WithCancel(t.Context())
	d := &enginetest.Fake{
		Accept: func(k device.Kind, _ device.Rules, n int) bool { return k == device.Sum && n >= 10 },
		Do: func(ctx context.Context, c *device.Call) error {
			if failure != nil {
				return failure
			}
			return answer(ctx, c)
		},
	}
	a := NewAccumulator(&Options{Device: d.Device()})
	add := func(ctx context.Context, lo, hi int, want error) {
		t.Helper()
		if err := a.AddVartime(ctx, scalars[lo:hi], points[lo:hi]); !errors.Is(err, want) {
			t.Error(err)
		}
	}
	add(t.Context(), 0, 9, nil)
	add(t.Context(), 9, 30, nil)
	cancel()
	add(ctx, 30, 45, context.Canceled)
	failure = errors.New("the device is gone")
	add(t.Context(), 30, 40, nil)
	failure = nil
	if a.AddVartime(t.Context(), scalars[:20], points[:19]) == nil {
		t.Error("20 scalars for 19 points")
	}
	// These terms have the identity as their sum.
	zeros := slices.Repeat([]group.Scalar{scalars[0], minus}, 5)
	if err := a.AddVartime(t.Context(), zeros, slices.Repeat(points[:1], 10)); err != nil {
		t.Error(err)
	}
	add(t.Context(), 40, 50, nil)
	got, err := a.SumVartime(t.Context())
	if err != nil || !got.Equal(new(group.Point).ScalarBaseMult(log)) {
		t.Errorf("another sum, %v", err)
	}
	var sizes []int
	for _, c := range d.Calls() {
		sizes = append(sizes, c.Rows)
	}
	if want := []int{21, 15, 10, 10, 10}; !slices.Equal(sizes, want) {
		t.Errorf("calls of %d terms, want %d", sizes, want)
	}
	a.Reset()
	if got, err := a.SumVartime(t.Context()); err != nil || !got.Equal(new(group.Point)) {
		t.Errorf("after Reset: %v", err)
	}
}
