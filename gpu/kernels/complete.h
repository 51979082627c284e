// Additions of points in sums, where anything may meet anything: they are complete, by branches.
// A point at infinity has zeros for zz and zzz.

#ifndef KOBLITZ_COMPLETE_H
#define KOBLITZ_COMPLETE_H

#include "memory.h"
#include "point.h"

#define XYZZ_WORDS 32 // of a point in memory: x, y, zz and zzz

// xyzz_set_infinity sets r to the point at infinity.
DEVICE void xyzz_set_infinity(xyzz *r)
{
	fe_set_int(&r->x, 1);
	fe_set_int(&r->y, 1);
	fe_set_int(&r->zz, 0);
	fe_set_int(&r->zzz, 0);
}

// xyzz_is_infinity returns 1 if a is the point at infinity.
DEVICE u32 xyzz_is_infinity(const xyzz *a)
{
	return fe_is_zero(&a->zz);
}

// xyzz_load sets r to the point in memory at p.
DEVICE void xyzz_load(xyzz *r, GLOBAL const u32 *p)
{
	fe_load(&r->x, p);
	fe_load(&r->y, p + 8);
	fe_load(&r->zz, p + 16);
	fe_load(&r->zzz, p + 24);
}

// xyzz_store writes a to memory at p.
DEVICE void xyzz_store(GLOBAL u32 *p, const xyzz *a)
{
	fe_store(p, &a->x);
	fe_store(p + 8, &a->y);
	fe_store(p + 16, &a->zz);
	fe_store(p + 24, &a->zzz);
}

// xyzz_double sets r = 2r, in 6M + 4S (the formulas dbl-2008-s-1 of EFD for a = 0). For infinity zz
// and zzz stay zero, and for others they do not become it: there are no points of order 2.
OUTLINE void xyzz_double(xyzz *r)
{
	fe u, v, w, s, m;
	fe_add(&u, &r->y, &r->y); // U = 2Y
	fe_sqr(&v, &u);           // V = U²
	fe_mul(&r->zz, &v, &r->zz);
	fe_mul(&w, &u, &v); // W = U·V
	fe_mul(&r->zzz, &w, &r->zzz);
	fe_mul(&s, &r->x, &v); // S = X·V
	fe_sqr(&m, &r->x);
	fe_mul_int(&m, &m, 3); // M = 3X²
	fe_mul(&w, &w, &r->y);
	fe_sqr(&r->x, &m);
	fe_sub(&r->x, &r->x, &s);
	fe_sub(&r->x, &r->x, &s); // X' = M² − 2S
	fe_sub(&s, &s, &r->x);
	fe_mul(&s, &m, &s);
	fe_sub(&r->y, &s, &w); // Y' = M·(S − X') − W·Y
}

// xyzz_set_ge sets r = p.
DEVICE void xyzz_set_ge(xyzz *r, const ge *p)
{
	r->x = p->x;
	r->y = p->y;
	fe_set_int(&r->zz, 1);
	fe_set_int(&r->zzz, 1);
}

// xyzz_tangent sets p = 2y and s = 3x²: what P and R are in the doubling of a point with x and y,
// which goes on like an addition then, but for one term of X'.
DEVICE void xyzz_tangent(fe *p, fe *s, const fe *x, const fe *y)
{
	fe_add(p, y, y);
	fe_sqr(s, x);
	fe_mul_int(s, s, 3);
}

// xyzz_sum_ge sets r = r + b: the formulas of xyzz_add_ge where they hold. If the difference of the
// abscissas is 0, the sum is 2r (the formulas dbl-2008-s-1 of EFD for a = 0) or infinity.
DEVICE void xyzz_sum_ge(xyzz *r, const ge *b)
{
	fe p, s, t, v;
	u32 same = 0;
	if (xyzz_is_infinity(r)) {
		xyzz_set_ge(r, b);
		return;
	}
	fe_mul(&p, &b->x, &r->zz);
	fe_sub(&p, &p, &r->x); // P = x·ZZ − X
	fe_mul(&s, &b->y, &r->zzz);
	fe_sub(&s, &s, &r->y); // R = y·ZZZ − Y
	if (fe_is_zero(&p)) {
		if (!fe_is_zero(&s)) {
			xyzz_set_infinity(r);
			return;
		}
		same = 1;
		xyzz_tangent(&p, &s, &r->x, &r->y);
	}
	fe_sqr(&t, &p);
	fe_mul(&r->zz, &r->zz, &t);
	fe_mul(&v, &r->x, &t); // Q = X·P²
	fe_mul(&p, &p, &t);    // P³
	fe_mul(&r->zzz, &r->zzz, &p);
	fe_sqr(&r->x, &s);
	fe_mul(&t, &r->y, &p);
	if (!same) fe_sub(&r->x, &r->x, &p);
	fe_sub(&r->x, &r->x, &v);
	fe_sub(&r->x, &r->x, &v); // X' = R² − P³ − 2Q, or R² − 2Q for 2r
	fe_sub(&v, &v, &r->x);
	fe_mul(&r->y, &s, &v);
	fe_sub(&r->y, &r->y, &t); // Y' = R·(Q − X') − Y·P³
}

// xyzz_sum sets r = r + b, in 12M + 2S (the formulas add-2008-s of EFD) where neither is infinity
// and r is not ±b. For r = b it goes on with the formulas dbl-2008-s-1. They are two variables.
OUTLINE void xyzz_sum(xyzz *r, const xyzz *b)
{
	fe p, q, s, t, v;
	u32 same = 0;
	if (xyzz_is_infinity(b)) return;
	if (xyzz_is_infinity(r)) {
		*r = *b;
		return;
	}
	fe_mul(&s, &b->y, &r->zzz); // S2
	fe_mul(&r->zzz, &r->zzz, &b->zzz);
	fe_mul(&p, &b->x, &r->zz);  // U2
	fe_mul(&q, &r->x, &b->zz);  // U1
	fe_mul(&r->zz, &r->zz, &b->zz);
	fe_mul(&v, &r->y, &b->zzz); // S1
	fe_sub(&s, &s, &v);         // R = S2 − S1
	fe_sub(&p, &p, &q);         // P = U2 − U1
	if (fe_is_zero(&p)) {
		if (!fe_is_zero(&s)) {
			xyzz_set_infinity(r);
			return;
		}
		same = 1; // and r is (q, v) over the products of zz and of zzz
		xyzz_tangent(&p, &s, &q, &v);
	}
	fe_sqr(&t, &p); // P²
	fe_mul(&r->zz, &r->zz, &t);
	fe_mul(&q, &q, &t); // Q = U1·P²
	fe_mul(&p, &p, &t); // P³
	fe_mul(&v, &v, &p); // S1·P³
	fe_mul(&r->zzz, &r->zzz, &p);
	fe_sqr(&t, &s);
	if (!same) fe_sub(&t, &t, &p);
	fe_sub(&t, &t, &q);
	fe_sub(&r->x, &t, &q); // X' = R² − P³ − 2Q, or R² − 2Q for 2b
	fe_sub(&q, &q, &r->x);
	fe_mul(&q, &q, &s);
	fe_sub(&r->y, &q, &v); // Y' = R·(Q − X') − S1·P³
}

#endif
