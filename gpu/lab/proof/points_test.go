package proof

import (
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// Two points with random coordinates are on no common curve of the form y² = x³ + b, but the
// formulas do not use b: the chord through them and the tangent at one of them are the same
// rational functions of the coordinates. Formulas are compared with them at random coordinates. If
// they were different, the numerator of the difference would be a polynomial of a degree below
// 2^40, with at most a part 2^40/p of all points as zeros (Schwartz, 1980; Zippel, 1979). A
// doubling or an addition multiplies degrees by 16 at most, and odd_multiples has eight of them.

var curve = reference.Secp256k1()

// random returns a random residue.
func random() *big.Int {
	x, err := rand.Int(rand.Reader, p)
	if err != nil {
		panic(err)
	}
	return x
}

func randomPoint() reference.Point { return reference.Point{X: random(), Y: random()} }

func product(x ...*big.Int) *big.Int {
	out := big.NewInt(1)
	for _, y := range x {
		out.Mul(out, y).Mod(out, p)
	}
	return out
}

func inverse(x *big.Int) *big.Int { return new(big.Int).ModInverse(x, p) }

// structure returns a point of a type with the given coordinates.
func structure(kind string, x ...*big.Int) *object {
	out := newObject(kind)
	for k, name := range strings.Fields(types[kind]) {
		out.parts[name] = residue(x[k])
	}
	return out
}

// as returns q as a point of a type, over the denominator z: (x·z², y·z³) and z, or z² and z³. If q
// is infinity, the denominators are 0 and the coordinates are random.
func as(kind string, q reference.Point, z *big.Int) *object {
	if q.IsInfinity() {
		q, z = randomPoint(), new(big.Int)
		return structure(kind, q.X, q.Y, z, z)
	}
	zz, zzz := product(z, z), product(z, z, z)
	x, y := product(q.X, zz), product(q.Y, zzz)
	if kind == "xyzz" {
		return structure(kind, x, y, zz, zzz)
	}
	return structure(kind, x, y, z)
}

// equal returns an error if o is not q. An o of type ge has the denominator z. Others have their
// own.
func equal(o *object, q reference.Point, z *big.Int) error {
	get := func(name string) *big.Int { return o.parts[name].value() }
	var zz, zzz *big.Int
	switch len(o.parts) {
	case 4:
		zz, zzz = get("zz"), get("zzz")
		if product(zz, zz, zz).Cmp(product(zzz, zzz)) != 0 {
			return errors.New("denominators that do not belong together")
		}
	case 3:
		z = get("z")
		fallthrough
	default:
		zz, zzz = product(z, z), product(z, z, z)
	}
	if q.IsInfinity() || zz.Sign() == 0 {
		if q.IsInfinity() && zz.Sign() == 0 {
			return nil
		}
		return errors.New("only one is infinity")
	}
	if get("x").Cmp(product(q.X, zz)) != 0 || get("y").Cmp(product(q.Y, zzz)) != 0 {
		return errors.New("another point")
	}
	return nil
}

// congruent returns an error if o is not x modulo p.
func congruent(o *object, x *big.Int) error {
	if d := new(big.Int).Sub(o.value(), x); d.Mod(d, p).Sign() != 0 {
		return errors.New("another number")
	}
	return nil
}

// An identity is what a function of points computes.
type identity struct {
	name string
	text string
	// calls lists the functions of points that it calls.
	calls []string
	// check calls the function. If alias is true and the function may be called so, the result is
	// also the first argument.
	check func(code *program, alias bool) error
}

// verify checks the identity. Reading an object without a value is an error, and so is a statement
// that is not known.
func (c *identity) verify(code *program) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return errors.Join(c.check(code, false), c.check(code, true))
}

// result returns a, or an object of its type without values.
func result(kind string, a *object, alias bool) *object {
	if alias {
		return a
	}
	return newObject(kind)
}

// sum returns the check of a complete addition r = r + b, for b of the given type.
func sum(name, kind string) func(code *program, alias bool) error {
	return func(code *program, _ bool) error {
		a, b, none := randomPoint(), randomPoint(), reference.Point{}
		cases := [][2]reference.Point{{a, b}, {a, a}, {a, curve.Neg(a)}, {none, b}}
		if kind == "xyzz" {
			cases = append(cases, [2]reference.Point{a, none}, [2]reference.Point{none, none})
		}
		for k, c := range cases {
			z := big.NewInt(1)
			if kind == "xyzz" {
				z = random()
			}
			r := as("xyzz", c[0], random())
			code.call(name, r, as(kind, c[1], z))
			if err := equal(r, curve.Add(c[0], c[1]), nil); err != nil {
				return fmt.Errorf("case %d: %w", k, err)
			}
		}
		return nil
	}
}

var identities = []identity{
	{"fe_equal", "1 if a ≡ b modulo p, and otherwise 0", nil, func(code *program, _ bool) error {
		a := random()
		return errors.Join(congruent(code.call("fe_equal", residue(a), residue(random())), new(big.Int)),
			congruent(code.call("fe_equal", residue(a), residue(a)), big.NewInt(1)))
	}},
	{"fe_sqrt_call", "r = a^((p + 1)/4), and 1 if r² ≡ a modulo p, and otherwise 0",
		[]string{"fe_ones", "fe_sqr_n", "fe_equal"}, func(code *program, _ bool) error {
			for _, c := range []struct{ difference, want int64 }{{0, 1}, {1, 0}} {
				powers := &program{code.functions, code.constants, exponents(c.difference)}
				r := newObject("fe")
				is := powers.call("fe_sqrt_call", r, integer(1)) // for a^1
				if r.value().Cmp(root) != 0 {
					return errors.New("another power")
				}
				if err := congruent(is, big.NewInt(c.want)); err != nil {
					return err
				}
			}
			return nil
		}},
	{"gej_double", "r = 2·a, with z·y for z", nil, func(code *program, alias bool) error {
		q, z := randomPoint(), random()
		a := as("gej", q, z)
		want := product(z, a.parts["y"].value())
		r := result("gej", a, alias)
		code.call("gej_double", r, a)
		return errors.Join(equal(r, curve.Double(q), nil), congruent(r.parts["z"], want))
	}},
	{"gej_add_ge", "r = a + b by the chord, with z·(x_b·z² − x_a) for z", nil,
		func(code *program, alias bool) error {
			q, b, z := randomPoint(), randomPoint(), random()
			a := as("gej", q, z)
			want := product(z, new(big.Int).Sub(product(b.X, z, z), a.parts["x"].value()))
			r := result("gej", a, alias)
			code.call("gej_add_ge", r, a, as("ge", b, big.NewInt(1)))
			return errors.Join(equal(r, curve.Add(q, b), nil), congruent(r.parts["z"], want))
		}},
	{"xyzz_add_ge", "r = a + b by the chord, with zz·P² and zzz·P³, P = x_b·zz − x_a, for zz and zzz",
		nil,
		func(code *program, alias bool) error {
			q, b, z := randomPoint(), randomPoint(), random()
			a := as("xyzz", q, z)
			d := new(big.Int).Sub(product(b.X, z, z), a.parts["x"].value())
			r := result("xyzz", a, alias)
			code.call("xyzz_add_ge", r, a, as("ge", b, big.NewInt(1)))
			return errors.Join(equal(r, curve.Add(q, b), nil),
				congruent(r.parts["zz"], product(z, z, d, d)),
				congruent(r.parts["zzz"], product(z, z, z, d, d, d)))
		}},
	{"xyzz_set_gej", "r = a", nil, func(code *program, _ bool) error {
		q := randomPoint()
		r := newObject("xyzz")
		code.call("xyzz_set_gej", r, as("gej", q, random()))
		return equal(r, q, nil)
	}},
	{"xyzz_has_x", "1 if x is the abscissa of a, and otherwise 0", nil,
		func(code *program, _ bool) error {
			q := randomPoint()
			for k, x := range []*big.Int{random(), q.X} {
				yes := code.call("xyzz_has_x", as("xyzz", q, random()), residue(x))
				if err := congruent(yes, big.NewInt(int64(k))); err != nil {
					return err
				}
			}
			return nil
		}},
	{"xyzz_to_ge", "r = a, for the inverse of zzz", []string{"xyzz_y"},
		func(code *program, _ bool) error {
			q, z := randomPoint(), random()
			r := newObject("ge")
			code.call("xyzz_to_ge", r, as("xyzz", q, z),
				residue(inverse(product(z, z, z))))
			return equal(r, q, big.NewInt(1))
		}},
	{"ge_cneg", "a = −a if flag is 1, and a as it was if flag is 0", nil,
		func(code *program, _ bool) error {
			q := randomPoint()
			for flag, want := range []reference.Point{q, curve.Neg(q)} {
				a := as("ge", q, big.NewInt(1))
				code.call("ge_cneg", a, integer(int64(flag)))
				if err := equal(a, want, big.NewInt(1)); err != nil {
					return err
				}
			}
			return nil
		}},
	{"ge_add_coz", "r = q + d by the chord and d, over z·(x_d − x_q), for q and d over z", nil,
		func(code *program, alias bool) error {
			a, b, z := randomPoint(), randomPoint(), random()
			q, d, ratio := as("ge", a, z), as("ge", b, z), newObject("fe")
			want := new(big.Int).Sub(d.parts["x"].value(), q.parts["x"].value())
			r := result("ge", q, alias)
			code.call("ge_add_coz", r, q, d, ratio)
			z = product(z, want)
			return errors.Join(congruent(ratio, want), equal(r, curve.Add(a, b), z), equal(d, b, z))
		}},
	{"odd_multiples", "table[i] = (2·i + 1)·p over z, for 8 entries", []string{"ge_add_coz"},
		func(code *program, _ bool) error {
			q, z := randomPoint(), newObject("fe")
			table := array("ge", 8)
			code.call("odd_multiples", table, z, as("ge", q, big.NewInt(1)))
			want, twice := q, curve.Double(q)
			for k := range len(table.parts) {
				if err := equal(table.parts[fmt.Sprint(k)], want, z.value()); err != nil {
					return fmt.Errorf("entry %d: %w", k, err)
				}
				want = curve.Add(want, twice)
			}
			return nil
		}},
	{"ge_is_on_curve", "1 if y² = x³ + 7, and otherwise 0", nil, func(code *program, _ bool) error {
		for k, q := range []reference.Point{randomPoint(), curve.ScalarMult(random(), curve.G)} {
			yes := code.call("ge_is_on_curve", as("ge", q, big.NewInt(1)))
			if err := congruent(yes, big.NewInt(int64(k))); err != nil {
				return err
			}
		}
		return nil
	}},
	{"xyzz_set_infinity", "r = (1, 1, 0, 0)", nil, func(code *program, _ bool) error {
		r := newObject("xyzz")
		code.call("xyzz_set_infinity", r)
		for name, x := range map[string]int64{"x": 1, "y": 1, "zz": 0, "zzz": 0} {
			if err := congruent(r.parts[name], big.NewInt(x)); err != nil {
				return err
			}
		}
		return nil
	}},
	{"xyzz_double", "r = 2·r, complete", nil, func(code *program, _ bool) error {
		for _, q := range []reference.Point{randomPoint(), {}} {
			r := as("xyzz", q, random())
			code.call("xyzz_double", r)
			if err := equal(r, curve.Double(q), nil); err != nil {
				return err
			}
		}
		return nil
	}},
	{"xyzz_sum_ge", "r = r + b, complete",
		[]string{"xyzz_set_ge", "xyzz_tangent", "xyzz_set_infinity", "xyzz_is_infinity"},
		sum("xyzz_sum_ge", "ge")},
	{"xyzz_sum", "r = r + b, complete",
		[]string{"xyzz_tangent", "xyzz_set_infinity", "xyzz_is_infinity"},
		sum("xyzz_sum", "xyzz")},
}

// TestIdentities checks what the functions of points compute.
func TestIdentities(t *testing.T) {
	code, err := parse(points(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range identities {
		if err := c.verify(code); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

var (
	call     = regexp.MustCompile(`\b(fe_\w+)\(([^()]*)\);`)
	copied   = regexp.MustCompile(`(?m)^\t+[\w>*.\[\]-]+ = .*;`)
	decision = regexp.MustCompile(`if \((.*)\) `)
)

// mutations returns copies of the text of a function, each with one error: a call or a copy that is
// missing, another function of the field, another variable, exchanged operands of a difference, a
// condition that is the opposite.
func mutations(text string) (out []string) {
	plant := func(at []int, s string) { out = append(out, text[:at[0]]+s+text[at[1]:]) }
	for _, at := range decision.FindAllStringSubmatchIndex(text, -1) {
		plant(at[2:4], "!("+text[at[2]:at[3]]+")")
	}
	for _, at := range copied.FindAllStringIndex(text, -1) {
		plant(at, "")
	}
	others := map[string]string{"fe_add": "fe_sub", "fe_sub": "fe_add", "fe_mul": "fe_add",
		"fe_sqr": "fe_half", "fe_half": "fe_neg", "fe_neg": "fe_half"}
	var variables []string
	calls := call.FindAllStringSubmatchIndex(text, -1)
	for _, at := range calls {
		for _, name := range strings.Split(text[at[4]:at[5]], ", ") {
			if !slices.Contains(variables, name) {
				variables = append(variables, name)
			}
		}
	}
	for _, at := range calls {
		if text[at[2]:at[3]] == "fe_normal" { // which changes no residue
			continue
		}
		plant(at[:2], ";")
		name, args := text[at[2]:at[3]], strings.Split(text[at[4]:at[5]], ", ")
		if others[name] != "" {
			plant(at[2:4], others[name])
		}
		if name == "fe_sub" && args[1] != args[2] {
			plant(at[4:6], args[0]+", "+args[2]+", "+args[1])
		}
		for k, old := range args {
			for _, other := range variables {
				_, is := number(other)
				if _, was := number(old); is == was && other != old {
					args[k] = other
					plant(at[4:6], strings.Join(args, ", "))
				}
			}
			args[k] = old
		}
	}
	return out
}

// TestPlantedFormulas plants errors in the functions of points, and prints their number and how
// many are found. Without an error, nothing may be found.
func TestPlantedFormulas(t *testing.T) {
	text := points(t)
	code, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range definition.FindAllStringSubmatch(text, -1) {
		if code.functions[m[1]] == nil {
			continue
		}
		// Identities of the function, or of functions that call it, find its errors.
		var checks []identity
		for _, c := range identities {
			if c.name == m[1] || slices.Contains(c.calls, m[1]) {
				checks = append(checks, c)
			}
		}
		if len(checks) == 0 {
			continue
		}
		all := mutations(m[0])
		found := 0
		for _, text := range append(all, m[0]) {
			mutant := &program{maps.Clone(code.functions), code.constants, code.field}
			delete(mutant.functions, m[1])
			mutant.add(text)
			if mutant.functions[m[1]] == nil {
				t.Errorf("an error that is not read:\n%s", text)
			}
			is := slices.ContainsFunc(checks, func(c identity) bool { return c.verify(mutant) != nil })
			if is != (text != m[0]) {
				t.Errorf("found: %t, in\n%s", is, text)
			} else if is {
				found++
			}
		}
		t.Logf("%s: %d of %d errors found", m[1], found, len(all))
	}
}
