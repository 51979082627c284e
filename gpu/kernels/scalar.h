// The field of integers modulo n, the order of the group (SEC 2 version 2, section 2.4.1), and
// the split of a scalar by the endomorphism.

#ifndef KOBLITZ_SCALAR_H
#define KOBLITZ_SCALAR_H

#include "field.h"

// An sc is an element: eight limbs of 32 bits, the least significant first. It is canonical,
// in [0, n), wherever nothing else is said. Results may be arguments.
typedef struct {
	u32 v[8];
} sc;

// sc_set sets r to the number with eight limbs, the most significant first.
DEVICE void sc_set(sc *r, u32 v7, u32 v6, u32 v5, u32 v4, u32 v3, u32 v2, u32 v1, u32 v0)
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

// sc_set_int sets r = k.
DEVICE void sc_set_int(sc *r, u32 k)
{
	sc_set(r, 0, 0, 0, 0, 0, 0, 0, k);
}

// sc_order sets r = n, which is not canonical.
DEVICE void sc_order(sc *r)
{
	sc_set(r, 0xffffffffu, 0xffffffffu, 0xffffffffu, 0xfffffffeu,
		0xbaaedce6u, 0xaf48a03bu, 0xbfd25e8cu, 0xd0364141u);
}

// sc_sub_raw sets r = a − b modulo 2^256 for any limbs, and returns 1 if a < b.
DEVICE u32 sc_sub_raw(sc *r, const sc *a, const sc *b)
{
	u64 d = 0;
	UNROLL
	for (int i = 0; i < 8; i++) {
		d = (u64)a->v[i] - b->v[i] - (d >> 63);
		r->v[i] = (u32)d;
	}
	return (u32)(d >> 63);
}

// sc_reduce sets r = carry·2^256 + a modulo n. The number must be below 2n.
DEVICE void sc_reduce(sc *r, const sc *a, u32 carry)
{
	sc n, t;
	sc_order(&n);
	u32 less = sc_sub_raw(&t, a, &n);
	u32 keep = less && !carry;
	UNROLL
	for (int i = 0; i < 8; i++) r->v[i] = keep ? a->v[i] : t.v[i];
}

// sc_load_be sets r to the number that 32 bytes encode, the most significant first, and returns
// 1 if it is below n. If it is not, r is not canonical.
DEVICE u32 sc_load_be(sc *r, GLOBAL const u8 *b)
{
	sc n, t;
	UNROLL
	for (int i = 0; i < 8; i++) r->v[i] = load_be32(b + 28 - 4 * i);
	sc_order(&n);
	return sc_sub_raw(&t, r, &n);
}

// sc_load_be_reduced sets r to the number that 32 bytes encode, modulo n: 2^256 < 2n.
DEVICE void sc_load_be_reduced(sc *r, GLOBAL const u8 *b)
{
	sc_load_be(r, b);
	sc_reduce(r, r, 0);
}

// sc_store_be writes a as 32 bytes, the most significant first.
DEVICE void sc_store_be(GLOBAL u8 *b, const sc *a)
{
	UNROLL
	for (int i = 0; i < 8; i++) store_be32(b + 28 - 4 * i, a->v[i]);
}

// sc_is_zero returns 1 if a is 0.
DEVICE u32 sc_is_zero(const sc *a)
{
	u32 any = 0;
	UNROLL
	for (int i = 0; i < 8; i++) any |= a->v[i];
	return any == 0;
}

// sc_is_high returns 1 if a is above n/2.
DEVICE u32 sc_is_high(const sc *a)
{
	sc middle, t;
	sc_set(&middle, 0x7fffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu,
		0x5d576e73u, 0x57a4501du, 0xdfe92f46u, 0x681b20a0u);
	return sc_sub_raw(&t, &middle, a);
}

// sc_add sets r = a + b.
DEVICE void sc_add(sc *r, const sc *a, const sc *b)
{
	u64 acc = 0;
	UNROLL
	for (int i = 0; i < 8; i++) {
		acc += (u64)a->v[i] + b->v[i];
		r->v[i] = (u32)acc;
		acc >>= 32;
	}
	sc_reduce(r, r, (u32)acc);
}

// sc_neg sets r = −a.
DEVICE void sc_neg(sc *r, const sc *a)
{
	sc n;
	u32 zero = sc_is_zero(a);
	sc_order(&n);
	sc_sub_raw(r, &n, a);
	UNROLL
	for (int i = 0; i < 8; i++) r->v[i] = zero ? 0 : r->v[i];
}

// sc_add_multiples adds d·h to the limbs t, where d = 2^256 − n has five limbs and h has len. The
// sum must fit in the 13 limbs that t has.
DEVICE void sc_add_multiples(u32 *t, const u32 *h, int len)
{
	const u32 d[5] = {0x2fc9bebfu, 0x402da173u, 0x50b75fc4u, 0x45512319u, 1};
	UNROLL
	for (int i = 0; i < len; i++) {
		u64 acc = 0;
		UNROLL
		for (int j = 0; j < 5; j++) {
			acc += (u64)h[i] * d[j] + t[i + j];
			t[i + j] = (u32)acc;
			acc >>= 32;
		}
		UNROLL
		for (int k = i + 5; k < 13; k++) {
			acc += t[k];
			t[k] = (u32)acc;
			acc >>= 32;
		}
	}
}

// sc_fold moves what the 13 limbs t have above 2^256 to h, five limbs, and adds d times that.
DEVICE void sc_fold(u32 *t, u32 *h)
{
	UNROLL
	for (int i = 0; i < 5; i++) {
		h[i] = t[8 + i];
		t[8 + i] = 0;
	}
	sc_add_multiples(t, h, 5);
}

#ifdef PTX
#include "ptx_scalar.h"
#else

// sc_product sets r = a·b.
//
// 2^256 ≡ d modulo n, and d < 2^129. The product is below 2^512. The part above 2^256 times d
// is added to the part below, which leaves less than 2^386; once more, with less than
// 2^130·d, less than 2^260; once more, with less than 2^4·d, less than 2^256 + 2^133, which is
// below 2n.
DEVICE void sc_product(sc *r, const sc *a, const sc *b)
{
	u32 t[16], h[8];
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
	UNROLL
	for (int i = 0; i < 8; i++) {
		h[i] = t[8 + i];
		t[8 + i] = 0;
	}
	sc_add_multiples(t, h, 8);
	sc_fold(t, h);
	sc_fold(t, h);
	UNROLL
	for (int i = 0; i < 8; i++) r->v[i] = t[i];
	sc_reduce(r, r, t[8]);
}

#endif

OUTLINE void sc_mul_call(PRIVATE sc *r, PRIVATE const sc *a, PRIVATE const sc *b)
{
	sc_product((sc *)r, (const sc *)a, (const sc *)b);
}

// sc_mul sets r = a·b.
DEVICE void sc_mul(sc *r, const sc *a, const sc *b)
{
	sc_mul_call((PRIVATE sc *)r, (PRIVATE const sc *)a, (PRIVATE const sc *)b);
}

OUTLINE void sc_inv_call(PRIVATE sc *r, PRIVATE const sc *a)
{
	const i32 n[9] = {
		-0x2fc9bebf, -0xb685cc, -0xb75fc44, -0x1448c654, -0x145, 0, 0, 0, 1 << 16,
	};
	u32 t[13], h[5];
	sc s = *(const sc *)a;
	invert(t, s.v, n, 0x2a774ec1u);
	UNROLL
	for (int i = 9; i < 13; i++) t[i] = 0;
	// d times the part above 2^256, which is below 2^6, leaves less than 2^256 + 2^135.
	sc_fold(t, h);
	UNROLL
	for (int i = 0; i < 8; i++) s.v[i] = t[i];
	sc_reduce((sc *)r, &s, t[8]);
}

// sc_inv sets r = 1/a, or 0 if a is 0.
DEVICE void sc_inv(sc *r, const sc *a)
{
	sc_inv_call((PRIVATE sc *)r, (PRIVATE const sc *)a);
}

// mul_limbs sets the limbs r = a·b, of which a has m and b has k.
DEVICE void mul_limbs(u32 *r, const u32 *a, int m, const u32 *b, int k)
{
	UNROLL
	for (int i = 0; i < m + k; i++) r[i] = 0;
	UNROLL
	for (int i = 0; i < m; i++) {
		u64 acc = 0;
		UNROLL
		for (int j = 0; j < k; j++) {
			acc += (u64)a[i] * b[j] + r[i + j];
			r[i + j] = (u32)acc;
			acc >>= 32;
		}
		r[i + k] = (u32)acc;
	}
}

// sc_split_quotient sets c, four limbs, to k·g/2^320 rounded down, plus one if its lowest bit is
// not odd then. g is below 2^192.
DEVICE void sc_split_quotient(u32 *c, const sc *k, const sc *g, u32 odd)
{
	u32 t[14];
	mul_limbs(t, k->v, 8, g->v, 6);
	u64 acc = (t[10] ^ odd) & 1;
	UNROLL
	for (int i = 0; i < 4; i++) {
		acc += t[10 + i];
		c[i] = (u32)acc;
		acc >>= 32;
	}
}

// sc_split_sub sets r = x − y modulo 2^160, for five limbs each.
DEVICE void sc_split_sub(u32 *r, const u32 *x, const u32 *y)
{
	u64 d = 0;
	UNROLL
	for (int i = 0; i < 5; i++) {
		d = (u64)x[i] - y[i] - (d >> 63);
		r[i] = (u32)d;
	}
}

// sc_split_offset sets x = (d + 2^bits − 1)/2, where x is d, odd and |d| < 2^bits, in two's
// complement of five limbs. The result is below 2^bits, for bits from 129 to 160: cut into windows
// of w bits, where w divides bits, a window u stands for the odd digit 2·u − (2^w − 1).
DEVICE void sc_split_offset(u32 *x, u32 bits)
{
	u32 sign = x[4] & 0x80000000u;
	UNROLL
	for (int i = 0; i < 4; i++) x[i] = x[i] >> 1 | x[i + 1] << 31;
	x[4] = (x[4] >> 1 | sign) + ((u32)1 << (bits - 129));
}

// sc_split_halves sets d1 = k − c1·a1 − c2·a2 and d2 = c1·b1 − c2·a1 modulo 2^160, five limbs each.
// c1 and c2 have four limbs. k = d1 + d2·λ modulo n, whatever they are.
DEVICE void sc_split_halves(u32 *d1, u32 *d2, const sc *k, const u32 *c1, const u32 *c2)
{
	const u32 va1[4] = {0x9284eb15u, 0xe86c90e4u, 0xa7d46bcdu, 0x3086d221u};
	const u32 vb1[4] = {0x0abfe4c3u, 0x6f547fa9u, 0x010e8828u, 0xe4437ed6u};
	const u32 va2[5] = {0x9d44cfd8u, 0x57c1108du, 0xa8e2f3f6u, 0x14ca50f7u, 1};
	u32 x[8], y[9];
	mul_limbs(x, c1, 4, va1, 4);
	mul_limbs(y, c2, 4, va2, 5);
	sc_split_sub(d1, k->v, x);
	sc_split_sub(d1, d1, y);
	mul_limbs(x, c1, 4, vb1, 4);
	mul_limbs(y, c2, 4, va1, 4);
	sc_split_sub(d2, x, y);
}

// sc_split_constants sets g1 = round(2^320·a1/n) and g2 = round(2^320·b1/n).
DEVICE void sc_split_constants(sc *g1, sc *g2)
{
	sc_set(g1, 0, 0, 0x3086d221u, 0xa7d46bcdu, 0xe86c90e4u, 0x9284eb15u, 0x3daa8a14u, 0x71e8ca80u);
	sc_set(g2, 0, 0, 0xe4437ed6u, 0x010e8828u, 0x6f547fa9u, 0x0abfe4c4u, 0x221208acu, 0x9df506c6u);
}

// sc_split_odd finds odd d1 and d2 with k = d1 + d2·λ modulo n and |d1|, |d2| < 2^129, and sets
// b1 and b2, five limbs each, to (d + 2^bits − 1)/2.
//
// As in internal/scalar/split_odd.go, with g1 = round(2^320·a1/n) and g2 = round(2^320·b1/n),
//
//	d1 = k − c1·a1 − c2·a2 ≡ k + c1
//	d2 = c1·b1 − c2·a1     ≡ c1 + c2    (mod 2)
//
// where c1 is that neighbour of k·a1/n whose parity is not k's, and c2 that neighbour of k·b1/n
// whose parity is k's. The errors are below 1 + 2^-62 each, so that |d1| < 1.272·2^128 and
// |d2| < 1.083·2^128.
DEVICE void sc_split_odd(u32 *b1, u32 *b2, const sc *k, u32 bits)
{
	sc g1, g2;
	u32 odd = k->v[0] & 1, c1[4], c2[4];
	sc_split_constants(&g1, &g2);
	sc_split_quotient(c1, k, &g1, odd ^ 1);
	sc_split_quotient(c2, k, &g2, odd);
	sc_split_halves(b1, b2, k, c1, c2);
	sc_split_offset(b1, bits);
	sc_split_offset(b2, bits);
}

#endif
