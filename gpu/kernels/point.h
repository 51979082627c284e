// Points of the curve y² = x³ + 7, and the sum of products that verification is made of.
//
// Exceptions. Additions here are incomplete: they compute R + Q for R ≠ ±Q and R, Q not infinity.
// No step tests that. Each multiplies the denominator by the difference of the abscissas (Z by H,
// ZZ by P²), which is zero exactly if R = ±Q, and once it is zero modulo p, it stays zero through
// every further addition and doubling: as a number it is then 0 or p, and fe_is_zero knows both.
// Doubling a point multiplies Z by its ordinate, which is never zero, because the order n of the
// group is odd. So if the denominator is not zero in the end, no addition was exceptional and the
// result is right; if it is zero, the result is to be thrown away, and the row left to the host. A
// sum becomes infinity by the exceptional addition of −R alone, so no result is infinity. The
// functions mul_base and mul_double return 1 in the first case and 0 in the second.
//
// Points are on the curve: callers lift them from abscissas. They are not infinity unless a
// comment says so.

#ifndef KOBLITZ_POINT_H
#define KOBLITZ_POINT_H

#include "memory.h"
#include "scalar.h"

// A ge is an affine point.
typedef struct {
	fe x, y;
} ge;

// A gej is the point (x/z², y/z³): Jacobian coordinates.
typedef struct {
	fe x, y, z;
} gej;

// An xyzz is the point (x/zz, y/zzz), where zz³ = zzz². It takes additions of affine points with a
// multiplication less than Jacobian coordinates, and doublings with two more.
typedef struct {
	fe x, y, zz, zzz;
} xyzz;

// The comb. gtable is a table of multiples of G for windows of w bits, 4 ≤ w ≤ 24: points of
// COMB_POINT words, eight limbs of the canonical abscissa, the least significant first, then eight
// of the canonical ordinate. A word is a u32 of the device's byte order.
//
//	1 point       the header: its first word is w, the others are 0
//	256 points    the powers 2^i·G
//	the windows   2^(w−1) points each; point j of window i is (2·j + 1)·2^(w·i)·G
//
// There are ⌈256/w⌉ windows, and the last one ends before the first point whose multiple of G is
// not below 2^256. Every scalar is a sum of one point of each window, or its negative. Package
// kernels has the same numbers.
#define COMB_POINT 16
#define COMB_POWERS 256

// Windows of the halves of a scalar that multiplies a point given at run time: WINDOW_BITS each,
// as many as 129 bits take.
#ifndef WINDOW_BITS
#define WINDOW_BITS 4
#endif
#define WINDOW_COUNT ((129 + WINDOW_BITS - 1) / WINDOW_BITS)
#define WINDOW_ENTRIES (1 << (WINDOW_BITS - 1))

// ge_lift_x sets r to the point with the abscissa x whose ordinate is odd if odd is 1 and even if
// it is 0, and returns 1. If there is none it returns 0. The ordinate is canonical.
DEVICE u32 ge_lift_x(ge *r, const fe *x, u32 odd)
{
	fe t, seven;
	fe_sqr(&t, x);
	fe_mul(&t, &t, x);
	fe_set_int(&seven, 7);
	fe_add(&t, &t, &seven);
	u32 square = fe_sqrt(&r->y, &t);
	fe_normal(&r->y, &r->y);
	fe_neg(&t, &r->y);
	fe_cmov(&r->y, &t, (r->y.v[0] & 1) ^ odd);
	fe_normal(&r->y, &r->y);
	r->x = *x;
	return square;
}

// ge_store_be writes a as an uncompressed key, 65 bytes (SEC 1 version 2, section 2.3.3).
DEVICE void ge_store_be(GLOBAL u8 *b, const ge *a)
{
	b[0] = 4;
	fe_store_be(b + 1, &a->x);
	fe_store_be(b + 33, &a->y);
}

// ge_cneg negates a if flag is 1, and leaves it if flag is 0.
DEVICE void ge_cneg(ge *a, u32 flag)
{
	fe t;
	fe_neg(&t, &a->y);
	fe_cmov(&a->y, &t, flag);
}

// gej_double sets r = 2a, in 3M + 4S, with half of the Z that the formulas of SEC 1 give:
//
//	L = 3/2·X², S = Y², T = −X·S
//	X' = L² + 2T, Y' = −(L·(X' + T) + S²), Z' = Y·Z
DEVICE void gej_double(gej *r, const gej *a)
{
	fe l, s, t;
	fe_mul(&r->z, &a->y, &a->z);
	fe_sqr(&s, &a->y);
	fe_sqr(&l, &a->x);
	fe_mul(&t, &a->x, &s);
	fe_neg(&t, &t);
	fe_sqr(&s, &s);
	fe_half(&r->x, &l);
	fe_add(&l, &l, &r->x);
	fe_sqr(&r->x, &l);
	fe_add(&r->x, &r->x, &t);
	fe_add(&r->x, &r->x, &t);
	fe_add(&t, &r->x, &t);
	fe_mul(&t, &l, &t);
	fe_add(&t, &t, &s);
	fe_neg(&r->y, &t);
}

// gej_add_ge sets r = a + b, in 8M + 3S (the formulas madd of EFD). If a = ±b or a is infinity, z
// is zero.
DEVICE void gej_add_ge(gej *r, const gej *a, const ge *b)
{
	fe h, s, t, v;
	fe_sqr(&t, &a->z);
	fe_mul(&h, &b->x, &t);
	fe_mul(&s, &b->y, &t);
	fe_mul(&s, &s, &a->z);
	fe_sub(&h, &h, &a->x); // H = x·Z² − X
	fe_sub(&s, &s, &a->y); // R = y·Z³ − Y
	fe_mul(&r->z, &a->z, &h);
	fe_sqr(&t, &h);
	fe_mul(&v, &a->x, &t); // V = X·H²
	fe_mul(&h, &h, &t);    // H³
	fe_mul(&t, &a->y, &h);
	fe_sqr(&r->x, &s);
	fe_sub(&r->x, &r->x, &h);
	fe_sub(&r->x, &r->x, &v);
	fe_sub(&r->x, &r->x, &v); // X' = R² − H³ − 2V
	fe_sub(&v, &v, &r->x);
	fe_mul(&r->y, &s, &v);
	fe_sub(&r->y, &r->y, &t); // Y' = R·(V − X') − Y·H³
}

// xyzz_add_ge sets r = a + b, in 8M + 2S (the formulas madd-2008-s of EFD). If a = ±b or a is
// infinity, zz and zzz are zero.
DEVICE void xyzz_add_ge(xyzz *r, const xyzz *a, const ge *b)
{
	fe p, s, t, v;
	fe_mul(&p, &b->x, &a->zz);
	fe_sub(&p, &p, &a->x); // P = x·ZZ − X
	fe_sqr(&t, &p);
	fe_mul(&s, &b->y, &a->zzz);
	fe_sub(&s, &s, &a->y); // R = y·ZZZ − Y
	fe_mul(&v, &a->x, &t); // Q = X·P²
	fe_mul(&r->zz, &a->zz, &t);
	fe_mul(&p, &p, &t);    // P³
	fe_mul(&t, &a->y, &p);
	fe_sqr(&r->x, &s);
	fe_mul(&r->zzz, &a->zzz, &p);
	fe_sub(&r->x, &r->x, &p);
	fe_sub(&r->x, &r->x, &v);
	fe_sub(&r->x, &r->x, &v); // X' = R² − P³ − 2Q
	fe_sub(&v, &v, &r->x);
	fe_mul(&r->y, &s, &v);
	fe_sub(&r->y, &r->y, &t); // Y' = R·(Q − X') − Y·P³
}

// xyzz_set_gej sets r = a. If z is zero, so is zz.
DEVICE void xyzz_set_gej(xyzz *r, const gej *a)
{
	r->x = a->x;
	r->y = a->y;
	fe_sqr(&r->zz, &a->z);
	fe_mul(&r->zzz, &r->zz, &a->z);
}

// xyzz_has_x returns 1 if x is the abscissa of a, without a division.
DEVICE u32 xyzz_has_x(const xyzz *a, const fe *x)
{
	fe t;
	fe_mul(&t, x, &a->zz);
	return fe_equal(&t, &a->x);
}

// xyzz_y sets y to the ordinate of a, canonical. inverse is 1/zzz.
DEVICE void xyzz_y(fe *y, const xyzz *a, const fe *inverse)
{
	fe_mul(y, &a->y, inverse);
	fe_normal(y, y);
}

// xyzz_to_ge sets r = a, canonical: 1/zz = (zz/zzz)². inverse is 1/zzz.
DEVICE void xyzz_to_ge(ge *r, const xyzz *a, const fe *inverse)
{
	fe t;
	fe_mul(&t, &a->zz, inverse);
	fe_sqr(&t, &t);
	fe_mul(&t, &t, &a->x);
	fe_normal(&r->x, &t);
	xyzz_y(&r->y, a, inverse);
}

// window_bits returns the w bits of b from bit at on. b has a limb above the one with that bit. The
// index is not known to the compiler, so that b stays in memory and takes no registers.
DEVICE u32 window_bits(const u32 *b, u32 at, u32 w)
{
	u64 two = (u64)b[at / 32 + 1] << 32 | b[at / 32];
	return (u32)(two >> at % 32) & (((u32)1 << w) - 1);
}

// comb_ge sets r to a point of the table.
DEVICE void comb_ge(ge *r, GLOBAL const u32 *words)
{
	fe_load(&r->x, words);
	fe_load(&r->y, words + 8);
}

// comb_at returns the offset in words of point j of window i in a table for windows of w bits,
// which is below 2^31 for the widest.
DEVICE u32 comb_at(u32 w, u32 i, u32 j)
{
	return COMB_POINT * (1 + COMB_POWERS + (i << (w - 1)) + j);
}

// comb_words_of returns the length in words of a table for windows of w bits, which is below 2^31
// for the widest.
DEVICE u32 comb_words_of(u32 w)
{
	u32 last = 255 / w;
	u32 bits = 256 - w * last;
	return comb_at(w, last, (u32)1 << ((bits < w ? bits : w) - 1));
}

// A comb is a scalar as xyzz_add_comb takes it: (x − 1)/2 for the odd one, x, of k and k − n, in
// two's complement.
typedef struct {
	u32 b[9];
} comb;

// comb_set sets r to the scalar k. 0 is even and stands as −n: alone it is infinity, and its last
// addition is exceptional.
DEVICE void comb_set(comb *r, const sc *k)
{
	sc n, t;
	sc_order(&n);
	sc_sub_raw(&t, &n, k);
	u32 minus = (k->v[0] & 1) - 1; // all ones for x = k − n = −t, for which (x − 1)/2 is ~((t − 1)/2)
	UNROLL
	for (int i = 0; i < 8; i++) t.v[i] = minus ? t.v[i] : k->v[i];
	UNROLL
	for (int i = 0; i < 7; i++) r->b[i] = (t.v[i] >> 1 | t.v[i + 1] << 31) ^ minus;
	r->b[7] = t.v[7] >> 1 ^ minus;
	r->b[8] = minus;
}

// comb_read sets r to the addend of window i. For windows that have l bits together, an odd x is
// 2·b − (2^l − 1) with b = (x − 1)/2 + 2^(l−1), so the bits u of b in a window stand for the odd
// digit 2·u − (2^w − 1). Bit l − 1, the highest of the last window, is the one in which b is not
// (x − 1)/2. Digits d and −d have complementary bits and share a point.
DEVICE void comb_read(ge *r, GLOBAL const u32 *gtable, u32 w, u32 i, const comb *c)
{
	u32 bits = window_bits(c->b, w * i, w) ^ (u32)(w * (i + 1) >= 256) << (w - 1);
	u32 negative = bits >> (w - 1) ^ 1;
	u32 j = (bits ^ (0 - negative)) & (((u32)1 << (w - 1)) - 1);
	comb_ge(r, gtable + comb_at(w, i, j));
	ge_cneg(r, negative);
}

// xyzz_add_comb adds the windows of c from number first on to r, without a doubling.
DEVICE void xyzz_add_comb(xyzz *r, const comb *c, u32 first, GLOBAL const u32 *gtable)
{
	ge q;
	u32 w = gtable[0];
	ROLLED
	for (u32 i = first; w * i < 256; i++) {
		comb_read(&q, gtable, w, i, c);
		xyzz_add_ge(r, r, &q);
	}
}

OUTLINE u32 mul_base_call(PRIVATE xyzz *r, PRIVATE const sc *k, GLOBAL const u32 *gtable)
{
	comb c;
	ge q;
	xyzz t;
	comb_set(&c, (const sc *)k);
	comb_read(&q, gtable, gtable[0], 0, &c);
	t.x = q.x;
	t.y = q.y;
	fe_set_int(&t.zz, 1);
	fe_set_int(&t.zzz, 1);
	xyzz_add_comb(&t, &c, 1, gtable);
	*(xyzz *)r = t;
	return !fe_is_zero(&t.zz);
}

// mul_base sets r = k·G, and returns 1, or 0 if an addition was exceptional, as for k = 0.
DEVICE u32 mul_base(xyzz *r, const sc *k, GLOBAL const u32 *gtable)
{
	return mul_base_call((PRIVATE xyzz *)r, (PRIVATE const sc *)k, gtable);
}

OUTLINE u32 add_base_call(PRIVATE xyzz *r, PRIVATE const sc *k, GLOBAL const u32 *gtable)
{
	comb c;
	xyzz t;
	comb_set(&c, (const sc *)k);
	t = *(const xyzz *)r;
	xyzz_add_comb(&t, &c, 0, gtable);
	*(xyzz *)r = t;
	return fe_is_zero(&t.zz) ^ 1;
}

// add_base sets r = r + k·G, and returns 1, or 0 if an addition was exceptional. k may be 0. The r
// that an exception in mul_base leaves has zz = 0, and keeps it: add_base returns 0 for it.
DEVICE u32 add_base(xyzz *r, const sc *k, GLOBAL const u32 *gtable)
{
	return add_base_call((PRIVATE xyzz *)r, (PRIVATE const sc *)k, gtable);
}

// ge_add_coz sets r = q + d for two points with one denominator, d to itself over the denominator
// of r, and ratio to that over the one before: co-Z addition, 4M + 2S (Meloni, "New point addition
// formulae for ECC applications", WAIFI 2007). r is not d.
//
//	C = (X1 − X2)²   W1 = X1·C   W2 = X2·C   A = Y1·(W1 − W2)
//	X3 = (Y1 − Y2)² − W1 − W2    Y3 = (Y1 − Y2)·(W1 − X3) − A    d = (W1, A)
DEVICE void ge_add_coz(ge *r, const ge *q, ge *d, fe *ratio)
{
	fe w, y, t;
	fe_sub(ratio, &d->x, &q->x);
	fe_sqr(&t, ratio);
	fe_mul(&w, &q->x, &t);
	fe_mul(&d->x, &d->x, &t);
	fe_sub(&y, &d->y, &q->y);
	fe_sub(&t, &d->x, &w);
	fe_mul(&d->y, &d->y, &t);
	fe_sqr(&t, &y);
	fe_sub(&t, &t, &d->x);
	fe_sub(&r->x, &t, &w);
	fe_sub(&t, &d->x, &r->x);
	fe_mul(&y, &y, &t);
	fe_sub(&r->y, &y, &d->y);
}

// odd_multiples sets table[i] = (2·i + 1)·p for i below WINDOW_ENTRIES, all over one denominator z:
// the multiple is (x/z², y/z³). On the curve that has (x, y) for that point, additions of entries
// are mixed ones, and the result (X, Y, Z) there is (X, Y, Z·z) here.
//
// The formulas of gej_double leave x·y² and y⁴, which are p over the denominator y of 2p. Then 2p
// is added again and again, and in the end all entries are brought to the last denominator. No
// multiple is ±2p or infinity, because n is prime and larger: nothing is exceptional.
DEVICE void odd_multiples(ge *table, fe *z, const ge *p)
{
	fe ratio[WINDOW_ENTRIES]; // that of entry i over that of entry i − 1
	ge last, twice;
	fe l, t;

	fe_sqr(&t, &p->y);
	fe_mul(&last.x, &p->x, &t);
	fe_sqr(&last.y, &t);
	fe_sqr(&l, &p->x);
	fe_half(&t, &l);
	fe_add(&l, &l, &t);
	fe_sqr(&twice.x, &l);
	fe_sub(&twice.x, &twice.x, &last.x);
	fe_sub(&twice.x, &twice.x, &last.x);
	fe_sub(&t, &last.x, &twice.x);
	fe_mul(&twice.y, &l, &t);
	fe_sub(&twice.y, &twice.y, &last.y);
	ratio[0] = p->y;
	table[0] = last;

	ROLLED
	for (int i = 1; i < WINDOW_ENTRIES; i++) {
		ge_add_coz(&last, &last, &twice, &ratio[i]);
		table[i] = last;
	}

	*z = ratio[WINDOW_ENTRIES - 1];
	ROLLED
	for (int i = WINDOW_ENTRIES - 2; i >= 0; i--) {
		fe_sqr(&t, z);
		fe_mul(&table[i].x, &table[i].x, &t);
		fe_mul(&t, &t, z);
		fe_mul(&table[i].y, &table[i].y, &t);
		fe_mul(z, z, &ratio[i]);
	}
}

// window_read sets r to the point that the bits u of window i of b stand for, the odd digit
// 2·u − (2^WINDOW_BITS − 1), as comb_read does.
DEVICE void window_read(ge *r, const ge *table, const u32 *b, int i)
{
	u32 bits = window_bits(b, (u32)(WINDOW_BITS * i), WINDOW_BITS);
	u32 negative = bits >> (WINDOW_BITS - 1) ^ 1;
	*r = table[(bits ^ (0 - negative)) & (WINDOW_ENTRIES - 1)];
	ge_cneg(r, negative);
}

// mul_point sets r = k·p, over the denominator that odd_multiples made: k = d1 + d2·λ, both in
// windows of odd digits, which share the doublings, and λ·(x, y) = (β·x, y). If an addition was
// exceptional, as the last one is for k = 0, z is zero.
DEVICE void mul_point(gej *r, const sc *k, const ge *p)
{
	ge table[WINDOW_ENTRIES], q;
	fe z;
	u32 b1[6], b2[6];
	odd_multiples(table, &z, p);
	sc_split_odd(b1, b2, k, WINDOW_BITS * WINDOW_COUNT);
	b1[5] = b2[5] = 0;

	window_read(&q, table, b1, WINDOW_COUNT - 1);
	r->x = q.x;
	r->y = q.y;
	fe_set_int(&r->z, 1);
	ROLLED
	for (int i = 2 * WINDOW_COUNT - 2; i >= 0; i--) {
		if (i % 2 == 0) {
			window_read(&q, table, b2, i / 2);
			fe_mul_beta(&q.x, &q.x);
		} else {
			ROLLED
			for (int j = 0; j < WINDOW_BITS; j++) gej_double(r, r);
			window_read(&q, table, b1, i / 2);
		}
		gej_add_ge(r, r, &q);
	}
	// What was computed is on the curve that has (x, y) for the point (x/z², y/z³) of ours.
	fe_mul(&r->z, &r->z, &z);
}

OUTLINE u32 mul_double_call(PRIVATE xyzz *r, PRIVATE const sc *a, PRIVATE const sc *b,
	PRIVATE const ge *p, GLOBAL const u32 *gtable)
{
	gej t;
	xyzz sum;
	comb c;
	comb_set(&c, (const sc *)a);
	mul_point(&t, (const sc *)b, (const ge *)p);
	xyzz_set_gej(&sum, &t);
	xyzz_add_comb(&sum, &c, 0, gtable);
	*(xyzz *)r = sum;
	return !fe_is_zero(&sum.zz);
}

// mul_double sets r = a·G + b·p, and returns 1, or 0 if an addition was exceptional: if b is 0, if
// the sum is infinity, or if a partial sum met the next addend or its negative. a may be 0.
DEVICE u32 mul_double(xyzz *r, const sc *a, const sc *b, const ge *p, GLOBAL const u32 *gtable)
{
	return mul_double_call((PRIVATE xyzz *)r, (PRIVATE const sc *)a, (PRIVATE const sc *)b,
		(PRIVATE const ge *)p, gtable);
}

#endif
