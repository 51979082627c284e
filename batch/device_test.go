package batch_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/engine/enginetest"
)

// A simulated device computes calls on the CPU and then applies a fault.
type simulated struct {
	fault func(ctx context.Context, c *device.Call) error // changes the finished call
	calls atomic.Int64
}

func (s *simulated) Accepts(device.Kind, device.Rules, int) bool { return true }

func (s *simulated) Run(ctx context.Context, c *device.Call) error {
	s.calls.Add(1)
	var err error
	switch c.Kind {
	case device.AllSchnorr, device.AllECDSA:
		rows := *c
		if rows.Kind = device.Schnorr; c.Kind == device.AllECDSA {
			rows.Kind = device.ECDSA
		}
		var good bool
		good, err = engine.All(ctx, &rows, engine.Options{Workers: 1})
		c.Verdicts[0] = device.Invalid
		if good {
			c.Verdicts[0] = device.Valid
		}
	default:
		_, err = engine.Do(ctx, c, engine.Options{Workers: 1, Exact: true})
	}
	if err == nil && s.fault != nil {
		err = s.fault(ctx, c)
	}
	return err
}

func (s *simulated) device() *device.Device { return enginetest.Device(s) }

// faults returns the faults of simulated devices by name. Each changes a finished call.
func faults(r *rand.Rand) map[string]func(ctx context.Context, c *device.Call) error {
	var mu sync.Mutex // guards the random source r
	random := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return r.IntN(n)
	}
	return map[string]func(ctx context.Context, c *device.Call) error{
		"none":  nil,
		"fails": func(context.Context, *device.Call) error { return errors.New("the device is gone") },
		"fails in the midst": func(_ context.Context, c *device.Call) error {
			for i := len(c.Verdicts) / 2; i < len(c.Verdicts); i++ {
				c.Verdicts[i] = device.Unchecked
			}
			for i := range c.Results {
				c.Results[i] ^= byte(i)
			}
			return errors.New("out of memory")
		},
		"leaves rows": func(_ context.Context, c *device.Call) error {
			for i := range c.Verdicts {
				if random(3) == 0 {
					c.Verdicts[i] = device.Unchecked
				}
			}
			return nil
		},
		"leaves all": func(_ context.Context, c *device.Call) error {
			clear(c.Verdicts)
			return nil
		},
		"says what there is not": func(_ context.Context, c *device.Call) error {
			for i := range c.Verdicts {
				c.Verdicts[i] = device.Verdict(4 + random(252))
			}
			return nil
		},
		"calls good rows bad": func(_ context.Context, c *device.Call) error {
			for i := range c.Verdicts {
				if random(2) == 0 && c.Verdicts[i] == device.Valid {
					c.Verdicts[i] = device.Invalid
				}
			}
			return nil
		},
		"calls all rows malformed": func(_ context.Context, c *device.Call) error {
			for i := range c.Verdicts {
				c.Verdicts[i] = device.Malformed
			}
			return nil
		},
		"calls all rows good": func(_ context.Context, c *device.Call) error {
			if c.Rows > 64 && !slices.ContainsFunc(c.Verdicts,
				func(v device.Verdict) bool { return v != device.Valid }) {
				return nil
			}
			for i := range c.Verdicts {
				c.Verdicts[i] = device.Valid
			}
			return nil
		},
		"writes other keys": func(_ context.Context, c *device.Call) error {
			for i := range c.Results {
				c.Results[i] ^= 1
			}
			return nil
		},
		"answers in another order": func(_ context.Context, c *device.Call) error {
			slices.Reverse(c.Verdicts)
			slices.Reverse(c.Results)
			return nil
		},
		"answers for the row before": func(_ context.Context, c *device.Call) error {
			size := c.Kind.ResultSize()
			copy(c.Verdicts[min(1, len(c.Verdicts)):], slices.Clone(c.Verdicts))
			copy(c.Results[min(size, len(c.Results)):], slices.Clone(c.Results))
			return nil
		},
		"answers of the call before": func() func(context.Context, *device.Call) error {
			verdicts, out := map[device.Kind][]device.Verdict{}, map[device.Kind][]byte{}
			return func(_ context.Context, c *device.Call) error {
				mu.Lock()
				defer mu.Unlock()
				if c.Kind == device.AllSchnorr || c.Kind == device.AllECDSA {
					return nil // no fault here: this one verdict is trusted
				}
				before, result := verdicts[c.Kind], out[c.Kind]
				verdicts[c.Kind], out[c.Kind] = slices.Clone(c.Verdicts), slices.Clone(c.Results)
				copy(c.Verdicts, before)
				copy(c.Results, result)
				return nil
			}
		}(),
		"takes the call apart": func(_ context.Context, c *device.Call) error {
			*c = device.Call{}
			return nil
		},
		"appends": func(_ context.Context, c *device.Call) error {
			// This device writes beyond the end of Verdicts and Results, into memory of the caller.
			c.Verdicts = append(c.Verdicts, 77)
			c.Results = append(c.Results, 77)
			return nil
		},
	}
}

// TestDevices checks that verdicts and results are those of the CPU even if a device is faulty. A
// third of the rows are bad.
func TestDevices(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 40))
	sizes := []int{1, 30, 64, 300}
	if !cputest.Deep() {
		sizes = sizes[:3]
	}
	for what, fault := range faults(r) {
		for _, n := range sizes {
			d := &simulated{fault: fault}
			on := &batch.Options{Device: d.device()}
			rows := pick(r, schnorrRows(), n)
			s := batch.SchnorrRows{Messages: column(r, rows, msg),
				Keys:       batch.EncodedKeys(column(r, rows, key)),
				Signatures: column(r, rows, sig)}
			room := slices.Repeat([]batch.Verdict{9}, n+5)
			valid, err := s.Verify(context.Background(), room[:n], on)
			compare(t, rows, false, room[:n], valid, err)
			rows = pick(r, ecdsaRows(), n)
			e := batch.ECDSARows{Hashes: column(r, rows, msg),
				Keys:       batch.EncodedKeys(column(r, rows, key)),
				Signatures: column(r, rows, sig), S: batch.LowS}
			valid, err = e.Verify(context.Background(), room[:n], on)
			compare(t, rows, true, room[:n], valid, err)

			rec := pick(r, recoverRows(), n)
			hashes, sigs := make([][]byte, n), make([][]byte, n)
			for i, row := range rec {
				hashes[i], sigs[i] = row.hash, row.sig
			}
			cols := batch.RecoverRows{Hashes: spread(r, 0, hashes), Signatures: spread(r, 0, sigs),
				S: batch.AnyS}
			for _, how := range recoveries() {
				dst := bytes.Repeat([]byte{7}, how.size*n+9)
				if _, err := how.call(cols, context.Background(), dst[:how.size*n], room[:n],
					on); err != nil {
					t.Error(err)
				}
				for i, row := range rec {
					if room[i] != row.want || !bytes.Equal(dst[how.size*i:][:how.size], how.found(row)) {
						t.Errorf("%s: row %d of %d: %v, want %v", what, i, n, room[i], row.want)
					}
				}
				if !slices.Equal(room[n:], slices.Repeat([]batch.Verdict{9}, 5)) ||
					!slices.Equal(dst[how.size*n:], bytes.Repeat([]byte{7}, 9)) {
					t.Errorf("%s: the device wrote past the end of the verdicts or results", what)
				}
			}
			if d.calls.Load() == 0 {
				t.Errorf("%s: the device was not asked", what)
			}
		}
	}
}

// TestDeviceAll checks that VerifyAll returns the right answer with faulty devices: if a device
// reports a bad row or fails, the CPU decides.
func TestDeviceAll(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 41))
	good := slices.DeleteFunc(slices.Clone(schnorrRows()),
		func(r row) bool { return r.want != batch.Valid })
	for what, fault := range faults(r) {
		if what == "calls all rows good" { // this single verdict is trusted
			continue
		}
		for _, n := range []int{1, 5, 100} {
			for _, bad := range []bool{false, true} {
				rows := slices.Clone(pick(r, good, n))
				if bad {
					rows[r.IntN(n)].msg = make([]byte, 32)
				}
				on := &batch.Options{Device: (&simulated{fault: fault}).device()}
				s := batch.SchnorrRows{Messages: spread(r, 0, fields(rows, msg)),
					Keys: batch.EncodedKeys(spread(r, 0, fields(rows, key))), Signatures: spread(r, 0,
						fields(rows, sig))}
				if got, err := s.VerifyAll(context.Background(), n, on); got == bad || err != nil {
					t.Errorf("%s: %d rows, a bad one: %v: %v, %v", what, n, bad, got, err)
				}
			}
		}
	}
}

func fields(rows []row, field func(row) []byte) (list [][]byte) {
	for _, r := range rows {
		list = append(list, field(r))
	}
	return list
}

// TestDeviceSample uses a device that calls all rows Valid although one row in fifty is bad. It
// checks that in most calls, but not in all, the random sample contains a bad row and the device's
// verdicts are discarded. The sample must differ between calls.
func TestDeviceSample(t *testing.T) {
	const n, rounds = 640, 40
	r := rand.New(rand.NewPCG(42, 42))
	rows := slices.Clone(pick(r,
		slices.DeleteFunc(slices.Clone(schnorrRows()),
			func(r row) bool { return r.want != batch.Valid }), n))
	want := slices.Repeat([]batch.Verdict{batch.Valid}, n)
	for i := 0; i < n; i += 50 {
		rows[i].msg, want[i] = make([]byte, 32), batch.Invalid
	}
	s := batch.SchnorrRows{Messages: spread(r, 0, fields(rows, msg)),
		Keys: batch.EncodedKeys(spread(r, 0, fields(rows, key))), Signatures: spread(r, 0,
			fields(rows, sig))}
	found := 0
	for range rounds {
		got := make([]batch.Verdict, n)
		if _, err := s.Verify(context.Background(), got,
			&batch.Options{Device: enginetest.Device(liar{})}); err != nil {
			t.Fatal(err)
		}
		if slices.Equal(got, want) {
			found++
		}
	}
	// The sample has one row of each ten, and 13 rows are bad, each in another ten. So the
	// probability that the sample finds a bad row is 1 − 0.9^13 = 0.75.
	t.Logf("found in %d of %d calls", found, rounds)
	if found < rounds/3 || found == rounds {
		t.Errorf("the device was found in %d of %d calls: not by chance", found, rounds)
	}
}

// A liar reports all rows as valid without any work.
type liar struct{}

func (liar) Accepts(device.Kind, device.Rules, int) bool { return true }

func (liar) Run(_ context.Context, c *device.Call) error {
	for i := range c.Verdicts {
		c.Verdicts[i] = device.Valid
	}
	return nil
}

// TestSlowDevice checks that no verdict is returned if the context ends while a device works.
func TestSlowDevice(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 43))
	rows := pick(r, schnorrRows(), 100)
	s := batch.SchnorrRows{Messages: column(r, rows, msg),
		Keys:       batch.EncodedKeys(column(r, rows, key)),
		Signatures: column(r, rows, sig)}
	for _, also := range []error{nil, context.Canceled} {
		ctx, cancel := context.WithCancel(context.Background())
		d := &simulated{fault: func(ctx context.Context, c *device.Call) error {
			cancel()
			<-ctx.Done()
			return also
		}}
		got := dirty(len(rows))
		if _, err := s.Verify(ctx, got, &batch.Options{Device: d.device()}); !errors.Is(err,
			context.Canceled) {
			t.Error(err)
		}
		if slices.ContainsFunc(got, func(v batch.Verdict) bool { return v != batch.Unchecked }) {
			t.Error("there are verdicts of a call that was cancelled")
		}
		if _, err := s.VerifyAll(ctx, len(rows), &batch.Options{Device: d.device()}); err == nil {
			t.Error("an answer of a call that was cancelled")
		}
	}
}

// TestNoDevice checks that nil and zero devices are not used.
func TestNoDevice(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 44))
	rows := pick(r, schnorrRows(), 20)
	s := batch.SchnorrRows{Messages: column(r, rows, msg),
		Keys:       batch.EncodedKeys(column(r, rows, key)),
		Signatures: column(r, rows, sig)}
	for _, d := range []*device.Device{nil, {}} {
		got := dirty(len(rows))
		valid, err := s.Verify(context.Background(), got, &batch.Options{Device: d})
		compare(t, rows, false, got, valid, err)
	}
}

// TestDeviceResults checks that wrong results of valid rows are found even if there are more valid
// rows than the sample has, and that results of Unchecked rows are overwritten.
func TestDeviceResults(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 45))
	rows := pick(r, slices.DeleteFunc(slices.Clone(recoverRows()),
		func(r sign65) bool { return r.want != batch.Valid }), 150)
	hashes, sigs := make([][]byte, len(rows)), make([][]byte, len(rows))
	for i, row := range rows {
		hashes[i], sigs[i] = row.hash, row.sig
	}
	cols := batch.RecoverRows{Hashes: spread(r, 0, hashes), Signatures: spread(r, 0, sigs),
		S: batch.AnyS}
	for _, how := range recoveries() {
		for _, left := range []int{0, 3} {
			d := &simulated{fault: func(_ context.Context, c *device.Call) error {
				for i := range c.Rows {
					if left == 0 || i%left == 0 {
						c.Results[(i+1)*how.size-1] ^= 1
					}
					if left > 0 && i%left == 0 {
						c.Verdicts[i] = device.Unchecked
					}
				}
				return nil
			}}
			got, dst := dirty(len(rows)), make([]byte, how.size*len(rows))
			_, err := how.call(cols, context.Background(), dst, got,
				&batch.Options{Device: d.device()})
			if err != nil || d.calls.Load() != 1 {
				t.Error(err, d.calls.Load())
			}
			compareFound(t, how, rows, false, got, dst)
		}
	}
}
