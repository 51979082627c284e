package contract

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/big"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/mutant"
	"github.com/koblitz-go/koblitz/_asm/kernels"
)

func one(name string) []numbersIn { return []numbersIn{{name, 1}} }

// registerClaims holds the claims of the kernels that compute in general registers of amd64. The
// kernels of arm64 and riscv64 have the same claims.
var registerClaims = map[string]claim{
	"field.mulADX": {
		text: "v ≡ a·b modulo p",
		ring: Field(), inputs: []numbersIn{{"a", 1}, {"b", 1}}, outputs: one("v"),
		want: productOf,
	},
	"scalar.mulADX": {
		text: "v ≡ a·b modulo n, 0 ≤ v < n",
		ring: Scalars(), inputs: []numbersIn{{"a", 1}, {"b", 1}}, outputs: one("v"),
		want: productOf,
	},
	"scalar.squareADX": {
		text: "v ≡ a² modulo n, 0 ≤ v < n",
		ring: Scalars(), inputs: one("a"), outputs: one("v"), want: squareOf,
	},
	"field.squareNADX": {
		text: "v ≡ a^(2^n) modulo p",
		ring: Field(), inputs: one("a"), outputs: one("v"), want: squareOf, rounds: "n",
	},
	"field.squareNVartimeADX": {
		text: "v ≡ a^(2^n) modulo p, or v unchanged and the result false",
		ring: Field(), inputs: one("a"), outputs: one("v"), want: squareOf, rounds: "n",
		result: "ok", did: 1,
	},
	"point.doubleNADX": {
		text: "2^n·q by the formulas for doubling, modulo p",
		ring: Field(), inputs: []numbersIn{{"q", 3}}, outputs: []numbersIn{{"p", 3}},
		want: doubled, rounds: "n",
	},
	"point.doubleNVartimeADX": {
		text: "2^(n−left)·p by the formulas for doubling, modulo p; left > 0 if a doubling gave up",
		ring: Field(), inputs: []numbersIn{{"p", 3}}, outputs: []numbersIn{{"p", 3}},
		want: doubled, rounds: "n", result: "left", left: true,
	},
	"point.addMixedADX": {
		text: "q + a by the chord, modulo p",
		ring: Field(), inputs: []numbersIn{{"q", 3}, {"a", 2}}, outputs: []numbersIn{{"p", 3}},
		want: chordMixed,
	},
	"point.addMixedVartimeADX": {
		text: "q + a by the chord, modulo p, and H ≢ 0, or all arguments unchanged and the result false",
		ring: Field(), inputs: []numbersIn{{"q", 3}, {"a", 2}}, outputs: []numbersIn{{"p", 3}},
		want: chordMixed, nonzero: difference, result: "ok", did: 1,
	},
	"point.addScaledVartimeADX": {
		text: "q + (x·s², y·s³) by the chord, modulo p, and H ≢ 0, or all arguments unchanged and the " +
			"result false",
		ring: Field(), inputs: []numbersIn{{"q", 3}, {"a", 2}, {"s", 1}},
		outputs: []numbersIn{{"p", 3}}, want: chordScaled, nonzero: differenceScaled,
		result: "ok", did: 1,
	},
	"point.addADX": {
		text: "q + r by the chord, modulo p",
		ring: Field(), inputs: []numbersIn{{"q", 3}, {"r", 3}}, outputs: []numbersIn{{"p", 3}},
		want: chord,
	},
	"point.addVartimeADX": {
		text: "q + r by the chord, modulo p, and H ≢ 0, or all arguments unchanged and the result false",
		ring: Field(), inputs: []numbersIn{{"q", 3}, {"r", 3}}, outputs: []numbersIn{{"p", 3}},
		want: chord, nonzero: difference, result: "ok", did: 1,
	},
	"point.addCoZADX": {
		text: "q + d for points with a common denominator, modulo p",
		ring: Field(), inputs: []numbersIn{{"q", 2}, {"d", 2}},
		outputs: []numbersIn{{"r", 2}, {"d", 2}, {"ratio", 1}}, want: coZ,
	},
	"point.rescaleADX": {
		text: "q = (x·s², y·s³) and s·ratio modulo p",
		ring: Field(), inputs: []numbersIn{{"q", 2}, {"s", 1}, {"ratio", 1}},
		outputs: []numbersIn{{"q", 2}, {"s", 1}}, want: rescaled,
	},
}

func productOf(in []*big.Int) []*big.Int { return []*big.Int{new(big.Int).Mul(in[0], in[1])} }
func squareOf(in []*big.Int) []*big.Int  { return []*big.Int{new(big.Int).Mul(in[0], in[0])} }

// times returns the coordinates of a with Z times k.
func (a Jacobian) times(k *big.Int) []*big.Int {
	return []*big.Int{mulP(a.X, k, k), mulP(a.Y, k, k, k), mulP(a.Z, k)}
}

// difference returns H, the difference of the numerators of x, which is 0 if the points have the
// same x.
func difference(in []*big.Int) *big.Int {
	in = append(slices.Clone(in), big.NewInt(1)) // Z of an affine point
	u1, _, u2, _ := Jacobian{in[0], in[1], in[2]}.parts(Jacobian{in[3], in[4], in[5]})
	return subP(u2, u1)
}

func differenceScaled(in []*big.Int) *big.Int {
	x, s := in[3], in[5]
	return subP(mulP(x, s, s, in[2], in[2]), in[0])
}

func chord(in []*big.Int) []*big.Int {
	return Jacobian{in[0], in[1], in[2]}.Chord(Jacobian{in[3], in[4], in[5]}).times(big.NewInt(1))
}

func chordMixed(in []*big.Int) []*big.Int {
	return chord(append(slices.Clone(in), big.NewInt(1)))
}

// chordScaled adds a point with the coordinates x·s² and y·s³.
func chordScaled(in []*big.Int) []*big.Int {
	s, one := in[5], big.NewInt(1)
	b := Jacobian{mulP(in[3], s, s), mulP(in[4], s, s, s), one}
	return Jacobian{in[0], in[1], in[2]}.Chord(b).times(one)
}

// doubled returns 2·q with the Z coordinate Y·Z, half of that of [Jacobian.Double].
func doubled(in []*big.Int) []*big.Int {
	return Jacobian{in[0], in[1], in[2]}.Double().times(divP(big.NewInt(1), big.NewInt(2)))
}

func coZ(in []*big.Int) []*big.Int {
	x1, y1, x2, y2 := in[0], in[1], in[2], in[3]
	d, e := subP(x2, x1), subP(y2, y1)
	v1, v2 := mulP(x1, d, d), mulP(x2, d, d)
	x3 := subP(subP(mulP(e, e), v1), v2)
	s2 := mulP(y2, subP(v2, v1))
	y3 := subP(mulP(e, subP(v2, x3)), s2)
	return []*big.Int{x3, y3, v2, s2, d}
}

func rescaled(in []*big.Int) []*big.Int {
	x, y, s, ratio := in[0], in[1], in[2], in[3]
	return []*big.Int{mulP(x, s, s), mulP(y, s, s, s), mulP(s, ratio)}
}

// provable returns calls of the kernel k with all ways to share memory, and with the given number
// of rounds if the claim has rounds. Their inputs are random, so that no kernel gives up.
func provable(k *kernels.Kernel, c *claim, rounds uint64) (calls []*Call) {
	seen := map[string]bool{}
	run := oracles[id(k)](source(33, k), 400, false)
	for at, x := range run {
		n := slices.IndexFunc(x.Numbers, func(n Number) bool { return n.Param == c.rounds })
		if n >= 0 {
			x.Numbers[n].Value = rounds
		}
		random := c.result == "" || at%4 == 0
		if c.nonzero != nil {
			random = strings.HasPrefix(x.Name, "random")
		}
		if random && !seen[x.shape()] {
			seen[x.shape()] = true
			calls = append(calls, x)
		}
	}
	return calls
}

// TestShapes checks that claims are proven for all ways to share memory that calls have.
func TestShapes(t *testing.T) {
	claims, all := claims(), kernels.All()
	for at := range all {
		k := &all[at]
		c, ok := claims[id(k)]
		if !ok || c.each > 0 {
			continue
		}
		proven := map[string]bool{}
		for _, call := range provable(k, &c, 1) {
			proven[call.shape()] = true
		}
		for _, call := range oracles[id(k)](source(5, k), 200, false) {
			if !proven[call.shape()] {
				t.Errorf("%s is not proven for %s", id(k), call.shape())
				proven[call.shape()] = true
			}
		}
	}
}

// followed returns the lanes that are followed. All instructions of a kernel compute the same in
// each lane of a register, unless lanes move. At the levels with registers of four lanes, each half
// of the lanes has its own instructions.
func (c *claim) followed(k *kernels.Kernel) []int {
	if c.places != nil && c.mask == "" {
		return []int{0, 1, 2, 3, 4, 5, 6, 7}
	}
	if c.lanes && strings.HasSuffix(k.Name, "256") {
		return []int{0, 4}
	}
	return []int{0}
}

// laneClaims holds the claims of the lane kernels of the level IFMA. The kernels of the other
// levels have the same claims.
var laneClaims = map[string]claim{
	"lanes.mulIFMA": {
		text:   "v ≡ a·b modulo p, in each lane",
		inputs: []numbersIn{{"a", 1}, {"b", 1}}, outputs: one("v"), want: productOf,
	},
	"lanes.mulScalarIFMA": {
		text: "v ≡ a·b modulo n, 0 ≤ v < n, in each lane", ring: Scalars(), top: 48,
		inputs: []numbersIn{{"a", 1}, {"b", 1}}, outputs: one("v"), want: productOf,
	},
	"lanes.squareNIFMA": {
		text:   "v ≡ a^(2^n) modulo p for n from 1 to 3, in each lane",
		inputs: one("a"), outputs: one("v"), want: squareOf, rounds: "n",
	},
	"lanes.addIFMA": {
		text:   "v ≡ a + b modulo p, in each lane",
		inputs: []numbersIn{{"a", 1}, {"b", 1}}, outputs: one("v"),
		want: func(in []*big.Int) []*big.Int { return []*big.Int{addP(in[0], in[1])} },
	},
	"lanes.normalizeIFMA": {
		text: "v ≡ a modulo p, 0 ≤ v < p, in each lane", ring: Ring{Modulus: p, Canonical: true},
		inputs: one("a"), outputs: one("v"),
		want: func(in []*big.Int) []*big.Int { return slices.Clone(in) },
	},
	"lanes.mulSmallIFMA": {
		text:   "v ≡ k·a modulo p for k from 0 to 16, in each lane",
		inputs: one("a"), outputs: one("v"), number: "k", values: upTo(16),
		with: func(k uint64, in []*big.Int) []*big.Int { return []*big.Int{timesP(int64(k), in[0])} },
	},
	"lanes.selectLanesIFMA": {
		text:   "v ≡ a modulo p in the lanes that m selects, and v ≡ b in the others",
		places: inLane("a", "b"), choice: "m_bits",
		want: func(in []*big.Int) []*big.Int {
			return []*big.Int{addP(in[1], mulP(in[2], subP(in[0], in[1])))}
		},
	},
	"lanes.condNegIFMA": {
		text:   "v ≡ −a modulo p in the lanes that m selects, and v ≡ a in the others",
		places: inLane("a"), choice: "m_bits",
		want: func(in []*big.Int) []*big.Int {
			return []*big.Int{subP(in[0], timesP(2, mulP(in[0], in[1])))}
		},
	},
	"lanes.subIFMA": {
		text:   "v ≡ a − b modulo p, in each lane",
		inputs: []numbersIn{{"a", 1}, {"b", 1}}, outputs: one("v"),
		want: func(in []*big.Int) []*big.Int { return []*big.Int{subP(in[0], in[1])} },
	},
	"lanes.doubleNIFMA": {
		text:   "2^n·q by the formulas for doubling, in each lane",
		inputs: []numbersIn{{"q", 3}}, outputs: []numbersIn{{"p", 3}},
		want: func(in []*big.Int) []*big.Int {
			return Jacobian{in[0], in[1], in[2]}.Double().times(big.NewInt(1))
		},
		rounds: "n",
	},
	"lanes.squareNPairIFMA": {
		text:   "two powers a^(2^n) modulo p for n from 1 to 3, in each lane",
		inputs: []numbersIn{{"a", 2}}, outputs: []numbersIn{{"v", 2}},
		want: func(in []*big.Int) []*big.Int {
			return []*big.Int{mulP(in[0], in[0]), mulP(in[1], in[1])}
		},
		rounds: "n",
	},
	"lanes.addAffineIFMA": {
		text:   "a + b by the slope (yb − ya)·inv, in each lane",
		inputs: []numbersIn{{"a", 2}, {"b", 2}, {"inv", 1}}, outputs: []numbersIn{{"p", 2}},
		want: func(x []*big.Int) []*big.Int {
			l := mulP(subP(x[3], x[1]), x[4])
			x3 := subP(subP(mulP(l, l), x[0]), x[2])
			return []*big.Int{x3, subP(mulP(l, subP(x[0], x3)), x[1])}
		},
	},
	"lanes.addCoZIFMA": {
		text:   "q + d for points with a common denominator, in each lane",
		inputs: []numbersIn{{"q", 2}, {"d", 2}}, outputs: []numbersIn{{"p", 5}}, want: coZ,
	},
	"lanes.addMixedIFMA": {
		text:   "q + a by the chord, in each lane",
		inputs: []numbersIn{{"q", 3}, {"a", 2}}, outputs: []numbersIn{{"p", 3}}, want: chordMixed,
	},
	"lanes.addJacobianIFMA": {
		text:   "q + r by the chord, in each lane",
		inputs: []numbersIn{{"q", 3}, {"r", 3}}, outputs: []numbersIn{{"p", 3}}, want: chord,
	},
}

// claims returns the claims by package and name of the kernel.
func claims() map[string]claim {
	all := maps.Clone(registerClaims)
	for name, c := range registerClaims {
		all[strings.TrimSuffix(name, "ADX")+"A64"] = c
		all[strings.TrimSuffix(name, "ADX")+"RV64"] = c
	}
	rows := maps.Clone(rowClaims)
	maps.Copy(rows, laneClaims)
	for name, c := range rows {
		c.lanes, c.top = c.places == nil, cmp.Or(c.top, 49)
		if c.ring.Modulus == nil {
			c.ring = Field()
		}
		for _, level := range []string{"IFMA", "IFMA256", "FMA512", "FMA256"} {
			all[strings.TrimSuffix(name, "IFMA")+level] = c
		}
	}
	for _, name := range []string{"readPackedAVX2", "readAVX2", "readPackedAVX512", "readAVX512",
		"readRV64"} {
		all["ecmult."+name] = entry
	}
	all["ecmult.readDigitsAVX512"], all["ecmult.readDigitsAVX2"] = digitRead, digitRead
	for name, c := range parallelClaims {
		c.ring = Field()
		all[name], all[name+"256"] = c, c
	}
	return all
}

// proveAll proves the claim for the kernel k, which run runs, and for all ways to share memory. It
// returns the number of paths. A kernel without jumps has one path for each way to share memory.
func (c *claim) proveAll(k *kernels.Kernel, run *Runner) (paths int, err error) {
	defer stopped(&err)
	if c.number != "" {
		return c.proveValues(k, run)
	}
	done := proven{}
	c.steps = 0
	if c.each > 0 {
		for at, call := range oracles[id(k)](source(12, k), mutantCalls, false)[:c.each] {
			if _, err := c.prove(run, call, laneOfCall(at), done); err != nil {
				return paths, err
			}
			paths++
		}
		for _, lane := range c.loops {
			if err := c.steady(run, c.long(k, lane), manyRounds, lane); err != nil {
				return paths, err
			}
		}
		return paths, nil
	}
	one := provable(k, c, 1)
	if c.with != nil {
		for _, call := range one {
			call.Numbers[0].Value = c.value
		}
	}
	for _, call := range one {
		for _, lane := range c.followed(k) {
			n, err := c.prove(run, call, lane, done)
			if err != nil {
				return paths, err
			}
			paths += n
		}
	}
	if c.rounds == "" {
		return paths, nil
	}
	for at, two := range provable(k, c, 2) {
		for _, lane := range c.followed(k) {
			err := c.induct(run, one[at], provable(k, c, 3)[at], lane)
			if errors.Is(err, errNoPlace) {
				err = errors.Join(c.unroll(run, two, 2, lane),
					c.unroll(run, provable(k, c, 3)[at], 3, lane),
					c.steady(run, provable(k, c, manyRounds)[at], manyRounds, lane))
			}
			if err != nil {
				return paths, err
			}
		}
	}
	return paths, nil
}

// laneOfCall returns the lane that is followed in the call with the given number.
func laneOfCall(at int) int { return (at + at/Lanes) % Lanes }

// TestGroups checks that the claim of timesLambda is proven for both numbers of groups in each
// lane.
func TestGroups(t *testing.T) {
	k := kernel("timesLambdaIFMA")
	seen := map[[2]int]bool{}
	for at, call := range oracles[id(k)](source(12, k), mutantCalls, false)[:claims()[id(k)].each] {
		seen[[2]int{laneOfCall(at), call.number("groups")}] = true
	}
	if len(seen) != 2*Lanes {
		t.Errorf("proven for %v", seen)
	}
}

// stopped sets err to the fault that a proof has stopped with, such as a result that was never
// written.
func stopped(err *error) {
	switch f := recover().(type) {
	case nil:
	case *interp.Fault:
		*err = f
	default:
		panic(f)
	}
}

// proveValues proves the claim for every value of its number.
func (c *claim) proveValues(k *kernels.Kernel, run *Runner) (paths int, err error) {
	for _, v := range c.values {
		d := *c
		d.number, d.value = "", v
		d.want = func(in []*big.Int) []*big.Int { return c.with(v, in) }
		n, err := d.proveAll(k, run)
		if paths += n; err != nil {
			return paths, fmt.Errorf("for %s = %d: %w", c.number, v, err)
		}
	}
	return paths, nil
}

// upTo returns the numbers from 0 to n.
func upTo(n uint64) (out []uint64) {
	for v := range n + 1 {
		out = append(out, v)
	}
	return out
}

// inLane returns the places of a kernel that has an element in each buffer in, and leaves one in v.
func inLane(buffers ...string) func(c *Call, lane int) (in, out []number) {
	return func(_ *Call, lane int) (in, out []number) {
		for _, name := range buffers {
			in = append(in, limbsAt(name, lane, Lanes, 49))
		}
		return in, []number{limbsAt("v", lane, Lanes, 49)}
	}
}

// claimSteps holds the field steps of each claim that TestClaims has proven, by the program.
var claimSteps sync.Map

// TestClaims proves the claim of every kernel that has one. The other kernels must be listed in
// unproven.
func TestClaims(t *testing.T) {
	collectLess(t)
	claims, all := claims(), kernels.All()
	for at := range all {
		k := &all[at]
		c, ok := claims[id(k)]
		if reason := unproven(k); ok == (reason != "") {
			t.Errorf("%s: claim: %v, listed without one: %q", id(k), ok, reason)
		}
		if !ok {
			continue
		}
		t.Run(id(k), func(t *testing.T) {
			t.Parallel()
			run := NewRunner(program(t, k), k.ConstantTime)
			paths, err := c.proveAll(k, run)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d paths", paths)
			claimSteps.Store(run.program, c.steps)
		})
		delete(claims, id(k))
	}
	for name := range claims {
		t.Errorf("no kernel %s", name)
	}
}

// collectLess makes the garbage collector run less often until the test ends: proofs allocate much
// and keep little.
func collectLess(t *testing.T) {
	old := debug.SetGCPercent(400)
	t.Cleanup(func() { debug.SetGCPercent(old) })
}

// unproven returns the reason why the kernel k has no claim, or "".
func unproven(k *kernels.Kernel) string {
	for _, x := range [][2]string{
		{`^lanewise\.prefetch`, "prefetches rows; the calls compare their addresses"},
		{`^sums\.(digits|accumulate|sumRefs|halve)`, "moves references; not arithmetic modulo p"},
		{`^ecmult\.read(Round|Shared|(Packed)?A64)`,
			"reads tables; the calls compare every entry"},
		{`^divsteps\.`, "tests prove the matrices of portable code; calls compare with it"},
		{`^hash\.`, "not arithmetic modulo a prime"},
		{`^secret\.`, "clears registers; the interpreter checks it"},
	} {
		if regexp.MustCompile(x[0]).MatchString(id(k)) {
			return x[1]
		}
	}
	return ""
}

// judged holds the number of planted errors that are found, and a list of those that are not. The
// latter are wrong if they change the result of a call.
type judged struct {
	planted, found int
	alive, wrong   []mutant.Mutant
}

// judge judges mutants of the kernel of run. An error is found if prove fails.
func judge(
	run *Runner, mutants []mutant.Mutant, prove func(r *Runner) error, calls []*Call,
) (out judged) {
	for _, m := range mutants {
		q, err := run.program.Replace(m.Index, m.Instruction)
		if err != nil {
			continue
		}
		out.planted++
		if prove(run.fault(q)) != nil {
			out.found++
			continue
		}
		out.alive = append(out.alive, m)
		if run.reveals(q, calls) {
			out.wrong = append(out.wrong, m)
		}
	}
	return out
}

// prover returns a function that proves the claim for the kernel k, which run runs, with a planted
// error. A proof that needs twice as long as that for the kernel itself counts as failed.
func (c *claim) prover(t *testing.T, k *kernels.Kernel, run *Runner) func(r *Runner) error {
	t.Helper()
	prove := func(r *Runner) error {
		_, err := c.proveAll(k, r)
		return err
	}
	// TestClaims may have proven the claim of the same program.
	if steps, ok := claimSteps.Load(run.program); ok {
		c.steps = steps.(int)
	} else if err := prove(run); err != nil {
		t.Fatalf("the kernel itself is refused: %v", err)
	}
	c.most = max(2*c.steps, 1000)
	return prove
}

// TestClaimFaults plants errors in the kernels that have claims. An error is found if the claim is
// not proven. No error that is not found may change a result of the calls of the kernel's oracle.
// The kernel itself must be accepted.
func TestClaimFaults(t *testing.T) {
	collectLess(t)
	claims, all := claims(), kernels.All()
	var mutex sync.Mutex
	planted, found := 0, 0
	t.Run("kernels", func(t *testing.T) {
		for at := range all {
			k := &all[at]
			c, ok := claims[id(k)]
			if !ok {
				continue
			}
			t.Run(id(k), func(t *testing.T) {
				t.Parallel()
				run := NewRunner(program(t, k), k.ConstantTime)
				prove := c.prover(t, k, run)
				mutants := mutant.All(run.Program())
				switch {
				case deep() && (k.Package == "sums" || k.Package == "vector"): // long kernels
					mutants = some(mutants, 500)
				case deep():
				case c.ring.Modulus.Cmp(p) != 0 || k.Package == "point": // their proofs take seconds
					mutants = some(mutants, 1)
				default:
					mutants = some(mutants, 4)
				}
				x := judge(run, mutants, prove, oracles[id(k)](source(12, k), mutantCalls, false))
				for _, m := range x.wrong {
					t.Errorf("proven, but wrong: %v", &m)
				}
				t.Logf("%d found; %d of %d planted errors are proven to be none:\n%v", x.found,
					len(x.alive), x.planted, List(x.alive))
				mutex.Lock()
				defer mutex.Unlock()
				planted, found = planted+x.planted, found+x.found
			})
		}
	})
	t.Logf("%d errors planted; %d found", planted, found)
}

// TestClaimFaultsOff judges planted errors without a proof. None may count as found, and at least
// half of the errors must be listed as changing a result of the calls.
func TestClaimFaultsOff(t *testing.T) {
	for _, name := range []string{"subIFMA", "mulADX", "mulA64"} {
		k := kernel(name)
		run := NewRunner(program(t, k), k.ConstantTime)
		x := judge(run, some(mutant.All(run.Program()), 40), func(*Runner) error { return nil },
			oracles[id(k)](source(12, k), mutantCalls, false))
		if x.found > 0 || len(x.alive) != x.planted || len(x.wrong) < x.planted/2 {
			t.Errorf("%s: of %d, %d are found, and %d wrong", name, x.planted, x.found, len(x.wrong))
		}
	}
}

var update = flag.Bool("update", false, "write the kernels of docs/proofs.md")

// TestProofsDocument compares the list of kernels in docs/proofs.md with the claims.
func TestProofsDocument(t *testing.T) {
	const document = "../../../docs/proofs.md"
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	claims, all := claims(), kernels.All()
	var proven, other []string
	rows := map[string][]string{}
	for at := range all {
		k := &all[at]
		list, row := &proven, claims[id(k)].text
		if row == "" {
			list, row = &other, "not proven: "+unproven(k)
		}
		if rows[row] == nil {
			*list = append(*list, row)
		}
		rows[row] = append(rows[row], id(k))
	}
	var b strings.Builder
	for _, row := range append(proven, other...) {
		fmt.Fprintln(&b, row)
		line := "   "
		for _, name := range rows[row] {
			if len(line)+1+len(name) > 98 {
				fmt.Fprintln(&b, line)
				line = "   "
			}
			line += " " + name
		}
		fmt.Fprintln(&b, line)
	}
	block := regexp.MustCompile("(?s)(<!-- kernels -->\n```\n)(.*?)```")
	m := block.FindStringSubmatch(string(text))
	switch {
	case m == nil:
		t.Error("the document has no list of kernels")
	case m[2] == b.String():
	case *update:
		text := strings.Replace(string(text), m[0], m[1]+b.String()+"```", 1)
		if err := os.WriteFile(document, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("the list of kernels differs (go test -run TestProofsDocument -update writes it)")
	}
}
