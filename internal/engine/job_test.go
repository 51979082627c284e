package engine

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

var curve = reference.Secp256k1()

// samples are rows together with the expected answers, computed by package reference.
type samples struct {
	*columns
	why   []Reason          // the expected reasons; NoReason if the row is valid
	found []reference.Point // the expected points, of kinds that find points
}

// newSamples returns n rows of a kind. About a third of them are not valid. If prepared is set,
// about half of the keys have tables.
func newSamples(r *rand.Rand, kind Kind, n int, prepared bool) *samples {
	s := &samples{why: make([]Reason, n), found: make([]reference.Point, n)}
	call := &device.Call{Kind: kind, Rules: device.LowS, Rows: n}
	put := func(fields ...[]byte) {
		for k, field := range fields {
			c := &call.Columns[k]
			c.Data, c.Stride = append(c.Data, field...), len(field)
		}
	}
	points, tables := make([]*point.Affine, n), make([]*vartime.SplitTable, n)
	half := new(big.Int).Rsh(curve.Order, 1)
	for i := range n {
		d, nonce := reference.Secret(r), reference.Secret(r)
		q := curve.ScalarMult(d, curve.G)
		if kind == CheckTweaks && q.Y.Bit(0) == 1 { // the keys are x-only
			q, d = curve.Neg(q), new(big.Int).Sub(curve.Order, d)
		}
		hash, bad, why, found := bytes32(reference.RandInt(r))[:], r.IntN(6), NoReason, q
		rr, ss, nonceID, ok := reference.SignECDSA(d, hash, nonce)
		if !ok {
			panic("no signature")
		}
		ss, id := reference.LowS(ss, nonceID)
		key := append([]byte{2 | byte(q.Y.Bit(0))}, bytes32(q.X)[:]...)
		if points[i] = vartimetest.Affine(q); r.IntN(2) == 0 {
			table := vartime.NewSplitTable(points[i], []int{1 << 10, 2 << 10}[r.IntN(2)])
			tables[i] = &table
		}
		noPoint := big.NewInt(5) // no point has this x coordinate
		if bad == 1 && kind != device.Recover && kind != device.PublicKeys {
			key, why = append([]byte{2}, bytes32(noPoint)[:]...), KeyNotOnCurve
			if prepared {
				points[i], tables[i], why = nil, nil, KeyMissing
			}
		}
		switch kind {
		case ECDSA:
			switch bad {
			case 0:
				if ss, why = new(big.Int).Add(ss, big.NewInt(1)), WrongSignature; ss.Cmp(half) > 0 {
					why = HighS
				}
			case 2:
				ss, id, why = new(big.Int).Sub(curve.Order, ss), id^1, HighS
			}
			put(hash, key, bytes64(rr, ss)[:], []byte{byte(id)})
		case Schnorr:
			sig, _ := reference.SignBIP340(d, hash, make([]byte, 32))
			if bad == 0 {
				hash[3] ^= 1
				why = WrongSignature
			}
			put(hash, key[1:], sig)
		case device.Recover:
			switch bad {
			case 0:
				rr, why = noPoint, NoncePoint
			case 1:
				id, why = 4, RecoveryIDRange
			case 2: // choose z, r and s so that s·R = z·G: the recovered key is infinity
				z := new(big.Int).SetBytes(hash)
				ss, why = z.Mul(z, new(big.Int).ModInverse(nonce, curve.Order)), Infinity
				if ss.Mod(ss, curve.Order).Sign() == 0 {
					why = SRange
				}
				ss, id = reference.LowS(ss, nonceID)
			}
			put(hash, append(bytes64(rr, ss)[:], byte(id)))
		case device.Decompress:
			if bad == 0 {
				key[0], why = 7, KeyEncoding
			}
			put(key)
		case device.PublicKeys:
			switch bad {
			case 0:
				d, why = new(big.Int), ScalarRange
			case 1:
				d, why = curve.Order, ScalarRange
			}
			put(bytes32(d)[:])
		case AddTweaks, CheckTweaks:
			tweak := reference.Secret(r)
			switch bad {
			case 0:
				tweak, why = curve.Order, ScalarRange
			case 2:
				if tweak, why = new(big.Int).Sub(curve.Order, d), Infinity; kind == CheckTweaks {
					why = WrongOutput
				}
			case 3:
				tweak = d // the addition is a doubling
			}
			found = curve.Add(q, curve.ScalarMult(tweak, curve.G))
			x, parity := new(big.Int), byte(0)
			if why == NoReason && kind == CheckTweaks {
				switch x, parity = found.X, byte(found.Y.Bit(0)); bad {
				case 4:
					parity, why = 1-parity, WrongOutput
				case 5:
					x, why = q.X, WrongOutput
				}
			}
			if kind == CheckTweaks {
				key = key[1:]
			}
			put(bytes32(tweak)[:], key, bytes32(x)[:], []byte{parity})
		}
		s.why[i], s.found[i] = why, found
	}
	if s.columns = newColumns(call, Options{}); prepared {
		s.Key = func(i int) (*point.Affine, *vartime.SplitTable) { return points[i], tables[i] }
	}
	return s
}

var kinds = []Kind{
	Schnorr, ECDSA, device.Recover, device.Decompress, device.PublicKeys, AddTweaks, CheckTweaks,
}

// TestJob checks that jobs find the expected verdicts and points, for rows of every kind, at each
// level of CPU features. Each job is used again, for blocks that grow and shrink. It allocates
// memory only when it is made.
func TestJob(t *testing.T) {
	most := 130
	if !cputest.Deep() {
		most = 27
	}
	for k, kind := range append(kinds, Schnorr, ECDSA, AddTweaks) {
		r := rand.New(rand.NewPCG(1, uint64(kind)))
		all := newSamples(r, kind, most, k >= len(kinds))
		t.Run(fmt.Sprint(kind, "/", k), func(t *testing.T) {
			onLevels(t, func(t *testing.T) {
				j := newJob(most)
				j.scheme = all.scheme
				for _, n := range []int{most, 0, 1, 2, 7, 8, 9, 15, 16, 17, 27, most / 2, 1} {
					start := r.IntN(most - n + 1)
					all.check(t, j, start, start+n)
				}
				if n := testing.AllocsPerRun(3, func() { j.run(j.parse(all.columns, 0, most)) }); n != 0 {
					t.Errorf("%v allocations", n)
				}
			})
		})
	}
}

// check checks what the job j finds for the rows from lo to hi.
func (s *samples) check(t *testing.T, j *job, lo, hi int) {
	t.Helper()
	block := j.parse(s.columns, lo, hi)
	j.run(block)
	for i, r := range block {
		why := s.why[lo+i]
		want := why.Verdict()
		if why == NoReason {
			want = Valid
		}
		if r.reason != why || r.verdict != want {
			t.Errorf("row %d: %d, %d, want %d, %d", lo+i, r.verdict, r.reason, want, why)
		}
		if want == Valid && ResultSize(s.Kind) > 0 && r.p != *vartimetest.Affine(s.found[lo+i]) {
			t.Errorf("row %d: point %x, want %v", lo+i, r.p, s.found[lo+i])
		}
	}
}

// TestNoKind checks that rows of kinds without a scheme stay Unchecked: a kind that was never set
// must not choose how signatures are judged.
func TestNoKind(t *testing.T) {
	ctx := context.Background()
	all := newSamples(rand.New(rand.NewPCG(5, 5)), ECDSA, 9, false)
	for _, kind := range []Kind{
		0, device.Recover, device.Decompress, device.PublicKeys, device.AllECDSA, 255,
	} {
		c := all.Call
		c.Kind, c.Verdicts = kind, slices.Repeat([]Verdict{Valid}, c.Rows)
		reasons := slices.Repeat([]Reason{HighS}, c.Rows)
		if schemeOf(kind) == nil {
			_, err := Do(ctx, &c, Options{Reasons: reasons})
			if err == nil || slices.Max(c.Verdicts) != Unchecked || slices.Max(reasons) != NoReason {
				t.Errorf("kind %v: %v, %v, %v", kind, c.Verdicts, reasons, err)
			}
		}
		if ok, err := All(ctx, &c, Options{}); ok || err == nil {
			t.Errorf("kind %v: All returns %v, %v", kind, ok, err)
		}
	}
}
