package contract

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/mutant"
	"github.com/koblitz-go/koblitz/_asm/interp/proof"
	"github.com/koblitz-go/koblitz/_asm/kernels"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// symbols are the forms of a kernel's arguments and results, for one run.
type symbols struct {
	*proof.Run
	machine *instance
	call    *Call
	runner  *Runner
	in      map[string][]*proof.Form // words of the buffers when the run began
	lane    int                      // lane that is followed, of a kernel that computes in lanes
	state   []*proof.Form            // words that the current round of the loop began with
}

// region returns the name of the buffer that owns the memory of the buffer with the given name.
func (s *symbols) region(name string) string {
	for _, b := range s.call.Buffers {
		if b.Param == name && b.Same != "" {
			return b.Same
		}
	}
	return name
}

// before returns the number in four words of a buffer when the run began.
func (s *symbols) before(name string, at int) *proof.Form {
	return proof.Join(64, s.in[s.region(name)][at:at+4]...)
}

// words returns the words of a buffer now.
func (s *symbols) words(name string, at, n int) []*proof.Form {
	out := make([]*proof.Form, n)
	for k := range out {
		out[k] = s.Word(s.machine.regions[name].Address() + uint64(8*(at+k)))
	}
	return out
}

// result returns the kernel's result, which must be constant.
func (s *symbols) result(name string) uint64 {
	at, err := s.runner.offset(name)
	if err != nil {
		panic(err)
	}
	v, err := s.machine.machine.Result(at)
	if err != nil {
		panic(err)
	}
	return v
}

// A claim is what a kernel computes: for each output, the numbers in successive groups of four
// words. want returns these numbers modulo the ring's modulus, from the numbers in the inputs.
type claim struct {
	ring Ring
	// lanes says that the kernel computes in lanes, on numbers of five limbs.
	lanes bool
	// inputs and outputs list the buffers, and how many numbers each holds.
	inputs, outputs []numbersIn
	want            func(in []*big.Int) []*big.Int
	// set, if not nil, chooses inputs for which the claim holds.
	set func() []*big.Int
	// result is the name of the result that tells whether the kernel gave up, and gives that value.
	result      string
	gaveUp, did uint64
	// rounds is the name of the argument with the number of rounds. The first output is then the
	// state of the loop, which the first input begins.
	rounds string
	// factor is the name of an argument that is passed by value, from 0 to 16. The results are to be
	// multiplied by it.
	factor string

	most  int // if not 0: number of sums that one proof may compute
	steps int // greatest number of sums that one proof has computed
}

type numbersIn struct {
	buffer string
	count  int
}

// size returns the number of words of a number.
func (c *claim) size() int {
	if c.lanes {
		return 5
	}
	return 4
}

func (c *claim) join(words []*proof.Form) (out []*proof.Form) {
	bits := uint(64)
	if c.lanes {
		bits = 52
	}
	for k := 0; k < len(words); k += c.size() {
		out = append(out, proof.Join(bits, words[k:k+c.size()]...))
	}
	return out
}

// check proves that the numbers out are what the claim says for the numbers in.
func (c *claim) check(s *symbols, in, out []*proof.Form) error {
	if c.most > 0 {
		s.Most = c.most
	}
	defer func() { c.steps = max(c.steps, s.Steps) }()
	for k, f := range out {
		err := s.Congruent(f, c.ring.Modulus, func(p *proof.Point) *big.Int {
			if c.set != nil {
				for j, x := range c.set() {
					p.Set(in[j], x)
				}
			}
			v := make([]*big.Int, len(in))
			for j, f := range in {
				v[j] = p.Value(f)
			}
			return new(big.Int).Mod(c.want(v)[k], c.ring.Modulus)
		})
		if err != nil {
			return fmt.Errorf("number %d: %w", k, err)
		}
		if c.ring.Canonical {
			hi := new(big.Int).Sub(c.ring.Modulus, big.NewInt(1))
			if err := s.Between(f, new(big.Int), hi); err != nil {
				return fmt.Errorf("number %d: %w", k, err)
			}
		}
	}
	return nil
}

// follow runs the kernel on the arguments of the call. Jump number turn goes the other way.
// atLoop, if not nil, is called before each jump of a loop.
func (r *Runner) follow(c *Call, turn, lane int, atLoop func(s *symbols, i *interp.Inst) error) (s *symbols, err error) {
	x, err := r.instance(c)
	if err != nil {
		return nil, err
	}
	if err := r.load(x, r.program, c); err != nil {
		return nil, err
	}
	run, stop := proof.Follow(x.machine)
	defer stop()
	s = &symbols{Run: run, machine: x, call: c, runner: r, lane: lane,
		in: map[string][]*proof.Form{}}
	run.Turn = turn
	bounds, lanes := laneRanges[r.program.Name]
	for _, b := range c.Buffers {
		for k := range b.In {
			if b.Same == "" && lanes {
				at := x.regions[b.Param].Address() + uint64(8*k)
				if k%Lanes != lane {
					run.Ignore(at)
					continue
				}
				bits := uint(52)
				if k/Lanes%5 == 4 {
					bits = bounds.Top
				}
				run.HoldBits(fmt.Sprintf("%s%d", b.Param, k), at, bits)
				s.in[b.Param] = append(s.in[b.Param], run.Word(at))
			} else if b.Same == "" {
				at := x.regions[b.Param].Address() + uint64(8*k)
				run.HoldWord(fmt.Sprintf("%s%d", b.Param, k), at)
				s.in[b.Param] = append(s.in[b.Param], run.Word(at))
			}
		}
	}
	var bad error
	if atLoop != nil {
		run.Loop = func(i *interp.Inst) {
			if err := atLoop(s, i); err != nil && bad == nil {
				bad = err
			}
		}
	}
	if err := x.machine.Run(); err != nil {
		return s, err
	}
	return s, bad
}

// fault plants one error: it makes the runner prove things about the program p.
func (r *Runner) fault(p *interp.Program) *Runner {
	return &Runner{p, r.constantTime, r.machines, r.offsets}
}

// proven has the forms of proven claims, so that a kernel that computes the same for two ways to
// share memory is proven once.
type proven map[string]bool

// prove proves the claim for the kernel of r, along the path of the call's run, and along every path
// that leaves it.
func (c *claim) prove(r *Runner, call *Call, lane int, done proven) (paths int, err error) {
	s, err := r.follow(call, 0, lane, nil)
	if err != nil {
		return 0, err
	}
	in, out := c.join(c.first(s)), c.join(c.last(s))
	if key := s.Text(append(slices.Clone(in), out...)); !done[key] {
		if err := c.check(s, in, out); err != nil {
			return 0, err
		}
		done[key] = true
	}
	paths = 1
	for turn := 1; turn <= s.Jumps; turn++ {
		t, err := r.follow(call, turn, lane, nil)
		if err != nil {
			return paths, fmt.Errorf("turn %d: %w", turn, err)
		}
		if got := t.result(c.result); got != c.gaveUp {
			return paths, fmt.Errorf("turn %d: the result is %d", turn, got)
		}
		for _, b := range call.Buffers {
			for k := range b.In {
				if b.Same == "" && t.words(b.Param, k, 1)[0] != t.in[b.Param][k] {
					return paths, fmt.Errorf("turn %d: word %d of %s has changed", turn, k, b.Param)
				}
			}
		}
		paths++
	}
	return paths, nil
}

func (c *claim) first(s *symbols) (words []*proof.Form) {
	for _, x := range c.inputs {
		words = append(words, s.in[s.region(x.buffer)][:c.size()*x.count]...)
	}
	return words
}

func (c *claim) last(s *symbols) (words []*proof.Form) {
	for _, x := range c.outputs {
		if !c.lanes {
			words = append(words, s.words(x.buffer, 0, 4*x.count)...)
			continue
		}
		for k := range 5 * x.count {
			words = append(words, s.words(x.buffer, Lanes*k+s.lane, 1)...)
		}
	}
	return words
}

// induct proves the claim for a loop, by induction. one and two are calls with one and two rounds.
// The places that hold the state are those that hold the results when the only round of the first
// call ends. When the first of two rounds ends, the words in these places must be what the claim
// says of the inputs. Then every other number is forgotten, and these words are replaced by any
// others: the second round begins with them, and must do what the claim says.
func (c *claim) induct(r *Runner, one, two *Call, lane int) error {
	// The loop is the one whose jump runs more often if there are two rounds.
	jumps := map[*interp.Inst]int{}
	for k, call := range []*Call{one, two} {
		x, err := r.instance(call)
		if err == nil {
			err = r.load(x, r.program, call)
		}
		if err != nil {
			return err
		}
		x.machine.Turn = func(i *interp.Inst, taken bool) bool {
			jumps[i] += 2*k - 1
			return taken
		}
		err = x.machine.Run()
		x.machine.Turn = nil
		if err != nil {
			return err
		}
	}
	var end map[proof.Place]*proof.Form
	s, err := r.follow(one, 0, lane, func(s *symbols, i *interp.Inst) error {
		if jumps[i] > 0 && end == nil {
			end = s.Forms()
		}
		return nil
	})
	if err != nil {
		return err
	}
	places := map[proof.Place]int{}
	for k, w := range c.last(s) {
		found := false
		for at, f := range end {
			if f.Key() == w.Key() {
				places[at], found = k, true
			}
		}
		if !found {
			return errNoPlace
		}
	}
	rounds := 0
	s, err = r.follow(two, 0, lane, func(s *symbols, i *interp.Inst) error {
		if jumps[i] == 0 {
			return nil
		}
		if rounds++; rounds > 1 {
			return nil
		}
		now := s.Forms()
		n := len(c.last1())
		state := make([]*proof.Form, n)
		fresh := make([]*proof.Form, n)
		for at, k := range places {
			switch f := now[at]; {
			case f == nil:
				return fmt.Errorf("place %v holds nothing", at)
			case state[k] == nil:
				state[k] = f
				bits := uint(64)
				if c.lanes {
					var ok bool
					if bits, ok = s.Size(f); !ok {
						return fmt.Errorf("word %d may be negative", k)
					}
				}
				fresh[k] = s.Input(fmt.Sprintf("state%d", k), bits, f.Now())
			case state[k].Key() != f.Key():
				return fmt.Errorf("place %v holds another number", at)
			}
		}
		if err := c.check(s, c.join(c.first(s)), c.join(state)); err != nil {
			return fmt.Errorf("round 1: %w", err)
		}
		forms := map[proof.Place]*proof.Form{}
		for at, k := range places {
			forms[at] = fresh[k]
		}
		s.Run.Forget(forms)
		s.state = fresh
		return nil
	})
	if err != nil {
		return err
	}
	if err := c.check(s, c.join(s.state), c.join(c.last(s))); err != nil {
		return fmt.Errorf("round 2: %w", err)
	}
	return nil
}

// errNoPlace says that the state of a loop is not its result.
var errNoPlace = errors.New("no place holds the result when the round ends")

// unroll proves the claim for the call, which has the given number of rounds.
func (c claim) unroll(r *Runner, call *Call, rounds, lane int) error {
	once := c.want
	c.want = func(in []*big.Int) []*big.Int {
		out := slices.Clone(in)
		for range rounds {
			out = once(out)
		}
		return out
	}
	_, err := c.prove(r, call, lane, proven{})
	return err
}

// last1 returns as many entries as there are words of results.
func (c *claim) last1() []struct{} {
	n := 0
	for _, x := range c.outputs {
		n += c.size() * x.count
	}
	return make([]struct{}, n)
}

func one(name string) []numbersIn { return []numbersIn{{name, 1}} }

// registerClaims has the claims of the kernels that compute in general registers of amd64. Those of
// arm64 and riscv64 have the same.
var registerClaims = map[string]claim{
	"field.mulADX": {ring: Field(), inputs: []numbersIn{{"a", 1}, {"b", 1}}, outputs: one("v"),
		want: productOf},
	"scalar.mulADX": {ring: Scalars(), inputs: []numbersIn{{"a", 1}, {"b", 1}}, outputs: one("v"),
		want: productOf},
	"scalar.squareADX": {ring: Scalars(), inputs: one("a"), outputs: one("v"), want: squareOf},
	"field.squareNADX": {ring: Field(), inputs: one("a"), outputs: one("v"), want: squareOf,
		rounds: "n"},
	"field.squareNVartimeADX": {ring: Field(), inputs: one("a"), outputs: one("v"), want: squareOf,
		rounds: "n", result: "ok", did: 1},
	"point.rescaleADX": {ring: Field(), inputs: []numbersIn{{"q", 2}, {"s", 1}, {"ratio", 1}},
		outputs: []numbersIn{{"q", 2}, {"s", 1}}, want: rescaled},
}

func productOf(in []*big.Int) []*big.Int { return []*big.Int{new(big.Int).Mul(in[0], in[1])} }
func squareOf(in []*big.Int) []*big.Int  { return []*big.Int{new(big.Int).Mul(in[0], in[0])} }

// halved returns the coordinates of a with Z times k.
func (a Jacobian) times(k *big.Int) []*big.Int {
	return []*big.Int{mulP(a.X, k, k), mulP(a.Y, k, k, k), mulP(a.Z, k)}
}

var half = new(big.Int).ModInverse(big.NewInt(2), reference.P())

func doubled(in []*big.Int) []*big.Int {
	return Jacobian{in[0], in[1], in[2]}.Double().times(half)
}

func chord(in []*big.Int) []*big.Int {
	return Jacobian{in[0], in[1], in[2]}.Chord(Jacobian{in[3], in[4], in[5]}).times(big.NewInt(1))
}

func chordMixed(in []*big.Int) []*big.Int {
	return chord(append(slices.Clone(in), big.NewInt(1)))
}

func chordScaled(in []*big.Int) []*big.Int {
	s := in[5]
	return chord([]*big.Int{in[0], in[1], in[2], mulP(in[3], s, s), mulP(in[4], s, s, s), big.NewInt(1)})
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
	run := oracles[id(k)](source(33, k), 60, false)
	for at, x := range run {
		n := slices.IndexFunc(x.Numbers, func(n Number) bool { return n.Param == c.rounds })
		if n >= 0 {
			x.Numbers[n].Value = rounds
		}
		if c.result != "" && at%4 != 0 || strings.Contains(x.Name, "aimed") && at%4 != 0 {
			continue
		}
		if !seen[x.shape()] {
			seen[x.shape()] = true
			calls = append(calls, x)
		}
	}
	return calls
}

// followed returns the lanes that are followed. All instructions of a kernel compute the same in each
// lane of a register. At the levels with registers of four lanes, each half of the lanes has its own
// instructions.
func (c *claim) followed(k *kernels.Kernel) []int {
	if c.lanes && strings.HasSuffix(k.Name, "256") {
		return []int{0, 4}
	}
	return []int{0}
}

// laneClaims has the claims of the lane kernels of the level IFMA. Those of the other levels have the
// same.
var laneClaims = map[string]claim{
	"lanes.mulIFMA":     {inputs: []numbersIn{{"a", 1}, {"b", 1}}, outputs: one("v"), want: productOf},
	"lanes.squareNIFMA": {inputs: one("a"), outputs: one("v"), want: squareOf, rounds: "n"},
	"lanes.addIFMA": {inputs: []numbersIn{{"a", 1}, {"b", 1}}, outputs: one("v"),
		want: func(in []*big.Int) []*big.Int { return []*big.Int{addP(in[0], in[1])} }},
	"lanes.mulSmallIFMA": {inputs: one("a"), outputs: one("v"), factor: "k",
		want: func(in []*big.Int) []*big.Int { return slices.Clone(in) }},
	"lanes.subIFMA": {inputs: []numbersIn{{"a", 1}, {"b", 1}}, outputs: one("v"),
		want: func(in []*big.Int) []*big.Int { return []*big.Int{subP(in[0], in[1])} }},
	"lanes.doubleNIFMA": {inputs: []numbersIn{{"q", 3}}, outputs: []numbersIn{{"p", 3}},
		want: func(in []*big.Int) []*big.Int {
			return Jacobian{in[0], in[1], in[2]}.Double().times(big.NewInt(1))
		}, rounds: "n"},
	"lanes.squareNPairIFMA": {inputs: []numbersIn{{"a", 2}}, outputs: []numbersIn{{"v", 2}},
		want: func(in []*big.Int) []*big.Int {
			return []*big.Int{mulP(in[0], in[0]), mulP(in[1], in[1])}
		}, rounds: "n"},
	"lanes.addAffineIFMA": {inputs: []numbersIn{{"a", 2}, {"b", 2}, {"inv", 1}},
		outputs: []numbersIn{{"p", 2}}, want: func(x []*big.Int) []*big.Int {
			l := mulP(subP(x[3], x[1]), x[4])
			x3 := subP(subP(mulP(l, l), x[0]), x[2])
			return []*big.Int{x3, subP(mulP(l, subP(x[0], x3)), x[1])}
		}},
	"lanes.addCoZIFMA": {inputs: []numbersIn{{"q", 2}, {"d", 2}}, outputs: []numbersIn{{"p", 5}},
		want: coZ},
	"lanes.addMixedIFMA": {inputs: []numbersIn{{"q", 3}, {"a", 2}}, outputs: []numbersIn{{"p", 3}},
		want: chordMixed},
	"lanes.addJacobianIFMA": {inputs: []numbersIn{{"q", 3}, {"r", 3}}, outputs: []numbersIn{{"p", 3}},
		want: chord},
}

// claims returns the claims by package and name of the kernel.
func claims() map[string]claim {
	all := maps.Clone(registerClaims)
	for name, c := range registerClaims {
		all[strings.TrimSuffix(name, "ADX")+"A64"] = c
		all[strings.TrimSuffix(name, "ADX")+"RV64"] = c
	}
	for name, c := range laneClaims {
		c.lanes, c.ring = true, Field()
		for _, level := range []string{"IFMA", "IFMA256", "FMA512", "FMA256"} {
			all[strings.TrimSuffix(name, "IFMA")+level] = c
		}
	}
	return all
}

// proveAll proves the claim for the kernel k, which run runs, and for all ways to share memory. It
// returns the number of paths.
func (c *claim) proveAll(k *kernels.Kernel, run *Runner) (paths int, err error) {
	defer func() {
		switch f := recover().(type) {
		case nil:
		case *interp.Fault: // a result was never written
			err = f
		default:
			panic(f)
		}
	}()
	if c.factor != "" {
		return c.proveFactors(k, run)
	}
	done := proven{}
	one := provable(k, c, 1)
	c.steps = 0
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
		err := c.induct(run, one[at], two, 0)
		if errors.Is(err, errNoPlace) {
			err = errors.Join(c.unroll(run, two, 2, 0), c.unroll(run, provable(k, c, 3)[at], 3, 0))
		}
		if err != nil {
			return paths, err
		}
	}
	return paths, nil
}

// proveFactors proves the claim for every value of its factor.
func (c *claim) proveFactors(k *kernels.Kernel, run *Runner) (paths int, err error) {
	for v := range 17 {
		d := *c
		d.factor = ""
		d.want = func(in []*big.Int) []*big.Int {
			out := c.want(in)
			for j := range out {
				out[j] = timesP(int64(v), out[j])
			}
			return out
		}
		for _, call := range provable(k, &d, 1) {
			call.Numbers[0].Value = uint64(v)
			for _, lane := range d.followed(k) {
				n, err := d.prove(run, call, lane, proven{})
				if err != nil {
					return paths, fmt.Errorf("times %d: %w", v, err)
				}
				paths += n
			}
		}
	}
	return paths, nil
}

// TestClaims proves the claim of every kernel that has one. The other kernels must be listed in
// unproven.
func TestClaims(t *testing.T) {
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
			paths, err := c.proveAll(k, NewRunner(program(t, k), k.ConstantTime))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d paths", paths)
		})
		delete(claims, id(k))
	}
	for name := range claims {
		t.Errorf("no kernel %s", name)
	}
}

// unproven returns the reason why the kernel k has no claim, or "".
func unproven(k *kernels.Kernel) string {
	for _, x := range [][2]string{
		{`^point\.(double|add)`, "signed limbs: the cases of their carries are too many yet"},
		{`^lanes\.(normalize|isZero|selectLanes|condNeg|mulScalar)`, "no rules for masks yet"},
		{`^lanes\.(pack|unpack|splitOdd)`, "no rules for the order of lanes yet"},
		{`^(sums|blocks|eisenstein|parallel|msm)\.`, "no rules for the order of lanes yet"},
		{`^ecmult\.`, "reads tables; the calls compare every entry"},
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

// TestClaimFaults plants errors in the kernels that have claims. An error is found if the claim is not
// proven, or, for a lane kernel, if its ranges are not. No error that is not found may change a
// result of the calls of the kernel's oracle.
func TestClaimFaults(t *testing.T) {
	claims, all := claims(), kernels.All()
	var found, planted atomic.Int64
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
				mutants := mutant.All(run.Program())
				switch {
				case deep():
				case k.Package == "scalar": // proofs of canonical results take seconds
					mutants = some(mutants, 2)
				default:
					mutants = some(mutants, 4)
				}
				// A proof that needs twice as long as that for the kernel counts as failed.
				if _, err := c.proveAll(k, run); err != nil {
					t.Fatal(err)
				}
				c.most = 2 * c.steps
				calls := oracles[id(k)](source(12, k), mutantCalls, false)
				var alive []mutant.Mutant
				for _, m := range mutants {
					q, err := run.program.Replace(m.Index, m.Instruction)
					if err != nil {
						continue
					}
					planted.Add(1)
					one := run.fault(q)
					_, err = c.proveAll(k, one)
					if bounds, ok := laneRanges[k.Name]; err == nil && ok {
						_, err = run.Ranges(q, rangeCalls(id(k), 1)[0], bounds.LaneBounds)
					}
					if err != nil {
						found.Add(1)
						continue
					}
					alive = append(alive, m)
					if run.reveals(q, calls) {
						t.Errorf("proven, but wrong: %v", &m)
					}
				}
				t.Logf("%d of %d planted errors are proven to be none:\n%v", len(alive), len(mutants), List(alive))
			})
		}
	})
	t.Logf("%d of %d planted errors are found", found.Load(), planted.Load())
}
