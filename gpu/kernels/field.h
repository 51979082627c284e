// The field of integers modulo p = 2^256 − c, c = 2^32 + 977 (SEC 2 version 2, section 2.4.1).
// The ranges of values are those of docs/field-bounds.md: loose is [0, 2^256), canonical is
// [0, p).

#ifndef KOBLITZ_FIELD_H
#define KOBLITZ_FIELD_H

#include "divsteps.h"

// An fe is an element: eight limbs of 32 bits, the least significant first. It is loose
// wherever nothing else is said: any value of the limbs stands for its residue. Results may be
// arguments.
typedef struct {
	u32 v[8];
} fe;

#define FE_C0 977u         // the low limb of c; the other is 1
#define FE_P0 0xfffffc2fu  // the limbs of p: P0, P1, and six of all ones
#define FE_P1 0xfffffffeu

// fe_set sets r to the number with eight limbs, the most significant first.
DEVICE void fe_set(fe *r, u32 v7, u32 v6, u32 v5, u32 v4, u32 v3, u32 v2, u32 v1, u32 v0)
{
	r->v[0] = v0;
	r->v[1] = v1;
	r->v[2] = v2;
	r->v[3] = v3;
	r->v[4] = v4;
	r->v[5] = v5;
	r->v[6] = v6;
	r->v[7] = v7;
}

// fe_set_int sets r = k.
DEVICE void fe_set_int(fe *r, u32 k)
{
	fe_set(r, 0, 0, 0, 0, 0, 0, 0, k);
}

// fe_cmov sets r = a if flag is 1, and leaves it if flag is 0.
DEVICE void fe_cmov(fe *r, const fe *a, u32 flag)
{
	UNROLL
	for (int i = 0; i < 8; i++) r->v[i] = flag ? a->v[i] : r->v[i];
}

// fe_fold sets r = a + top·2^256 for top ≤ 2^33.
//
// top·c < 2^66 is added. If that carries out of 256 bits, less than 2^66 is left, and the carry is
// worth another c: their sum fits in three limbs.
DEVICE void fe_fold(fe *r, const fe *a, u64 top)
{
	u64 product = top * FE_C0; // below 2^43
	u64 acc = (u64)a->v[0] + (u32)product;
	r->v[0] = (u32)acc;
	acc = (acc >> 32) + a->v[1] + (product >> 32) + (u32)top;
	r->v[1] = (u32)acc;
	acc = (acc >> 32) + a->v[2] + (top >> 32);
	r->v[2] = (u32)acc;
	UNROLL
	for (int i = 3; i < 8; i++) {
		acc = (acc >> 32) + a->v[i];
		r->v[i] = (u32)acc;
	}
	u64 carry = acc >> 32;
	acc = r->v[0] + carry * FE_C0;
	r->v[0] = (u32)acc;
	acc = (acc >> 32) + r->v[1] + carry;
	r->v[1] = (u32)acc;
	r->v[2] += (u32)(acc >> 32);
}

#ifdef PTX
#include "ptx.h"
#else

// fe_add sets r = a + b.
DEVICE void fe_add(fe *r, const fe *a, const fe *b)
{
	u64 acc = 0;
	UNROLL
	for (int i = 0; i < 8; i++) {
		acc += (u64)a->v[i] + b->v[i];
		r->v[i] = (u32)acc;
		acc >>= 32;
	}
	fe_fold(r, r, acc);
}

// fe_sub sets r = a − b.
//
// A borrow is worth c. Taking c away can borrow again, and what is left is then at least
// 2^256 − c: taking c away again changes the low two limbs alone.
DEVICE void fe_sub(fe *r, const fe *a, const fe *b)
{
	u64 borrow = 0;
	UNROLL
	for (int i = 0; i < 8; i++) {
		u64 d = (u64)a->v[i] - b->v[i] - borrow;
		r->v[i] = (u32)d;
		borrow = d >> 63;
	}
	UNROLL
	for (int round = 0; round < 2; round++) {
		u64 d = (u64)r->v[0] - borrow * FE_C0;
		r->v[0] = (u32)d;
		d = (u64)r->v[1] - borrow - (d >> 63);
		r->v[1] = (u32)d;
		UNROLL
		for (int i = 2; i < 8; i++) {
			d = (u64)r->v[i] - (d >> 63);
			r->v[i] = (u32)d;
		}
		borrow = d >> 63;
	}
}

// fe_reduce sets r to the number with the sixteen limbs t.
//
// With h the upper half of t, c·h is added to the lower half. The part of the sum above 2^256 is
// at most c (docs/field-bounds.md, the third fold of a product).
DEVICE void fe_reduce(fe *r, const u32 *t)
{
	u64 acc = 0;
	u32 above = 0; // the limb of h before, which c's second limb multiplies
	UNROLL
	for (int i = 0; i < 8; i++) {
		acc += (u64)t[8 + i] * FE_C0 + t[i] + above;
		r->v[i] = (u32)acc;
		acc >>= 32;
		above = t[8 + i];
	}
	fe_fold(r, r, acc + above);
}

// fe_mul sets r = a·b.
DEVICE void fe_mul(fe *r, const fe *a, const fe *b)
{
	u32 t[16];
	UNROLL
	for (int i = 0; i < 16; i++) t[i] = 0;
	UNROLL
	for (int i = 0; i < 8; i++) {
		u64 acc = 0;
		UNROLL
		for (int j = 0; j < 8; j++) {
			acc += (u64)a->v[i] * b->v[j] + t[i + j];
			t[i + j] = (u32)acc;
			acc >>= 32;
		}
		t[i + 8] = (u32)acc;
	}
	fe_reduce(r, t);
}

// fe_sqr sets r = a²: twice the products of two different limbs, and the squares of limbs.
DEVICE void fe_sqr(fe *r, const fe *a)
{
	u32 t[16];
	UNROLL
	for (int i = 0; i < 16; i++) t[i] = 0;
	UNROLL
	for (int i = 0; i < 7; i++) {
		u64 acc = 0;
		UNROLL
		for (int j = i + 1; j < 8; j++) {
			acc += (u64)a->v[i] * a->v[j] + t[i + j];
			t[i + j] = (u32)acc;
			acc >>= 32;
		}
		t[i + 8] = (u32)acc;
	}
	u64 acc = 0;
	u32 below = 0; // the limb of t before, as it was
	UNROLL
	for (int i = 0; i < 8; i++) {
		u32 low = t[2 * i], high = t[2 * i + 1];
		acc += (u64)a->v[i] * a->v[i] + (low << 1 | below >> 31);
		t[2 * i] = (u32)acc;
		acc = (acc >> 32) + (high << 1 | low >> 31);
		t[2 * i + 1] = (u32)acc;
		acc >>= 32;
		below = high;
	}
	fe_reduce(r, t);
}

#endif

// fe_neg sets r = −a.
DEVICE void fe_neg(fe *r, const fe *a)
{
	fe zero;
	fe_set_int(&zero, 0);
	fe_sub(r, &zero, a);
}

// fe_mul_int sets r = k·a.
DEVICE void fe_mul_int(fe *r, const fe *a, u32 k)
{
	u64 acc = 0;
	UNROLL
	for (int i = 0; i < 8; i++) {
		acc += (u64)a->v[i] * k;
		r->v[i] = (u32)acc;
		acc >>= 32;
	}
	fe_fold(r, r, acc);
}

// fe_half sets r = a/2: a + p is even if a is odd, and its half is below 2^256.
DEVICE void fe_half(fe *r, const fe *a)
{
	u32 mask = 0 - (a->v[0] & 1);
	u64 acc = (u64)a->v[0] + (mask & FE_P0);
	u32 below = (u32)acc;
	acc = (acc >> 32) + a->v[1] + (mask & FE_P1);
	UNROLL
	for (int i = 1; i < 8; i++) {
		r->v[i - 1] = below >> 1 | (u32)acc << 31;
		below = (u32)acc;
		if (i < 7) acc = (acc >> 32) + a->v[i + 1] + mask;
	}
	r->v[7] = below >> 1 | (u32)(acc >> 32) << 31;
}

// fe_mul_beta sets r = β·a, β the cube root of 1 that goes with λ.
DEVICE void fe_mul_beta(fe *r, const fe *a)
{
	fe beta;
	fe_set(&beta, 0x7ae96a2bu, 0x657c0710u, 0x6e64479eu, 0xac3434e9u,
		0x9cf04975u, 0x12f58995u, 0xc1396c28u, 0x719501eeu);
	fe_mul(r, a, &beta);
}

// fe_normal sets r = a, canonical. If a + c does not fit in 256 bits, a is at least p, and what
// is left of the sum is a − p.
DEVICE void fe_normal(fe *r, const fe *a)
{
	fe t;
	u64 acc = (u64)a->v[0] + FE_C0;
	t.v[0] = (u32)acc;
	acc = (acc >> 32) + a->v[1] + 1;
	t.v[1] = (u32)acc;
	UNROLL
	for (int i = 2; i < 8; i++) {
		acc = (acc >> 32) + a->v[i];
		t.v[i] = (u32)acc;
	}
	u32 above = (u32)(acc >> 32);
	*r = *a;
	fe_cmov(r, &t, above);
}

// fe_is_zero returns 1 if a stands for 0, that is, if its value is 0 or p.
DEVICE u32 fe_is_zero(const fe *a)
{
	u32 zero = a->v[0] | a->v[1];
	u32 p = (a->v[0] ^ FE_P0) | (a->v[1] ^ FE_P1);
	UNROLL
	for (int i = 2; i < 8; i++) {
		zero |= a->v[i];
		p |= ~a->v[i];
	}
	return zero == 0 || p == 0;
}

// fe_equal returns 1 if a and b stand for the same residue.
DEVICE u32 fe_equal(const fe *a, const fe *b)
{
	fe d;
	fe_sub(&d, a, b);
	return fe_is_zero(&d);
}

// fe_is_odd returns the lowest bit of the canonical a.
DEVICE u32 fe_is_odd(const fe *a)
{
	fe t;
	fe_normal(&t, a);
	return t.v[0] & 1;
}

// fe_load_be sets r to the number that 32 bytes encode, the most significant first, and returns
// 1 if it is below p.
DEVICE u32 fe_load_be(fe *r, GLOBAL const u8 *b)
{
	UNROLL
	for (int i = 0; i < 8; i++) r->v[i] = load_be32(b + 28 - 4 * i);
	u32 ones = ~(u32)0;
	UNROLL
	for (int i = 2; i < 8; i++) ones &= r->v[i];
	return !(ones == ~(u32)0 && (r->v[1] > FE_P1 || (r->v[1] == FE_P1 && r->v[0] >= FE_P0)));
}

// fe_store_be writes the canonical a as 32 bytes, the most significant first.
DEVICE void fe_store_be(GLOBAL u8 *b, const fe *a)
{
	fe t;
	fe_normal(&t, a);
	UNROLL
	for (int i = 0; i < 8; i++) store_be32(b + 28 - 4 * i, t.v[i]);
}

// fe_sqr_n sets r = a^(2^n).
DEVICE void fe_sqr_n(fe *r, const fe *a, int n)
{
	*r = *a;
	ROLLED
	for (int i = 0; i < n; i++) fe_sqr(r, r);
}

// fe_ones sets x2 = a^3, x22 = a^(2^22 − 1) and x223 = a^(2^223 − 1), by the chain
//
//	1 2 3 6 9 11 22 44 88 176 220 223
//
// of lengths of runs of ones: x(M+N) = xM^(2^N)·xN.
DEVICE void fe_ones(fe *x2, fe *x22, fe *x223, const fe *a)
{
	fe x3, x44, x88, t;
	fe_sqr(x2, a);
	fe_mul(x2, x2, a);
	fe_sqr(&x3, x2);
	fe_mul(&x3, &x3, a);
	fe_sqr_n(&t, &x3, 3);
	fe_mul(&t, &t, &x3); // x6
	fe_sqr_n(&t, &t, 3);
	fe_mul(&t, &t, &x3); // x9
	fe_sqr_n(&t, &t, 2);
	fe_mul(&t, &t, x2); // x11
	fe_sqr_n(x22, &t, 11);
	fe_mul(x22, x22, &t);
	fe_sqr_n(&x44, x22, 22);
	fe_mul(&x44, &x44, x22);
	fe_sqr_n(&x88, &x44, 44);
	fe_mul(&x88, &x88, &x44);
	fe_sqr_n(&t, &x88, 88);
	fe_mul(&t, &t, &x88); // x176
	fe_sqr_n(&t, &t, 44);
	fe_mul(&t, &t, &x44); // x220
	fe_sqr_n(&t, &t, 3);
	fe_mul(x223, &t, &x3);
}

OUTLINE void fe_inv_call(PRIVATE fe *r, PRIVATE const fe *a)
{
	const i32 p[9] = {-977, -4, 0, 0, 0, 0, 0, 0, 1 << 16};
	fe t;
	u32 u[9];
	fe_normal(&t, (const fe *)a);
	invert(u, t.v, p, 0x2ddacacfu);
	UNROLL
	for (int i = 0; i < 8; i++) t.v[i] = u[i];
	fe_fold((fe *)r, &t, u[8]);
}

// fe_inv sets r = 1/a, or 0 if a is 0.
DEVICE void fe_inv(fe *r, const fe *a)
{
	fe_inv_call((PRIVATE fe *)r, (PRIVATE const fe *)a);
}

OUTLINE u32 fe_sqrt_call(PRIVATE fe *r, PRIVATE const fe *a)
{
	fe x = *(const fe *)a, x2, x22, t, square;
	fe_ones(&x2, &x22, &t, &x);
	fe_sqr_n(&t, &t, 23);
	fe_mul(&t, &t, &x22);
	fe_sqr_n(&t, &t, 6);
	fe_mul(&t, &t, &x2);
	fe_sqr_n(&t, &t, 2);
	fe_sqr(&square, &t);
	*(fe *)r = t;
	return fe_equal(&square, &x);
}

// fe_sqrt sets r = a^((p+1)/4), and returns 1 if that is a root of a and 0 if a has none.
// (p+1)/4 in binary is 223 ones, 0, 22 ones, 0000, 11, 00.
DEVICE u32 fe_sqrt(fe *r, const fe *a)
{
	return fe_sqrt_call((PRIVATE fe *)r, (PRIVATE const fe *)a);
}

#endif
