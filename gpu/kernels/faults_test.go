package kernels

import (
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/gpu/internal/lab/c11test"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/hostile"
)

// faults are typical mistakes, and omitted checks that would let a hostile row pass.
var faults = []c11test.Fault{
	// Faults in the handling of rows and columns.
	{"if (i < n && schnorr_load", "if (i + 1 < n && schnorr_load"},
	{"flags, hashes + 32 * i, keys + 33 * i", "flags, hashes + 33 * i, keys + 33 * i"},
	{"flags, hashes + 32 * i, sigs + 65 * i", "flags, hashes + 32 * i, sigs + 64 * i"},
	{
		"&p, gtable))\n\t\t\tverdict = ecdsa_r_is(&a, sigs + 64 * (u64)ROW)",
		"&p, gtable))\n\t\t\tverdict = ecdsa_r_is(&a, sigs + 64 * (u64)(ROW ^ 1))",
	},
	{
		"&p, gtable))\n\t\t\tverdict = schnorr_r_is(&a, sigs + 64 * (u64)ROW)",
		"&p, gtable))\n\t\t\tverdict = schnorr_r_is(&a, sigs + 64 * (u64)(ROW ^ 1))",
	},
	{"pubkey_row(&a, scalars + 32 * i, gtable)", "pubkey_row(&a, scalars + 32 * (i ^ 1), gtable)"},
	{"if (!ids || ids[i] <= 3)", "if (!ids || ids[i] <= 4)"},
	{"for (int i = 0; i < KEY_SIZE; i++) out[i] = 0", "for (int i = 1; i < KEY_SIZE; i++) out[i] = 0"},
	{"if (verdict == VALID) {\n\t\tge_store_be", "if (verdict != MALFORMED) {\n\t\tge_store_be"},

	// Faults in the parsing of encodings.
	{"(b[0] & 0xfe) == 2 && below", "(b[0] & 0x7e) == 2 && below"},
	{"(b[0] & 0xfe) == 2 && below", "b[0] <= 3 && below"},
	{"(b[0] & 0xfe) == 2 && below", "(b[0] & 0xfe) == 2"},
	{"ge_lift_x(p, &x, b[0] & 1)", "ge_lift_x(p, &x, 0)"},
	{"return below && !sc_is_zero(r);", "return below;"},
	{"return below && !sc_is_zero(r);", "return !sc_is_zero(r);"},
	{
		"good &= load_nonzero(&s, sig + 32);\n" +
			"\tif (!good || !load_key",
		"load_nonzero(&s, sig + 32);\n" +
			"\tif (!good || !load_key",
	},
	{
		"good &= load_nonzero(&s, sig + 32);\n" +
			"\tif (!good || id",
		"load_nonzero(&s, sig + 32);\n" +
			"\tif (!good || id",
	},
	{"if (!good || id > 3)", "if (!good || id > 7)"},
	{"good &= fe_load_be(&r, sig);", "fe_load_be(&r, sig);"},
	{"good &= sc_load_be(s, sig + 32);", "sc_load_be(s, sig + 32);"},
	{"sc_load_be_reduced(e, msg)", "sc_load_be(e, msg)"},

	// Faults in the checks of a signature.
	{"if (flags & LOW_S && sc_is_high(&s)) return INVALID;\n\tsc_load", "sc_load"},
	{"if (flags & LOW_S && sc_is_high(&s)) return INVALID;\n\tecdsa", "ecdsa"},
	{"return ecdsa_add_order(&x, &r) && xyzz_has_x((const xyzz *)a, &x);", "return 0;"},
	{
		"return ecdsa_add_order(&x, &r) && xyzz_has_x((const xyzz *)a, &x);",
		"ecdsa_add_order(&x, &r);\n\treturn xyzz_has_x((const xyzz *)a, &x);",
	},
	{
		"return ecdsa_add_order(&x, &r) && xyzz_has_x((const xyzz *)a, &x);",
		"return ecdsa_add_order(&x, &r);",
	},
	{"0x402da172u, 0x2fc9baeeu", "0x402da172u, 0x2fc9bafeu"},
	{"0x402da172u, 0x2fc9baeeu", "0x402da172u, 0x2fc9bae9u"},
	{"if (id & 2 && !ecdsa_add_order(&x, &r)) return INVALID;", ""},
	{"if (!ge_lift_x(p, &x, id & 1)) return INVALID;", "ge_lift_x(p, &x, id & 1);"},
	{"if (!ge_lift_x(p, &x, id & 1)) return INVALID;", "if (!ge_lift_x(p, &x, 1)) return INVALID;"},
	{"sc_neg(u1, u1);", ""},
	{"&r, &x);\n\tsc_neg(e, e);", "&r, &x);"},
	{"if (y.v[0] & 1) verdict = INVALID;", ""},
	{
		"&p, gtable))\n\t\t\tverdict = schnorr_r_is(&a, sigs + 64 * (u64)ROW) ? VALID : INVALID;",
		"&p, gtable))\n\t\t\tverdict = VALID;",
	},
	{"if (flags & HASHED)", "if (flags & LOW_S)"},
	{"w[(t + 14) & 15]", "w[(t + 13) & 15]"},
	{"8 * (64 + 3 * 32)", "8 * (64 + 2 * 32)"},

	// Faults in the code for Ethereum addresses.
	{"if (flags & ADDRESS)", "if (flags & ADDRESS && !(flags & LOW_S))"},
	{"out + ADDRESS_SIZE * i", "out + ADDRESS_SIZE * i + (flags & LOW_S)"},
	{"for (int i = 0; i < ADDRESS_SIZE; i++) out[i] = 0", "out[0] = 0"},
	{"if (verdict != VALID) {\n\t\tROLLED", "if (verdict == MALFORMED) {\n\t\tROLLED"},
	{"a[8] = 1;", "a[8] = 6;"},
	{"a[16] = (u64)1 << 63;", "a[16] = 1;"},
	{"round < 24", "round < 23"},
	{"8, 21, 24, 4, 15, 23", "8, 21, 24, 4, 23, 15"},
	{"(i + 1) * (i + 2) / 2 & 63", "i * (i + 1) / 2 + 1 & 63"},
	{"a[y + 3] ^= ~a[y + 4] & first;", "a[y + 3] ^= ~a[y + 4] & a[y];"},
	{"(r >> 7) * 0x171", "(r >> 7) * 0x11b"},
	{"for (int j = 0; j < 7; j++)", "for (int j = 0; j < 6; j++)"},
	{"keccak_lanes(a, &p->x);", "keccak_lanes(a, &p->y);"},
	{"int at = 32 - ADDRESS_SIZE + i;", "int at = i;"},
	{"x >> 24 | (x >> 8 & 0xff00)", "x >> 24 | (x >> 8 & 0xff)"},

	// Faults in the exceptional cases of the addition formulas.
	{"return !fe_is_zero(&sum.zz);", "return 1;"},
	{"return !fe_is_zero(&t.zz);", "return 1;"},
	{"if (mul_double(&a, &u1, &u2, &p, gtable))", "mul_double(&a, &u1, &u2, &p, gtable);"},
	{"if (mul_double(&a, &s, &e, &p, gtable))", "mul_double(&a, &s, &e, &p, gtable);"},
	{
		"return mul_base(a, &k, gtable) ? VALID : UNCHECKED;",
		"mul_base(a, &k, gtable);\n\treturn VALID;",
	},
	{"fe_mul(&r->z, &r->z, &z);", "fe_sqr(&z, &z);"},
	{
		"fe_mul(&r->z, &r->z, &z);",
		"if (fe_is_zero(&r->z)) fe_set_int(&r->z, 1);\n\tfe_mul(&r->z, &r->z, &z);",
	},

	// Faults in the inverses that the work items of a group compute together.
	{"BARRIER;\n\t\tif (item < m) {", "if (item < m) {"},
	{"}\n\t\tBARRIER;\n", "}\n"},
	{"tree, GROUP + item);\n\tfe_set_int(&t, 0)", "tree, GROUP + (item ^ 1));\n\tfe_set_int(&t, 0)"},
	{"tree, GROUP + item);\n\tUNROLL", "tree, GROUP + (item ^ 1));\n\tUNROLL"},
	{"ring_mul(b, b, inverse, scalars)", "ring_mul(b, a, inverse, scalars)"},
	{"tree, 3 * m + item);\n\t\t\tring_mul(a, a", "tree, 2 * m + item);\n\t\t\tring_mul(a, a"},
	{"for (u32 m = GROUP / 2; m > 0;", "for (u32 m = GROUP / 2; m > 1;"},
	{"fe_cmov(&t, &one, zero);", ""},
	{"t.v[0] |= zero;", ""},
	{"sc_inv_group(&s, &s, tree,", "if (i >= n) return;\n\tsc_inv_group(&s, &s, tree,"},
	{"fe_inv_group(&y, &y, tree, item);", "if (verdict == VALID) fe_inv_group(&y, &y, tree, item);"},

	// Faults in the division steps of inverses.
	{"f.v[8] < 0 ? -1 : 1", "1"},
	{"f.v[8] < 0 ? -1 : 1", "f.v[8] < 0 ? 1 : -1"},
	{"n < MAX_BATCHES", "n < MAX_BATCHES / 2"},
	{"(i64)11 * m[i]", "(i64)0 * m[i]"},
	{"y += (i64)j * m[0];", ""},
}

// overruns are faults that access memory outside of columns.
var overruns = []c11test.Fault{
	{"if (i < n && schnorr_load", "if (schnorr_load"},
	{"if (exists) sc_load_be_reduced(r, b);", "sc_load_be_reduced(r, b);"},
	{"tree, ROW % GROUP);\n\tif (ROW >= n) return;\n\tstore_key", "tree, ROW % GROUP);\n\tstore_key"},
	{"load_key(&p, keys + 33 * i)", "load_key(&p, keys + 33 * i + (row == n - 1))"},
	{"store_address(out + ADDRESS_SIZE * i,", "store_address(out + ADDRESS_SIZE * (i + 1),"},
	{"u8 verdict = load_key", "if (row == n - 1) out[KEY_SIZE * n] = 0;\n\tu8 verdict = load_key"},
	{"#define TREE_WORDS (2 * GROUP * 8)", "#define TREE_WORDS (2 * GROUP * 8 - 1)"},
}

// found returns a function that reports whether the kernels in a source text are revealed to be
// wrong by their answers to the rows of sets, or by gcc's sanitizers if flags select them.
func found(sets []hostile.Set, flags ...string) func(t *testing.T, source string) bool {
	return func(t *testing.T, source string) bool {
		h := compileHost(t, source, slices.Concat(flags, []string{"-w"})...)
		return slices.ContainsFunc(sets, func(s hostile.Set) bool {
			c := s.Call()
			return h.run(c) != nil || s.Check(c) != nil
		})
	}
}

// TestFaults checks that hostile rows reveal each of faults.
func TestFaults(t *testing.T) { c11test.Plant(t, Rows().Source, faults, found(hostile.Sets(2))) }

// TestOverruns checks that gcc's sanitizers detect each of overruns.
func TestOverruns(t *testing.T) {
	c11test.Plant(t, Rows().Source, overruns, found(hostile.Sets(1), sanitized...))
}
