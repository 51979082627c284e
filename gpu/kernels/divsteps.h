// Inversion modulo p and modulo n by division steps (Bernstein and Yang, "Fast constant-time gcd
// computation and modular inversion", ePrint 2019/266), in the variant whose δ starts at 1/2, of
// which 590 steps make g = 0 for any g in [0, m) and any odd m below 2^256.
//
// The steps are done in batches of 30, on the lowest bits of f and g alone. A batch leaves a matrix
// of 2^30 times what the steps do, which then takes f and g on, and d and e with them: f ≡ d·x and
// g ≡ e·x modulo m, where x is what is to be inverted. In the end f is 1 or −1, and d is ±1/x.
//
// Time depends on the number: zeros of g, and bits of g that multiples of f make zeros, are taken
// together.

#ifndef KOBLITZ_DIVSTEPS_H
#define KOBLITZ_DIVSTEPS_H

#include "vendor.h"

#define STEPS 30      // of a batch
#define MAX_BATCHES 20 // 600 steps

// An s270 is a signed number: the sum of v[i]·2^(30·i), where limbs 0 to 7 are in [0, 2^30) and
// limb 8 has the sign. A modulus has limbs of both signs instead, most of which are zeros.
typedef struct {
	i32 v[9];
} s270;

#define LIMB_MASK 0x3fffffff

// A matrix takes (f, g) to ((u·f + v·g)/2^30, (q·f + r·g)/2^30). |u| + |v| and |q| + |r| are at
// most 2^30.
typedef struct {
	i32 u, v, q, r;
} matrix;

// s270_set sets r to the number with eight limbs of 32 bits.
DEVICE void s270_set(s270 *r, const u32 *a)
{
	r->v[0] = (i32)(a[0] & LIMB_MASK);
	UNROLL
	for (int i = 1; i < 8; i++)
		r->v[i] = (i32)((a[i] << 2 * i | a[i - 1] >> (32 - 2 * i)) & LIMB_MASK);
	r->v[8] = (i32)(a[7] >> 16);
}

// batch does 30 steps on f, which is odd, and g, of which it takes the lowest 30 bits. It returns
// ζ = −(δ + 1/2) after them.
//
// A step with δ > 0 and an odd g is (δ, f, g) → (1 − δ, g, (g − f)/2); every other one is
// (1 + δ, f, (g + (g mod 2)·f)/2). After the first, on −f instead of f, come at least ζ + 1 of the
// others, which add w·f to g altogether: with w = −g/f modulo 2^k, the next k bits of g are zeros.
DEVICE i32 batch(matrix *t, i32 zeta, u32 f, u32 g)
{
	u32 u = 1, v = 0, q = 0, r = 1, left = STEPS;
	ROLLED
	for (;;) {
		u32 zeros = ctz(g | (u32)1 << left);
		g >>= zeros;
		u <<= zeros;
		v <<= zeros;
		zeta -= (i32)zeros;
		left -= zeros;
		if (left == 0) break;
		if (zeta < 0) {
			u32 x = f, y = u, z = v;
			f = g, u = q, v = r;
			g = 0 - x, q = 0 - y, r = 0 - z;
			zeta = -zeta - 1;
		}
		// f·(2 − f²) is 1/f modulo 2^6: f is so modulo 2^3.
		u32 k = (u32)zeta + 1;
		k = k < 6 ? k : 6;
		k = k < left ? k : left;
		u32 w = g * f * (f * f - 2) & (((u32)1 << k) - 1);
		g += w * f;
		q += w * u;
		r += w * v;
	}
	t->u = (i32)u;
	t->v = (i32)v;
	t->q = (i32)q;
	t->r = (i32)r;
	return zeta;
}

// apply sets (a, b) to what a matrix takes (a + i·m, b + j·m) to, where i·m and j·m, |i| and
// |j| ≤ 2^29, are what makes the quotients integers. low is 1/m modulo 2^30, or 0 if a and b need
// nothing added. The results are at most m/2 larger than the larger of a and b.
DEVICE void apply(s270 *a, s270 *b, const matrix *t, const i32 *m, u32 low)
{
	i64 x = (i64)t->u * a->v[0] + (i64)t->v * b->v[0];
	i64 y = (i64)t->q * a->v[0] + (i64)t->r * b->v[0];
	i32 i = (i32)((0 - (u32)x * low) << 2) >> 2;
	i32 j = (i32)((0 - (u32)y * low) << 2) >> 2;
	x += (i64)i * m[0];
	y += (i64)j * m[0];
	UNROLL
	for (int k = 1; k < 9; k++) {
		x = (x >> STEPS) + (i64)t->u * a->v[k] + (i64)t->v * b->v[k] + (i64)i * m[k];
		y = (y >> STEPS) + (i64)t->q * a->v[k] + (i64)t->r * b->v[k] + (i64)j * m[k];
		a->v[k - 1] = (i32)x & LIMB_MASK;
		b->v[k - 1] = (i32)y & LIMB_MASK;
	}
	a->v[8] = (i32)(x >> STEPS);
	b->v[8] = (i32)(y >> STEPS);
}

// invert sets r, nine limbs of 32 bits, to a number below 22·m that is 1/a modulo m, or a multiple
// of m if a is 0. a has eight limbs and is below m, low is 1/m modulo 2^30.
//
// d and e begin as 0 and 1 and grow by m/2 a batch, to less than 11·m.
DEVICE void invert(u32 *r, const u32 *a, const i32 *m, u32 low)
{
	s270 f, g, d, e;
	matrix t;
	i32 zeta = -1;
	s270_set(&g, a);
	UNROLL
	for (int i = 0; i < 9; i++) {
		f.v[i] = m[i];
		d.v[i] = 0;
		e.v[i] = i == 0;
	}
	ROLLED
	for (int n = 0; n < MAX_BATCHES; n++) {
		zeta = batch(&t, zeta, (u32)f.v[0], (u32)g.v[0]);
		apply(&f, &g, &t, m, 0);
		apply(&d, &e, &t, m, low);
		i32 rest = 0;
		UNROLL
		for (int i = 0; i < 9; i++) rest |= g.v[i];
		if (rest == 0) break;
	}
	i32 sign = f.v[8] < 0 ? -1 : 1;
	i64 x = 0;
	UNROLL
	for (int i = 0; i < 9; i++) {
		x = (x >> STEPS) + (i64)sign * d.v[i] + (i64)11 * m[i];
		d.v[i] = (i32)x & LIMB_MASK;
	}
	d.v[8] = (i32)x;
	UNROLL
	for (int i = 0; i < 8; i++)
		r[i] = (u32)d.v[i] >> 2 * i | (u32)d.v[i + 1] << (30 - 2 * i);
	r[8] = (u32)d.v[8] >> 16;
}

#endif
