package launch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// opened opens a device as package gpu does: with the known answers of this package and of package
// device. It returns the error, after it has closed the device.
func opened(t *testing.T, f *fake, o Options) error {
	t.Helper()
	o.Timeout = patience
	e, err := New(t.Context(), f, []byte(tableOfTests), o)
	if err == nil {
		_, err = device.New(e)
		err = errors.Join(err, e.Close())
	}
	f.leaks(t)
	return err
}

// TestAnswers checks that a device that gives any wrong answer is not opened, and all its memory is
// freed.
func TestAnswers(t *testing.T) {
	memory := max(sumLimit(), 2*setMemory)
	for _, k := range kinds() {
		p, _ := programOf(k)
		for what, fault := range map[string]func(kernel string, r *results){
			"a good row is bad": func(_ string, r *results) { r.change(device.Valid, device.Invalid) },
			"a bad row is good": func(_ string, r *results) {
				if !bytes.Contains(r.verdicts, []byte{byte(device.Invalid)}) {
					r.change(device.Malformed, device.Valid)
				}
				r.change(device.Invalid, device.Valid)
			},
			"a malformed row is bad": func(_ string, r *results) {
				r.change(device.Malformed, device.Invalid)
			},
			"a row is left": func(_ string, r *results) {
				r.verdicts[len(r.verdicts)-1] = byte(device.Unchecked)
			},
			"another key": func(_ string, r *results) {
				if r.out == nil { // the kind has no results: change a verdict
					r.change(device.Valid, device.Invalid)
					return
				}
				r.out[1] ^= 1 // change a result: the first row is valid
			},
			"a flag is ignored": func(_ string, r *results) {
				without := *r.call
				without.Verdicts = make([]device.Verdict, r.call.Rows)
				switch {
				case r.call.Rules != 0:
					without.Rules = 0
				case r.call.Columns[3].Data != nil:
					without.Columns[3].Data = nil
				case !p.flags || k == device.PreparedSchnorr: // there is no flag
					r.change(device.Valid, device.Invalid)
					return
				}
				if err := recalled(&without, onCPU); err != nil {
					t.Error(err)
				}
				for i, v := range without.Verdicts {
					r.verdicts[i] = byte(v)
				}
			},
		} {
			f := &fake{after: func(kernel string, r *results) {
				if kernel == p.kernel {
					fault(kernel, r)
				}
			}}
			if err := opened(t, f, Options{Memory: memory, Crossover: 1}); err == nil {
				t.Errorf("%s, %s: it was opened", p.kernel, what)
			}
		}
	}
	if err := opened(t, &fake{}, Options{Memory: memory, Crossover: 1}); err != nil {
		t.Error(err)
	}
}

// TestMissedException checks that Open refuses a device that gives the verdict Valid to rows that
// reach an exception, and accepts a device that leaves these rows Unchecked.
func TestMissedException(t *testing.T) {
	for kernel, place := range map[string]int{"k_ecdsa": 14, "k_schnorr": 14, "k_prepared_ecdsa": 14,
		"k_prepared_schnorr": 14, "k_recover": 12, "k_pubkeys": 12} {
		for _, missed := range []bool{true, false} {
			f := &fake{after: func(launched string, r *results) {
				for i := place; launched == kernel && i < len(r.verdicts); i += 16 {
					if r.verdicts[i] = byte(device.Unchecked); missed {
						r.verdicts[i] = byte(device.Valid)
						fill(r.out[i*len(r.out)/len(r.verdicts):], 5)
					}
				}
			}}
			err := opened(t, f, Options{Memory: setMemory, Crossover: 1})
			if missed != errors.Is(err, ErrAnswer) || missed && !strings.Contains(err.Error(), kernel) {
				t.Errorf("%s, missed: %t, %v", kernel, missed, err)
			}
		}
	}
}

// TestSumAnswers checks that a device with wrong sums or equations is not opened.
func TestSumAnswers(t *testing.T) {
	equations := false
	for what, wrong := range map[string]func(kernel string, out []byte){
		"another sum": func(kernel string, out []byte) {
			if kernel == "k_sum_add" && !bytes.Equal(out, make([]byte, 64)) {
				out[63], out[31] = 1, 1 // not on the curve
			}
		},
		"infinity": func(kernel string, out []byte) {
			if kernel == "k_sum_add" {
				clear(out)
			}
		},
		"no malformed term": func(kernel string, out []byte) {
			if kernel == "k_sum_terms" {
				clear(out)
			}
		},
		"only malformed terms": func(kernel string, out []byte) {
			if kernel == "k_sum_terms" {
				out[0] = 1
			}
		},
		"nothing is added": func(kernel string, out []byte) {
			equations = equations || strings.HasPrefix(kernel, "k_equation_")
			if equations && kernel == "k_sum_fold" {
				clear(out)
			}
		},
		"another scalar": func(kernel string, out []byte) {
			if kernel == "k_equation_ecdsa" {
				out[0] ^= 1
			}
		},
	} {
		f := &fake{}
		f.sum.wrong = wrong
		if err := opened(t, f, Options{Crossover: 1}); err == nil {
			t.Errorf("%s: it was opened", what)
		}
	}
}

// TestUndefined checks that the host detects results that no kernel writes: verdicts and words that
// are not defined, points off the curve, rows that were left out or belong to an earlier call. Such
// a result is an error of the device, and the other member of a Team computes the rows. A device
// that adds up wrong scalars never makes an equation Valid.
func TestUndefined(t *testing.T) {
	const n = 5 * driver.Group
	one := func(b []byte, k, i int) { // adds 1 to word k of record i
		at := 4 * (len(b)/4/fakeRecord*k + i)
		binary.LittleEndian.PutUint32(b[at:], binary.LittleEndian.Uint32(b[at:])+1)
	}
	const fold, added = "k_sum_fold", "k_equation_add"
	var stale []byte
	for what, c := range map[string]struct {
		kind   device.Kind
		kernel string
		wrong  func(out []byte)
		lie    bool // the answer is defined, and wrong
	}{
		"nothing written":            {device.ECDSA, "", nil, false},
		"no verdict":                 {device.ECDSA, "k_ecdsa", func(b []byte) { b[0] = 4 }, false},
		"no sum":                     {device.Sum, "", nil, false},
		"a sum off the curve":        {device.Sum, fold, func(b []byte) { b[0] ^= 1 }, false},
		"a denominator":              {device.Sum, fold, func(b []byte) { b[96] ^= 2 }, false},
		"a state":                    {device.Sum, "k_sum_terms", func(b []byte) { b[3] = 1 }, false},
		"a term that is none":        {device.Sum, "k_sum_terms", func(b []byte) { b[0] = 1 }, true},
		"no equation":                {device.AllSchnorr, "", nil, false},
		"an equation off the curve":  {device.AllECDSA, fold, func(b []byte) { b[64] ^= 2 }, false},
		"a row without a verdict":    {device.AllSchnorr, "k_equation_schnorr", nil, false},
		"records of an earlier call": {device.AllSchnorr, added, nil, false},
		"one more row":               {device.AllECDSA, added, func(b []byte) { one(b, 10, 0) }, false},
		"another scalar":             {device.AllECDSA, added, func(b []byte) { one(b, 0, 0) }, true},
		"another scalar's top": {device.AllSchnorr, added,
			func(b []byte) { one(b, 8, 3) }, true},
	} {
		q := newQuestion(t, c.kind, n, false)
		for members := 1; members <= 2; members++ {
			team := startTeam(t, members, max(short(), sumLimit()/4))
			f := team.fakes[0]
			rows := 0
			f.sum.set(func(kernel string, out []byte) {
				if kernel == "k_equation_add" {
					stale = append([]byte(nil), out...)
				}
			})
			team.startTogether()
			for range cap(team.members[0].free) { // each slot then has verdicts of this call
				if err := q.by(t.Context(), team); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
			}
			wrong := c.wrong
			switch what {
			case "a row without a verdict":
				wrong = func(b []byte) {
					if rows++; rows == 1 {
						for k := range 4 {
							clear(b[len(b)/fakeRecord*(9+k):][:4])
						}
					}
				}
			case "records of an earlier call":
				wrong = func(b []byte) { copy(b, stale) }
			}
			f.sum.set(func(kernel string, out []byte) {
				if kernel == c.kernel {
					wrong(out)
				}
			})
			f.set(func() {
				f.skip = c.kernel == ""
				f.after = func(kernel string, r *results) {
					if kernel == c.kernel {
						wrong(r.verdicts)
					}
				}
			})
			team.startTogether()
			call := q.fresh()
			err := team.Run(t.Context(), call)
			switch {
			case c.lie && err == nil && call.Verdicts[0] != device.Valid && team.told[0] == nil:
			case !c.lie && len(team.told[0]) == 1 && (err == nil) == (members == 2) &&
				(err != nil || q.check(call) == nil):
			default:
				t.Errorf("%s, %d members: %v, verdict %d, told %v", what, members, err, call.Verdicts[0],
					team.told)
			}
		}
	}
}

// TestTables checks that a device is not opened if any step of any window of its table is wrong, or
// if it leaves out the steps, and that it is opened without that.
func TestTables(t *testing.T) {
	o := Options{Memory: small(), TableBits: testBits, Crossover: 1}
	if err := opened(t, &fake{}, o); err != nil {
		t.Error(err)
	}
	if err := opened(t, &fake{skip: true}, o); !errors.Is(err, ErrAnswer) {
		t.Error(err)
	}
	for i := range kernels.CombWindows(testBits) {
		for step := range testBits - 1 {
			if kernels.CombEntries(testBits, i) <= 1<<step || i%21 != 0 && !deep() {
				continue
			}
			launch := 0
			f := &fake{after: func(kernel string, r *results) {
				if kernel == "k_comb" && launch == testBits-2 {
					wrong := r.out[kernels.CombOffset(testBits, i, 1<<step):]
					for j := range 1 << step {
						wrong[kernels.CombPoint*j+(i+step)%kernels.CombPoint] ^= 1
					}
				}
				launch++
			}}
			if err := opened(t, f, o); !errors.Is(err, ErrAnswer) ||
				!strings.Contains(err.Error(), "k_comb") {
				t.Errorf("step %d of window %d: %v", step, i, err)
			}
		}
	}
	for _, bits := range []int{-1, kernels.CombLeast - 1, kernels.CombMost + 1} {
		f := &fake{}
		if err := opened(t, f, Options{Memory: small(), TableBits: bits}); err == nil ||
			f.peak > int(small()) {
			t.Errorf("a table of %d bits: %v, after %d bytes", bits, err, f.peak)
		}
	}
}
