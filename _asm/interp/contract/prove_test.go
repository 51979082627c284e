package contract

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/proof"
)

// symbols are the forms of a kernel's arguments and results, for one run.
type symbols struct {
	*proof.Run
	machine *instance
	call    *Call
	runner  *Runner
	in      map[string][]*proof.Form // words of the buffers when the run began
	lane    int                      // lane that is followed, of a kernel that computes in lanes
	rounds  int                      // rounds of the loop that have ended
	// all is the number of rounds, and left how many were left when the current round began.
	all, left *proof.Form
	loops     int           // how often the loop has begun: once for each half of the lanes
	jump      *interp.Inst  // the jump of the loop
	last      bool          // the round that has ended is the last one
	state     []*proof.Form // words that the current round of the loop began with
	// inputs and outputs are the numbers of a claim that has places.
	inputs  []*proof.Form
	outputs []number
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

// words returns the words of a buffer now.
func (s *symbols) words(name string, at, n int) []*proof.Form {
	out := make([]*proof.Form, n)
	for k := range out {
		out[k] = s.Word(s.machine.regions[name].Address() + uint64(8*(at+k)))
	}
	return out
}

// results returns the numbers of a claim that has places, as the kernel left them.
func (s *symbols) results() (out []*proof.Form) {
	for _, n := range s.outputs {
		words := make([]*proof.Form, len(n.at))
		for j, w := range n.at {
			words[j] = s.words(n.buffer, w, 1)[0]
		}
		out = append(out, proof.Join(n.bits, words...))
	}
	return out
}

// result returns the kernel's result, and reports whether it is the same for all inputs on the
// path.
func (s *symbols) result(name string) (value uint64, constant bool) {
	at, err := s.runner.offset(name)
	if err != nil {
		panic(err)
	}
	v, err := s.machine.machine.Result(at)
	if err != nil {
		panic(err)
	}
	return v, s.Constant(s.machine.machine.ArgumentAddress() + uint64(at))
}

// part returns the form of a result of less than 64 bits.
func (s *symbols) part(name string) *proof.Form {
	return s.Part(s.argument(name))
}

// A claim says which numbers a kernel computes. Each output holds numbers in successive groups of
// four words. want returns these numbers modulo the ring's modulus, from the numbers in the inputs.
type claim struct {
	text string // what the claim says, for readers
	ring Ring
	// lanes says that the kernel computes in lanes, on numbers of five limbs. The highest limb of
	// each is below 2^top, and the others are below 2^52.
	lanes bool
	top   uint
	// inputs and outputs list the buffers, and how many numbers each holds.
	inputs, outputs []numbersIn
	want            func(in []*big.Int) []*big.Int
	// places, if set, takes the place of inputs and outputs. It returns where the buffers of a call
	// hold the numbers of a lane. A public buffer that holds none of them, such as a list of
	// references to rows, holds constants of the call. Other words are not followed. wants, if set,
	// takes the place of want.
	places func(c *Call, lane int) (in, out []number)
	wants  func(c *Call, lane int, in []*big.Int) []*big.Int
	// proves, if set, takes the place of want: it proves the claim for the inputs and outputs.
	proves func(s *symbols, in, out []*proof.Form) error
	// each, if not 0, says that calls have different constants: the claim is proven for as many
	// calls, in one lane of each.
	each int
	// fixed is the name of a secret buffer whose words are constants of the call, such as digits.
	fixed string
	// loops lists the lanes in which ranges are also proven for any number of rounds.
	loops []int
	// mask, if set, is the name of the result, a mask of the inputs that are 0 modulo the modulus.
	mask string
	// choice, if set, is the name of an argument that has a bit for each lane. The bit of the lane
	// that is followed is the last input.
	choice string
	// result is the name of the result that tells whether the kernel gave up: gaveUp if it did, and
	// did if it computed the outputs.
	result      string
	gaveUp, did uint64
	// left says that the result of a kernel that gave up is the number of rounds that are left. The
	// first output is then the state after the rounds that were carried out.
	left bool
	// nonzero, if set, returns a number that is not 0 modulo the modulus if the kernel does not
	// give up. Four words hold this number at a jump of the run.
	nonzero func(in []*big.Int) *big.Int
	// rounds is the name of the argument with the number of rounds. The first input is then the
	// initial state of the loop, and the first output its final state.
	rounds string
	// number is the name of an argument that is passed by value, and values lists its values. The
	// claim is proven for each of them; with takes the place of want.
	number string
	values []uint64
	value  uint64
	with   func(v uint64, in []*big.Int) []*big.Int

	most  int // if not 0: number of sums that one proof may compute
	steps int // greatest number of sums that one proof has computed
}

// A number is an integer in memory: the words of a buffer with the indices at, the least
// significant one first. Each word but the last is below 2^bits, and the last one is below 2^top.
// If below is not nil, the number is less than below. If like is not nil, the number is an input
// that is congruent modulo p to the sum of some inputs before it.
type number struct {
	buffer    string
	at        []int
	bits, top uint
	below     *big.Int
	like      []times
}

// A times stands for an input of a claim times a constant. input is the number of the input.
type times struct{ input, constant int64 }

// limbsAt returns a number of five limbs. The first limb is word first of the buffer, and the
// distance from one limb to the next is step words.
func limbsAt(buffer string, first, step int, top uint) number {
	return number{buffer, []int{first, first + step, first + 2*step, first + 3*step, first + 4*step},
		52, top, nil, nil}
}

// rowAt returns a number of four words.
func rowAt(buffer string, first int) number {
	return number{buffer, []int{first, first + 1, first + 2, first + 3}, 64, 64, nil, nil}
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

// words returns the number of words of all results.
func (c *claim) words() (n int) {
	for _, x := range c.outputs {
		n += c.size() * x.count
	}
	return n
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

// check proves that the numbers out, or the mask out, are what the claim says for the numbers in.
func (c *claim) check(s *symbols, in, out []*proof.Form) error {
	s.Most = cmp.Or(c.most, 1_000_000)
	defer func(most int) { c.steps, s.Most = max(c.steps, s.Steps), most }(s.Most)
	if c.mask != "" {
		return s.ZeroTests(out[0], in, c.ring.Modulus)
	}
	if c.proves != nil {
		return c.proves(s, in, out)
	}
	for k, f := range out {
		err := s.Congruent(f, c.ring.Modulus, func(p *proof.Point) *big.Int {
			v := values(p, in)
			if c.wants != nil {
				return new(big.Int).Mod(c.wants(s.call, s.lane, v)[k], c.ring.Modulus)
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

// follow runs the kernel of r on the arguments of the call. Jump number turn goes the other way.
// atLoop, if not nil, is called when a round of the loop ends.
func (c *claim) follow(
	r *Runner, call *Call, turn, lane int, atLoop func(s *symbols) error,
) (s *symbols, err error) {
	var bad error
	s, stop, err := c.begin(r, call, lane)
	if err != nil {
		return nil, err
	}
	defer stop()
	s.Turn = turn
	if c.rounds != "" {
		s.Loop = func(i *interp.Inst, f *proof.Form) bool {
			loops := s.loops
			switch counts := s.counts(i, f); {
			case !counts:
				return false
			case atLoop == nil || bad != nil:
			case s.loops == 1+lane/(Lanes/2):
				bad = atLoop(s)
			default: // the loop for the other lanes
				bad = s.forget(nil, s.loops > loops)
			}
			return true
		}
	}
	if err := s.machine.machine.Run(); err != nil {
		return s, err
	}
	return s, bad
}

// begin returns symbols of the call's arguments for a run of the kernel of r, and a function that
// ends the run's proof.
func (c *claim) begin(r *Runner, call *Call, lane int) (s *symbols, stop func(), err error) {
	x, err := r.instance(call)
	if err != nil {
		return nil, nil, err
	}
	if err := r.load(x, r.program, call); err != nil {
		return nil, nil, err
	}
	run, stop := proof.Follow(x.machine)
	s = &symbols{Run: run, machine: x, call: call, runner: r, lane: lane,
		in: map[string][]*proof.Form{}}
	run.Most = 1000 // for each bound that a rule needs
	if c.rounds != "" {
		s.all = s.atLeast1(big.NewInt(int64(call.number(c.rounds))))
		s.left = s.all
		run.Set(s.argument(c.rounds), s.all)
	}
	pointers := map[string]*proof.Form{}
	for _, b := range call.Buffers {
		at, err := r.offset(b.Param)
		if err != nil {
			continue // no argument points to it
		}
		region := s.region(b.Param)
		if pointers[region] == nil {
			pointers[region] = run.Pointer(x.regions[region].Address())
		}
		run.Set(x.machine.ArgumentAddress()+uint64(at), pointers[region])
	}
	if c.places != nil {
		in, out := c.places(call, lane)
		s.hold(in, out, c.fixed)
	} else {
		c.holdAll(s)
	}
	if c.choice != "" {
		s.inputs = append(s.inputs, run.HoldBits(c.choice, s.argument(c.choice))[lane])
	}
	return s, stop, nil
}

// argument returns the address of the argument or result with the given name.
func (s *symbols) argument(name string) uint64 {
	at, err := s.runner.offset(name)
	if err != nil {
		panic(err)
	}
	return s.machine.machine.ArgumentAddress() + uint64(at)
}

// atLeast1 returns an input that is not 0, with the value now in the run.
func (s *symbols) atLeast1(now *big.Int) *proof.Form {
	one := big.NewInt(1)
	return s.Input("rounds", 62, new(big.Int).Sub(now, one)).Add(proof.Constant(one))
}

// counts reports whether f, the condition of the jump i, tests whether the round that ends is the
// last one. If it is not the last, any number of rounds may be left: the proof of the next round
// does not depend on how many have ended. All rounds of a loop must end at the same jump.
func (s *symbols) counts(i *interp.Inst, f *proof.Form) bool {
	most := 1
	if s.Width == Lanes/2 {
		most = 2
	}
	for _, n := range []*proof.Form{s.left, s.all} { // all: the loop may begin again
		left := n.Sub(proof.Int(1))
		zero := s.IsZero(left)
		if k := f.Key(); k != zero.Key() && k != proof.Int(1).Sub(zero).Key() {
			continue
		}
		switch {
		case n == s.all && s.loops < most:
			s.loops, s.jump = s.loops+1, i
		case n == s.all || i != s.jump:
			return false
		}
		s.left, s.last = n, left.Now().Sign() == 0
		if !s.last {
			s.left = s.atLeast1(left.Now())
			s.Replace(left, s.left)
		}
		return true
	}
	return false
}

// forget is called when a round ends. It makes the run forget all places that a round changes,
// except the number of rounds. The places in forms get these forms at the beginning of the next
// round. first says that the first round has ended. When the last round ends, every place that was
// not forgotten must hold what it held when that round began: then more rounds would do the same.
func (s *symbols) forget(forms map[proof.Place]*proof.Form, first bool) error {
	if s.last {
		if !first && !s.Steady() {
			return errors.New("the last round changes what the others do not")
		}
		return nil
	}
	forms = maps.Clone(forms)
	if forms == nil {
		forms = map[proof.Place]*proof.Form{}
	}
	for at, f := range s.Forms() {
		if k := f.Key(); k == s.left.Key() || k == s.all.Key() {
			forms[at] = f
		}
	}
	s.Run.Forget(forms, first)
	return nil
}

// hold declares the numbers in as inputs of the proof. A public buffer that holds none of these
// numbers holds constants, and so does the buffer with the name fixed. Other words are not
// followed.
func (s *symbols) hold(in, out []number, fixed string) {
	s.outputs = out
	held := map[uint64]*proof.Form{}
	for _, b := range s.call.Buffers {
		for k := range b.In {
			if b.Same == "" && b.Param != fixed && (!b.Public || slices.ContainsFunc(in,
				func(n number) bool { return n.buffer == b.Param })) {
				s.Ignore(s.machine.regions[b.Param].Address() + uint64(8*k))
			}
		}
	}
	for k, n := range in {
		words := make([]*proof.Form, len(n.at))
		for j, w := range n.at {
			at, bits := s.machine.regions[n.buffer].Address()+uint64(8*w), n.bits
			if j == len(n.at)-1 {
				bits = n.top
			}
			if held[at] == nil {
				held[at] = s.Hold(fmt.Sprintf("number %d, word %d", k, j), at, bits)
			}
			words[j] = held[at]
		}
		s.inputs = append(s.inputs, proof.Join(n.bits, words...))
		if n.below != nil {
			s.Limit(s.inputs[k], new(big.Int).Sub(n.below, big.NewInt(1)))
		}
		if n.like != nil {
			f := s.inputs[k]
			for _, x := range n.like {
				f = f.Sub(s.inputs[x.input].Times(big.NewInt(x.constant)))
			}
			s.Relate(f, p)
		}
	}
}

// bits returns the bit length of limb k of the numbers in a lane.
func (c *claim) bits(k int) uint {
	if k%5 == 4 {
		return c.top
	}
	return 52
}

// holdAll declares the words of all buffers as inputs of the proof. If the kernel works on lanes,
// it declares only the words of the lane s.lane.
func (c *claim) holdAll(s *symbols) {
	run, lane := s.Run, s.lane
	if c.lanes {
		run.Width = Lanes
		if strings.HasSuffix(s.runner.program.Name, "256") {
			run.Width = Lanes / 2
		}
	}
	for _, b := range s.call.Buffers {
		for k := range b.In {
			at, bits := s.machine.regions[b.Param].Address()+uint64(8*k), uint(64)
			switch {
			case b.Same != "" || c.lanes && k%Lanes > lane && k%Lanes < lane+run.Width:
				continue
			case c.lanes && k%Lanes != lane:
				run.Ignore(at)
				continue
			case c.lanes:
				bits = c.bits(k / Lanes)
			}
			s.in[b.Param] = append(s.in[b.Param], run.Hold(fmt.Sprintf("%s%d", b.Param, k), at, bits))
		}
	}
}

// fault returns a runner like r for p, which is the program of r with a planted error.
func (r *Runner) fault(p *interp.Program) *Runner {
	return &Runner{p, r.constantTime, r.machines, r.offsets}
}

// proven holds the forms of proven claims, so that a kernel that computes the same for two ways to
// share memory is proven once.
type proven map[string]bool

// prove proves the claim for the kernel of r, along the path of the call's run, and along every
// path that leaves it.
func (c *claim) prove(r *Runner, call *Call, lane int, done proven) (paths int, err error) {
	s, err := c.follow(r, call, 0, lane, nil)
	if err != nil {
		return 0, err
	}
	if err := c.ended(s, c.did); err != nil {
		return 0, err
	}
	in, out := s.inputs, s.results()
	if c.places == nil {
		in, out = c.join(c.first(s)), c.join(c.last(s))
	}
	if c.mask != "" {
		out = []*proof.Form{s.part(c.mask)}
	}
	var words []*proof.Form
	if c.nonzero != nil {
		words = c.tested(s, in)
	}
	if err := s.inRange(c.limbs(s)); err != nil {
		return 0, err
	}
	if key := s.Text(slices.Concat(in, out, words)) + c.sample(s); !done[key] {
		s.Scatter(edges(rand.New(rand.NewPCG(14, uint64(len(key))))))
		if err := c.check(s, in, out); err != nil {
			return 0, err
		}
		if err := c.notZero(s, in, words); err != nil {
			return 0, err
		}
		done[key] = true
	}
	if c.result == "" && s.Jumps > 0 {
		return 0, errors.New("a jump that depends on the inputs")
	}
	if c.each > 0 { // this includes the results that depend on the constants only
		if err := r.check(s.machine, call); err != nil {
			return 0, err
		}
		for _, name := range call.Results {
			if _, constant := s.result(name); !constant {
				return 0, fmt.Errorf("%s is not constant", name)
			}
		}
	}
	n, err := c.turns(r, call, lane, s.Jumps, nil)
	return n + 1, err
}

// tested returns the words of the number that must not be 0. At some jump of the run, places hold
// these words; tested finds the places by the value.
func (c *claim) tested(s *symbols, in []*proof.Form) (words []*proof.Form) {
	now := make([]*big.Int, len(in))
	for k, f := range in {
		now[k] = f.Now()
	}
	v := new(big.Int).Mod(c.nonzero(now), c.ring.Modulus)
	for ; v.BitLen() <= 256; v.Add(v, c.ring.Modulus) {
		for _, forms := range s.Tested {
			byValue := map[uint64]*proof.Form{}
			for _, f := range forms {
				byValue[f.Now().Uint64()] = f
			}
			words = nil
			for _, x := range Limbs(v) {
				words = append(words, byValue[x])
			}
			if !slices.Contains(words, nil) {
				return words
			}
		}
	}
	return nil
}

// notZero proves that the number which nonzero returns, and which has the given words, is not 0.
func (c *claim) notZero(s *symbols, in, words []*proof.Form) error {
	if c.nonzero == nil {
		return nil
	}
	if words == nil {
		return errors.New("no test of the number that must not be 0")
	}
	if err := s.NeverZero(words, c.ring.Modulus); err != nil {
		return err
	}
	return s.Congruent(proof.Join(64, words...), c.ring.Modulus, func(p *proof.Point) *big.Int {
		return new(big.Int).Mod(c.nonzero(values(p, in)), c.ring.Modulus)
	})
}

// values returns the values of forms at a point.
func values(p *proof.Point, forms []*proof.Form) (out []*big.Int) {
	for _, f := range forms {
		out = append(out, p.Value(f))
	}
	return out
}

// sample returns a text that differs between calls if the claim says different things about them:
// the results that it wants for certain inputs, or the numbers of the call.
func (c *claim) sample(s *symbols) string {
	if c.proves != nil {
		return fmt.Sprint(s.call.Numbers)
	}
	if c.wants == nil {
		return ""
	}
	in := make([]*big.Int, len(s.inputs))
	for k := range in {
		in[k] = big.NewInt(int64(k + 2))
	}
	return fmt.Sprint(c.wants(s.call, s.lane, in))
}

// edges returns a function that chooses numbers from lo to hi, mostly one of the ends.
func edges(r *rand.Rand) func(lo, hi *big.Int) *big.Int {
	return func(lo, hi *big.Int) *big.Int {
		n := new(big.Int).Sub(hi, lo)
		n.Add(n, big.NewInt(1))
		switch r.IntN(8) {
		case 0, 1, 2:
			return lo
		case 3, 4, 5:
			return hi
		}
		x := new(big.Int).SetUint64(r.Uint64())
		return x.Mod(x, n).Add(x, lo)
	}
}

// ended checks that the result which says whether the kernel gave up is want, for all inputs.
func (c *claim) ended(s *symbols, want uint64) error {
	if c.result == "" {
		return nil
	}
	got, constant := s.result(c.result)
	if c.left && !constant { // the number of rounds that are left is not constant
		left := s.left
		if want == 0 { // after the last round
			left = left.Sub(proof.Int(1))
		}
		constant = s.Word(s.argument(c.result)).Key() == left.Key()
	}
	if got != want || !constant {
		return fmt.Errorf("the result is %d, and not %d for all inputs", got, want)
	}
	return nil
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

// limits returns the bit lengths of all words in which the kernel may leave results of the lane
// that is followed, by their addresses.
func (c *claim) limits(s *symbols) map[uint64]uint {
	bits := map[uint64]uint{}
	at := func(buffer string, word int) uint64 {
		return s.machine.regions[buffer].Address() + uint64(8*word)
	}
	for _, n := range s.outputs {
		for _, w := range n.at {
			bits[at(n.buffer, w)] = n.bits
		}
		bits[at(n.buffer, n.at[len(n.at)-1])] = n.top
	}
	for _, x := range c.outputs {
		for k := range 5 * x.count {
			if c.lanes {
				bits[at(x.buffer, Lanes*k+s.lane)] = c.bits(k)
			}
		}
	}
	return bits
}

// A limb is a number that must be below 2^bits.
type limb struct {
	form *proof.Form
	bits uint
}

// limbs returns those words of the results that are limbs of numbers.
func (c *claim) limbs(s *symbols) (all []limb) {
	limits := c.limits(s)
	for _, at := range slices.Sorted(maps.Keys(limits)) {
		if bits := limits[at]; bits < 64 {
			all = append(all, limb{s.Word(at), bits})
		}
	}
	return all
}

// inRange proves that limbs are in their ranges.
func (s *symbols) inRange(limbs []limb) error {
	for k, l := range limbs {
		below := new(big.Int).Lsh(big.NewInt(1), l.bits)
		if err := s.Between(l.form, new(big.Int), below.Sub(below, big.NewInt(1))); err != nil {
			return fmt.Errorf("limb %d: %w", k, err)
		}
	}
	return nil
}
