package sums

import (
	"slices"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz/gpu/internal/lab/c11test"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// faults are typical mistakes, and omitted checks that would let a hostile term pass.
var faults = []c11test.Fault{
	// Faults in the code for terms.
	{"if (!good) ATOMIC_OR", "if (!good && any) ATOMIC_OR"},
	{"u32 good = sc_sub_raw(&t, &k, &order), any = 0;", "u32 good = 1, any = 0;"},
	{"if (any) good &= fe_is_canonical(&p.x) &", "if (any) good &="},
	{"& fe_is_canonical(&p.y) & ge_is_on_curve(&p)", "& fe_is_canonical(&p.y)"},
	{"any |= p.x.v[i] | p.y.v[i]", "any |= p.x.v[i]"},
	{"any |= p.x.v[i] | p.y.v[i]", "any |= p.y.v[i]"},
	{"if (good && any) {", "if (good) {"},
	{"halves_store(halves, first + row", "halves_store(halves, row"},
	{"fe_mul_beta(&t, &p->x);", "t = p->x;"},
	{"u64 acc = t[9] >> 31;", "u64 acc = t[9] >> 30;"},
	{"half_store(halves, i, 1, d2);", "half_store(halves, i, 1, d1);"},
	{"u64 acc = negative;\n", "u64 acc = 0;\n"},
	{"to[4] = negative << 31;", "to[4] = 0;"},

	// Faults in the code that computes signed digits.
	{"d->carry = above;", "d->carry = 0;"},
	{"u > (u32)1 << (c - 1);", "u > (u32)1 << c;"},
	{"!last && u >", "u >"},
	{"*negative = d->negative ^ above;", "*negative = above;"},
	{"*negative = d->negative ^ above;", "*negative = d->negative;"},
	{"last ? d->v[0] :", "last ? d->v[0] & 7 :"},
	{"return above ? ((u32)1 << c) - u : u;", "return above ? u : u;"},
	{"for (u32 w = 0; w <= window; w++) digit", "for (u32 w = 0; w < window; w++) digit"},

	// Faults in the code that sorts entries by bucket.
	{"at == place[1] - 1 ? ENTRY_LAST : 0", "at == place[1] ? ENTRY_LAST : 0"},
	{"(negative ? ENTRY_NEGATIVE : 0)", "0"},
	{"row & 1 ? ENTRY_SECOND : 0", "0"},
	{"fe_load(&p->x, from + (entry & ENTRY_SECOND ? 16 : 0));", "fe_load(&p->x, from);"},
	{"ge_cneg(p, entry >> 31);", ""},
	{"end += places[2 * b];", "end += places[2 * b] + (b == lo);"},
	{"if (hi > buckets) hi = buckets;\n", "hi = buckets;\n"},

	// Faults in the code that adds up the sorted list of entries in pieces of equal length
	// (bucket.h). If a bucket extends from one piece into later ones, the sums of its entries in
	// the later pieces are called heads; this code also adds the heads to the bucket.
	{"at |= IN_HEAD;", ";"},
	{"if (end > at + run) end = at + run;\n\tif (at != 0", "end = at + run;\n\tif (at != 0"},
	{
		"if (!(entry & ENTRY_LAST) && (at & ~IN_HEAD) != end) continue;",
		"if ((at & ~IN_HEAD) == end && !(entry & ENTRY_LAST)) return;\n" +
			"if (!(entry & ENTRY_LAST)) continue;",
	},
	{"windows);\n\t\t\txyzz_set_infinity(&sum);", "windows);"},
	{"bucket = NO_BUCKET;\n\t} while", "} while"},
	{"keys[row] = bucket;", "keys[row] = bucket + 1;"},
	{
		"keys[row] = NO_BUCKET;\n\tif (at >= end) return;",
		"if (at >= end) return;\n\tkeys[row] = NO_BUCKET;",
	},
	{"if (i == first || keys[i - 1] != key) {", "{"},
	{"if (first == 0 || keys[first - 1] != key) xyzz_load", "if (0) xyzz_load"},
	{"nextkeys[row] = NO_BUCKET;", ""},
	{"if (first > 0 && keys[first - 1] == key) {", "if (0) {"},
	{"if (first == 0 || keys[first - 1] != key) xyzz_load", "xyzz_load"},
	{"if (at != 0 && !(list[at - 1] & ENTRY_LAST)) at |= IN_HEAD;", ""},

	// Faults in the reduction of buckets.
	{"if (places[2 * end] != places[2 * end + 1]) {", "{"},
	{"if (lo & 1) xyzz_sum(&sum, &running);", ""},
	{"if (window > windows - 1) window = windows - 1;", ""},
	{"for (; lo > 0; lo >>= 1)", "for (lo &= 15; lo > 0; lo >>= 1)"},
	{"if (lo & 1)", "if (1)"},
	{"fe_normal(&sum.zz, &sum.zz);", "fe_mul_int(&sum.zz, &sum.zz, 2);"},

	// Faults in the exceptional cases of additions.
	{"if (xyzz_is_infinity(r)) {\n\t\txyzz_set_ge(r, b);\n\t\treturn;\n\t}", ""},
	{opposite + "same = 1;\n", "same = 1;\n"},
	{"same = 1;\n\t\txyzz_tangent(&p, &s, &r->x, &r->y);", "xyzz_set_infinity(r);\n\t\treturn;"},
	{"if (!same) fe_sub(&r->x, &r->x, &p);", "fe_sub(&r->x, &r->x, &p);"},
	{"if (xyzz_is_infinity(r)) {\n\t\t*r = *b;\n\t\treturn;\n\t}", ""},
	{"if (xyzz_is_infinity(b)) return;", ""},
	{opposite + "same = 1; //", "same = 1; //"},
	{"xyzz_tangent(&p, &s, &q, &v);", "xyzz_set_infinity(r);\n\t\treturn;"},
	{"xyzz_tangent(&p, &s, &q, &v);", "xyzz_tangent(&p, &s, &q, &v);\n\t\tr->zz = b->zz;"},
	{"if (!same) fe_sub(&t, &t, &p);", "fe_sub(&t, &t, &p);"},
}

// opposite is the code with which an addition handles a point and its opposite.
const opposite = "if (!fe_is_zero(&s)) {\n\t\t\txyzz_set_infinity(r);\n\t\t\treturn;\n\t\t}\n\t\t"

// equationFaults are faults that let an equation with invalid rows hold, or one with only valid
// rows fail.
var equationFaults = []c11test.Fault{
	// Faults that make coefficients predictable, repeated or short.
	{"load_be32(seed + 4 * i)", "0"},
	{"load_be32(seed + 4 * i)", "i ? load_be32(seed + 4 * i) : 0"},
	{"w[8] = number;", ""},
	{"w[8] = number;", "w[8] = number & 127;"},
	{"w[8] = number;", "w[8] = number | 1;"},
	{"short_set(v, h[3], h[2]);", "short_set(v, h[1], h[0]);"},
	{"short_set(v, h[3], h[2]);", "short_set(v, h[3], 0);"},
	{"short_set(u, h[1], h[0]);", "short_set(u, h[1], 0);"},
	{"w[15] = 8 * 36;", "w[15] = 8 * 32;"},

	// Faults that leave out rows or terms, or count them twice.
	{
		"u32 word = k >= EQUATION_LIMBS",
		"if (i + 1 == count) verdict = INVALID;\n\t\tu32 word = k >= EQUATION_LIMBS",
	},
	{"for (u64 i = row; i < count; i += n)", "for (u64 i = row; i + 1 < count; i += n)"},
	{"for (u64 i = row; i < count; i += n)", "for (u64 i = row; i < count; i += n + 1)"},
	{"return INVALID;\n\tterm_store(points, 2 * i + 1, &p);", "return INVALID;"},
	{"halves_clear(halves, 2 * i + 1);", ""},
	{"halves_clear(halves, 2 * i);", ""},
	{"sum[k] += records[", "sum[k] |= records["},
	{"sums[(u64)n * k + row] = sum[k];", "sums[k] = sum[k];"},

	// Faults that make signs or factors wrong.
	{"short_neg(u);", ""},
	{"short_neg(v);", ""},
	{"sc_neg(&e, &e);", ""},
	{"sc_neg(&s, &s);", ""},
	{"if (negative) sc_neg(r, r);", ""},
	{"sc_mul(&e, &e, &z);", ""},
	{"sc_mul(&r, &r, &z);", ""},
	{"sc_mul(&s, &s, &z);", ""},
	{"ge_lift_x(&p, &r, 0)", "ge_lift_x(&p, &r, 1)"},
	{"ge_lift_x(&p, &x, 0)", "ge_lift_x(&p, &x, 1)"},
	{"ge_lift_x(&p, &x, id & 1)", "ge_lift_x(&p, &x, 0)"},

	// Faults that omit a check of a row.
	{"|| !ge_lift_x(&p, &x, 0)) return MALFORMED;", ") return MALFORMED;\n\tge_lift_x(&p, &x, 0);"},
	{"if (!ge_lift_x(&p, &r, 0)) return INVALID;", "ge_lift_x(&p, &r, 0);"},
	{"if (!ge_lift_x(&p, &x, id & 1)) return UNCHECKED;", "ge_lift_x(&p, &x, id & 1);"},
	{"if (!good || id > 3 || !load_key", "if (!good || id > 4 || !load_key"},
	{"if (!good || id > 3 || !load_key", "if (id > 3 || !load_key"},
	{"if (!good || !ge_lift_x", "if (!ge_lift_x"},
	{"good &= fe_load_be(&r, sig);", "fe_load_be(&r, sig);"},
	{"good &= sc_load_be(a, sig + 32);", "sc_load_be(a, sig + 32);"},
	{"if (flags & LOW_S && sc_is_high(&s)) return INVALID;", ""},
	{"if (id & 2 && !ecdsa_add_order(&x, &r)) return UNCHECKED;", ""},
	{"if (id & 2 && !ecdsa_add_order(&x, &r)) return UNCHECKED;",
		"if (id & 2) ecdsa_add_order(&x, &r);"},
}

// overruns are faults that access memory outside of a sum's arrays, or memory that was never
// written.
var overruns = []c11test.Fault{
	{"if (row >= n) return;\n\tGLOBAL const u8 *b = scalars", "GLOBAL const u8 *b = scalars"},
	{"if (row >= n) return;\n\twords[row] = 0;", "words[row] = 0;"},
	{"if (end > count) end = count;\n\tu32 window", "u32 window"},
	{"return end < count ? end : count;", "return end;"},
	{"if (i + 1 < piece_end(row, run, count) && keys[i + 1] == key)", "if (keys[i + 1] == key)"},
}

// found returns a function that reports whether sums and equations computed with the kernels in a
// source text reveal that the kernels are wrong.
func found(flags ...string) func(t *testing.T, source string) bool {
	return func(t *testing.T, source string) bool {
		path := c11test.Compile(t, source, slices.Concat(flags, []string{"-w"})...)
		try := func(check func(r *runner) error) bool {
			r, wait := startC11(t, path)
			err := check(r)
			return wait() != nil || err != nil
		}
		for _, c := range []struct{ n, bits, run int }{{40, 6, 3}, {40, 4, 8}, {9, 8, 1}} {
			if try(func(r *runner) error { return r.checkSums(sumsOf(c.n), full(c.bits, c.run)) }) {
				return true
			}
		}
		return slices.ContainsFunc(hostileRows(), func(b hostile.Batch) bool {
			return try(func(r *runner) error { return r.checkTerms(&b, nil) })
		})
	}
}

var hostileRows = sync.OnceValue(func() []hostile.Batch { return equationSets(1) })

// TestFaults checks that each fault leads to some wrong sum.
func TestFaults(t *testing.T) {
	c11test.Plant(t, kernels.Sums().Source, slices.Concat(faults, equationFaults), found())
}

// TestOverruns checks that gcc's sanitizers detect each fault in overruns.
func TestOverruns(t *testing.T) {
	c11test.Plant(t, kernels.Sums().Source, overruns, found(c11test.Sanitized...))
}
