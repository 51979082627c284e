package engine

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/blocks"
)

var curve = reference.Secp256k1()

func bytes32(x *big.Int) *[32]byte { return (*[32]byte)(x.FillBytes(make([]byte, 32))) }

func bytes64(x, y *big.Int) *[64]byte {
	return (*[64]byte)(append(x.FillBytes(make([]byte, 32)), y.FillBytes(make([]byte, 32))...))
}

func affine(p reference.Point) *point.Affine {
	var a point.Affine
	a.X.SetBytes(bytes32(p.X))
	a.Y.SetBytes(bytes32(p.Y))
	return &a
}

// A sample is a row with what must come of it: computed by the reference.
type sample struct {
	row  Row
	want Verdict
	key  reference.Point // for recovery and decompression
}

func inOrder(r *rand.Rand) *big.Int {
	for {
		if k := reference.RandInt(r); k.Sign() > 0 && k.Cmp(curve.Order) < 0 {
			return k
		}
	}
}

// setKey sets the key q in one of the three forms that there are.
func setKey(r *rand.Rand, row *Row, q reference.Point) {
	switch r.IntN(4) {
	case 0:
		row.SetKey(affine(q), nil)
	case 1:
		comb := vartime.NewComb(affine(q), []int{1 << 10, 2 << 10}[r.IntN(2)])
		row.SetKey(affine(q), &comb)
	case 2:
		row.SetKeyUncompressed((*[65]byte)(append(append([]byte{4}, bytes32(q.X)[:]...), bytes32(q.Y)[:]...)))
	default:
		row.SetKeyCompressed((*[33]byte)(append([]byte{2 | byte(q.Y.Bit(0))}, bytes32(q.X)[:]...)))
	}
}

// samples returns so many rows of a kind, about a third of them bad.
func samples(r *rand.Rand, kind Kind, n int) []sample {
	list := make([]sample, n)
	for i := range list {
		s := &list[i]
		d, nonce, hash := inOrder(r), inOrder(r), bytes32(reference.RandInt(r))[:]
		q := curve.ScalarMult(d, curve.G)
		rr, ss, id, ok := reference.SignECDSA(d, hash, nonce)
		if !ok {
			panic("no signature")
		}
		s.want, s.key = Valid, q
		bad := r.IntN(6)
		noPoint, _ := new(big.Int).SetString("5", 10) // no point has this x coordinate
		switch kind {
		case ECDSA:
			if bad == 0 {
				ss = new(big.Int).Add(ss, big.NewInt(1))
				s.want = Invalid
				if ss.Cmp(curve.Order) == 0 {
					s.want = Malformed
				}
			}
			setKey(r, &s.row, q)
			if bad == 1 {
				s.want = Malformed
				s.row.SetKeyCompressed((*[33]byte)(append([]byte{2}, bytes32(noPoint)[:]...)))
			}
			low := r.IntN(2) == 0
			s.row.SetECDSA(hash, bytes64(rr, ss), low)
			if low && s.want == Valid && ss.Cmp(new(big.Int).Rsh(curve.Order, 1)) > 0 {
				s.want = Invalid
			}
		case Schnorr:
			sig, _ := reference.SignBIP340(d, hash, make([]byte, 32))
			if bad == 0 {
				s.want = Invalid
				hash[3] ^= 1
			}
			setKey(r, &s.row, q)
			if r.IntN(2) == 0 {
				s.row.SetKeyX(bytes32(q.X))
			}
			if s.row.lift {
				s.row.odd = false // x-only
			}
			if bad == 1 {
				s.want = Malformed
				s.row.SetKeyX(bytes32(noPoint))
			}
			s.row.SetSchnorr(hash, (*[64]byte)(sig))
		case Recover:
			switch bad {
			case 0:
				rr, s.want = noPoint, Invalid
			case 1:
				id, s.want = 4, Malformed
			case 2: // s·R = z·G
				z := new(big.Int).SetBytes(hash)
				ss = new(big.Int).Mul(z, new(big.Int).ModInverse(nonce, curve.Order))
				if ss.Mod(ss, curve.Order).Sign() == 0 {
					s.want = Malformed
				} else {
					s.want = Invalid
				}
			}
			s.row.SetRecover(hash, (*[65]byte)(append(bytes64(rr, ss)[:], byte(id))), false)
		case Decompress:
			b := append([]byte{2 | byte(q.Y.Bit(0))}, bytes32(q.X)[:]...)
			switch bad {
			case 0:
				b[0], s.want = 7, Malformed
			case 1:
				b, s.want = append([]byte{3}, bytes32(noPoint)[:]...), Malformed
			}
			s.row.SetKeyCompressed((*[33]byte)(b))
		case PublicKeys:
			b := bytes32(d)
			switch bad {
			case 0:
				b, s.want = new([32]byte), Malformed
			case 1:
				b, s.want = bytes32(curve.Order), Malformed
			}
			s.row.SetScalar(b)
		}
	}
	return list
}

var (
	kinds = []Kind{Schnorr, ECDSA, Recover, Decompress, PublicKeys}
	names = map[Kind]string{Schnorr: "Schnorr", ECDSA: "ECDSA", Recover: "Recover", Decompress: "Decompress", PublicKeys: "PublicKeys"}
)

// engines are the ways of running a job, whatever the CPU has.
var engines = map[string]func(j *Job){
	"portable": func(j *Job) { j.lanes = nil },
	"lanes":    func(j *Job) { j.lanes = blocks.NewLanes(j.Cap()) },
	"chosen":   func(j *Job) {},
}

// Every engine on rows of every kind, in jobs that are used again, with sizes up
// and down.
func TestJob(t *testing.T) {
	most := 130
	if testing.Short() {
		most = 20
	}
	t.Log(cpu.Implementations())
	for _, kind := range kinds {
		r := rand.New(rand.NewPCG(1, uint64(kind)))
		all := samples(r, kind, most)
		for engine, set := range engines {
			t.Run(names[kind]+"/"+engine, func(t *testing.T) {
				j := NewJob(kind, most)
				set(j)
				for _, n := range []int{most, 0, 1, 2, 7, 8, 9, 15, 16, 17, most / 2, 1} {
					start := r.IntN(most - n + 1)
					rows := all[start : start+n]
					j.Reset(n)
					for _, at := range r.Perm(n) {
						j.Append(&rows[at].row, at)
					}
					j.Run()
					check(t, j, rows)
				}
			})
		}
	}
}

func check(t *testing.T, j *Job, rows []sample) {
	t.Helper()
	got := slices.Clone(j.Verdicts())
	if len(got) != len(rows) {
		t.Fatalf("%d verdicts on %d rows", len(got), len(rows))
	}
	for i, s := range rows {
		if got[i] != s.want {
			t.Errorf("row %d of %d: verdict %d, want %d", i, len(rows), got[i], s.want)
		}
	}
	if j.kind != Recover && j.kind != Decompress && j.kind != PublicKeys {
		return
	}
	seen := make([]bool, len(rows))
	for i, p := range j.Points {
		if seen[i] || rows[i].want != Valid || *p != *affine(rows[i].key) {
			t.Errorf("row %d of %d: point %x, want %v", i, len(rows), *p, rows[i].key)
		}
		seen[i] = true
	}
	for i, s := range rows {
		if s.want == Valid && !seen[i] {
			t.Errorf("row %d of %d: no point", i, len(rows))
		}
	}
}

// Appending keeps the three parts of a job in their places, whatever the order.
func TestAppendOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	comb := new(vartime.Comb)
	for range 50 {
		const n = 20
		j := NewJob(ECDSA, n)
		j.Reset(n)
		kinds := make([]int, n)
		for i := range n {
			kinds[i] = r.IntN(4)
			row := Row{lift: kinds[i] == 0}
			switch kinds[i] {
			case 2:
				row.comb = comb
			case 3:
				row.verdict = Malformed
			}
			row.a.SetUint64(uint64(i))
			j.Append(&row, i)
		}
		seen := 0
		for i := range j.n {
			at := int(j.place[i])
			var a scalar.Scalar
			if want := (i >= j.lift) && (i < j.plain); (kinds[at] == 1) != want || (kinds[at] == 0) != (i < j.lift) ||
				(j.comb[i] != nil) != (i >= j.plain) || j.a[i] != *a.SetUint64(uint64(at)) {
				t.Fatalf("row %d, of kind %d, stands at %d of %d, %d, %d", at, kinds[at], i, j.lift, j.plain, j.n)
			}
			seen++
		}
		for i, v := range j.Verdicts() {
			if (v == Malformed) != (kinds[i] == 3) {
				t.Fatalf("row %d: verdict %d", i, v)
			}
			if v == Malformed {
				seen++
			}
		}
		if seen != n {
			t.Fatalf("%d rows of %d", seen, n)
		}
	}
}

// A job allocates when it is made, and not again.
func TestJobAllocations(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, kind := range kinds {
		all := samples(r, kind, 24)
		for name, set := range engines {
			j := NewJob(kind, 24)
			set(j)
			if n := testing.AllocsPerRun(3, func() {
				j.Reset(24)
				for i := range all {
					j.Append(&all[i].row, i)
				}
				j.Run()
				for range j.Points {
				}
			}); n != 0 {
				t.Errorf("kind %d, %s: %v allocations", kind, name, n)
			}
		}
	}
}
