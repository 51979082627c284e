// The terms of a sum of products, in the device's memory: what the kernels of bucket.h take, and
// whatever makes a sum writes. A term is k·P for a point P and a scalar k = d1 + d2·λ (mod n), of
// which the halves d1 and d2 are short. It stands in two arrays:
//
//	points: TERM_POINT words a term: the limbs of x, of y and of β·x, eight words each, canonical,
//	        the least significant first. (β·x, y) is λ·P.
//	halves: TERM_HALF words for d1, and as many for d2: four limbs of |d|, the least significant
//	        first, and a word whose highest bit says that d is negative. Its other bits are zeros.
//
// Both halves of a term that adds nothing are zeros; its point then is any words. |d| is below
// 2^bits, where bits is at most 128 and an argument of the sum. A term of the point (x, y) alone
// has d2 = 0.

#ifndef KOBLITZ_TERMS_H
#define KOBLITZ_TERMS_H

#include "memory.h"
#include "point.h"

#define TERM_POINT 24
#define TERM_HALF 5
#define TERM_NEGATIVE 0x80000000u // in the last word of a half

// A device says of a sum, in the words of its state:
#define STATE_BAD 0   // 0, or 1 if some term is malformed
#define STATE_TOTAL 1 // the entries of the sorted list
#define STATE_WORDS 4 // the others are not used

// term_store writes the point p of term number i, whose coordinates may be loose.
DEVICE void term_store(GLOBAL u32 *points, u32 i, const ge *p)
{
	GLOBAL u32 *to = points + (u64)TERM_POINT * i;
	fe t;
	fe_normal(&t, &p->x);
	fe_store(to, &t);
	fe_normal(&t, &p->y);
	fe_store(to + 8, &t);
	fe_mul_beta(&t, &p->x);
	fe_normal(&t, &t);
	fe_store(to + 16, &t);
}

// half_store writes a half d of term number i, the first or, if second is 1, the second one. d has
// five limbs in two's complement, and |d| < 2^128.
DEVICE void half_store(GLOBAL u32 *halves, u32 i, u32 second, const u32 *d)
{
	GLOBAL u32 *to = halves + (u64)TERM_HALF * (2 * (u64)i + second);
	u32 negative = d[4] >> 31, mask = 0 - negative;
	u64 acc = negative;
	UNROLL
	for (int k = 0; k < 4; k++) {
		acc += d[k] ^ mask;
		to[k] = (u32)acc;
		acc >>= 32;
	}
	to[4] = negative << 31;
}

// halves_clear makes term number i add nothing.
DEVICE void halves_clear(GLOBAL u32 *halves, u32 i)
{
	GLOBAL u32 *to = halves + (u64)2 * TERM_HALF * i;
	UNROLL
	for (int k = 0; k < 2 * TERM_HALF; k++) to[k] = 0;
}

// split_nearest sets c, four limbs, to k·g/2^320, rounded to the nearest. g is below 2^192.
DEVICE void split_nearest(u32 *c, const sc *k, const sc *g)
{
	u32 t[14];
	mul_limbs(t, k->v, 8, g->v, 6);
	u64 acc = t[9] >> 31;
	UNROLL
	for (int i = 0; i < 4; i++) {
		acc += t[10 + i];
		c[i] = (u32)acc;
		acc >>= 32;
	}
}

// halves_store writes the halves of k as those of term number i.
//
// Those of the nearest lattice vector: c1 and c2 are off k·a1/n and k·b1/n by at most
// 1/2 + 2^-64, so that |d1| ≤ (1/2 + 2^-64)·(a1 + a2) < 0.64·2^128, and
// |d2| ≤ (1/2 + 2^-64)·(b1 + a1) < 0.55·2^128 (see sc_split_odd for the names).
DEVICE void halves_store(GLOBAL u32 *halves, u32 i, const sc *k)
{
	sc g1, g2;
	u32 c1[4], c2[4], d1[5], d2[5];
	sc_split_constants(&g1, &g2);
	split_nearest(c1, k, &g1);
	split_nearest(c2, k, &g2);
	sc_split_halves(d1, d2, k, c1, c2);
	half_store(halves, i, 0, d1);
	half_store(halves, i, 1, d2);
}

// fe_is_canonical returns 1 if a is below p.
DEVICE u32 fe_is_canonical(const fe *a)
{
	u32 ones = ~(u32)0;
	UNROLL
	for (int i = 2; i < 8; i++) ones &= a->v[i];
	return !(ones == ~(u32)0 && (a->v[1] > FE_P1 || (a->v[1] == FE_P1 && a->v[0] >= FE_P0)));
}

// ge_is_on_curve returns 1 if y² = x³ + 7.
DEVICE u32 ge_is_on_curve(const ge *p)
{
	fe s, t;
	fe_sqr(&t, &p->x);
	fe_mul(&t, &t, &p->x);
	fe_set_int(&s, 7);
	fe_add(&t, &t, &s);
	fe_sqr(&s, &p->y);
	return fe_equal(&s, &t);
}

// k_sum_terms writes the terms from number first on of n products. A scalar is 32 bytes,
// big-endian and below n; a point is 64, both coordinates, big-endian and below p, or zeros for the
// identity. A term in which one of them is something else is malformed, which is noted in state,
// and adds nothing.
KERNEL void k_sum_terms(ROW_PARAMETER u32 n, u32 first, GLOBAL const u8 *scalars,
	GLOBAL const u8 *encoded, GLOBAL u32 *points, GLOBAL u32 *halves, GLOBAL u32 *state)
{
	u32 row = ROW;
	if (row >= n) return;
	GLOBAL const u8 *b = scalars + 32 * (u64)row;
	sc k, order, t;
	ge p;
	load_be128(k.v, b + 16);
	load_be128(k.v + 4, b);
	b = encoded + 64 * (u64)row;
	load_be128(p.x.v, b + 16);
	load_be128(p.x.v + 4, b);
	load_be128(p.y.v, b + 48);
	load_be128(p.y.v + 4, b + 32);
	sc_order(&order);
	u32 good = sc_sub_raw(&t, &k, &order), any = 0;
	UNROLL
	for (int i = 0; i < 8; i++) any |= p.x.v[i] | p.y.v[i];
	if (any) good &= fe_is_canonical(&p.x) & fe_is_canonical(&p.y) & ge_is_on_curve(&p);
	if (!good) ATOMIC_OR(&state[STATE_BAD], 1);
	if (good && any) {
		term_store(points, first + row, &p);
		halves_store(halves, first + row, &k);
	} else {
		halves_clear(halves, first + row);
	}
}

#endif
