// Benchmarks of points and their multiples. Coordinates in memory are as fe_read has them, in the
// order x, y, z or x, y, zz, zzz; scalars are canonical and stand there in the same way.

#ifndef KOBLITZ_BENCH_POINT_H
#define KOBLITZ_BENCH_POINT_H

#include "bench_field.h"
#include "point.h"

DEVICE void ge_read(ge *r, GLOBAL const u32 *column, u32 n, u32 i)
{
	fe_read(&r->x, column, n, i, 0);
	fe_read(&r->y, column, n, i, 1);
}

DEVICE void ge_write(GLOBAL u32 *column, u32 n, u32 i, const ge *a)
{
	fe_write(column, n, i, 0, &a->x);
	fe_write(column, n, i, 1, &a->y);
}

DEVICE void gej_read(gej *r, GLOBAL const u32 *column, u32 n, u32 i)
{
	fe_read(&r->x, column, n, i, 0);
	fe_read(&r->y, column, n, i, 1);
	fe_read(&r->z, column, n, i, 2);
}

DEVICE void gej_write(GLOBAL u32 *column, u32 n, u32 i, const gej *a)
{
	fe_write(column, n, i, 0, &a->x);
	fe_write(column, n, i, 1, &a->y);
	fe_write(column, n, i, 2, &a->z);
}

DEVICE void xyzz_read(xyzz *r, GLOBAL const u32 *column, u32 n, u32 i)
{
	fe_read(&r->x, column, n, i, 0);
	fe_read(&r->y, column, n, i, 1);
	fe_read(&r->zz, column, n, i, 2);
	fe_read(&r->zzz, column, n, i, 3);
}

DEVICE void xyzz_write(GLOBAL u32 *column, u32 n, u32 i, const xyzz *a)
{
	fe_write(column, n, i, 0, &a->x);
	fe_write(column, n, i, 1, &a->y);
	fe_write(column, n, i, 2, &a->zz);
	fe_write(column, n, i, 3, &a->zzz);
}

DEVICE void sc_read(sc *r, GLOBAL const u32 *column, u32 n, u32 i)
{
	UNROLL
	for (u32 j = 0; j < 8; j++) r->v[j] = column[(u64)j * n + i];
}

// k_bench_xyzz_add sets out = a + b, for a and out with xyzz coordinates and b affine.
KERNEL void k_bench_xyzz_add(ROW_PARAMETER u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b,
	GLOBAL u32 *out)
{
	u32 row = ROW;
	if (row >= n) return;
	xyzz p;
	ge q;
	xyzz_read(&p, a, n, row);
	ge_read(&q, b, n, row);
	xyzz_add_ge(&p, &p, &q);
	xyzz_write(out, n, row, &p);
}

// k_bench_ge_add sets out = a + b, all affine, for a column with 1/(xb − xa): 2M + 1S, which are
// what is left of an addition if its inversion is shared.
KERNEL void k_bench_ge_add(ROW_PARAMETER u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b,
	GLOBAL const u32 *inverses, GLOBAL u32 *out)
{
	u32 row = ROW;
	if (row >= n) return;
	ge p, q;
	fe l, x;
	ge_read(&p, a, n, row);
	ge_read(&q, b, n, row);
	fe_read(&l, inverses, n, row, 0);
	fe_sub(&x, &q.y, &p.y);
	fe_mul(&l, &l, &x);
	fe_sqr(&x, &l);
	fe_sub(&x, &x, &p.x);
	fe_sub(&x, &x, &q.x);
	fe_sub(&q.x, &p.x, &x);
	fe_mul(&q.y, &q.x, &l);
	fe_sub(&q.y, &q.y, &p.y);
	q.x = x;
	ge_write(out, n, row, &q);
}

// k_bench_gej_affine sets out to the affine a, with an inversion each.
KERNEL void k_bench_gej_affine(ROW_PARAMETER u32 n, GLOBAL const u32 *a, GLOBAL u32 *out)
{
	u32 row = ROW;
	if (row >= n) return;
	gej p;
	ge q;
	fe z, zz;
	gej_read(&p, a, n, row);
	fe_inv(&z, &p.z);
	fe_sqr(&zz, &z);
	fe_mul(&q.x, &p.x, &zz);
	fe_mul(&zz, &zz, &z);
	fe_mul(&q.y, &p.y, &zz);
	ge_write(out, n, row, &q);
}

// k_bench_gej_add sets out = a + b, for a and out with Jacobian coordinates and b affine.
KERNEL void k_bench_gej_add(ROW_PARAMETER u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b,
	GLOBAL u32 *out)
{
	u32 row = ROW;
	if (row >= n) return;
	gej p;
	ge q;
	gej_read(&p, a, n, row);
	ge_read(&q, b, n, row);
	gej_add_ge(&p, &p, &q);
	gej_write(out, n, row, &p);
}

// k_bench_gej_double sets out = 2a, with Jacobian coordinates.
KERNEL void k_bench_gej_double(ROW_PARAMETER u32 n, GLOBAL const u32 *a, GLOBAL u32 *out)
{
	u32 row = ROW;
	if (row >= n) return;
	gej p;
	gej_read(&p, a, n, row);
	gej_double(&p, &p);
	gej_write(out, n, row, &p);
}

// k_bench_xyzz_chain adds BENCH_UNROLL·turns of the affine points b to a, one after the other:
// those of this row and of the next, after the last row the first. That is a comb whose reads are
// not random. a and out have xyzz coordinates.
KERNEL void k_bench_xyzz_chain(ROW_PARAMETER u32 n, u32 turns, GLOBAL const u32 *a,
	GLOBAL const u32 *b, GLOBAL u32 *out)
{
	u32 row = ROW;
	if (row >= n) return;
	xyzz p;
	ge q;
	xyzz_read(&p, a, n, row);
	u32 at = row;
	ROLLED
	for (u32 i = 0; i < BENCH_UNROLL * turns; i++) {
		ge_read(&q, b, n, at);
		xyzz_add_ge(&p, &p, &q);
		at = at + 1 < n ? at + 1 : 0;
	}
	xyzz_write(out, n, row, &p);
}

// k_bench_gej_chain sets out = 2^(BENCH_UNROLL·turns)·a by as many doublings.
KERNEL void k_bench_gej_chain(ROW_PARAMETER u32 n, u32 turns, GLOBAL const u32 *a,
	GLOBAL u32 *out)
{
	u32 row = ROW;
	if (row >= n) return;
	gej p;
	gej_read(&p, a, n, row);
	ROLLED
	for (u32 i = 0; i < BENCH_UNROLL * turns; i++) gej_double(&p, &p);
	gej_write(out, n, row, &p);
}

// k_bench_mul_point sets out = k·p, with Jacobian coordinates, for affine p.
KERNEL void k_bench_mul_point(ROW_PARAMETER u32 n, GLOBAL const u32 *k, GLOBAL const u32 *p,
	GLOBAL u32 *out)
{
	if (ROW >= n) return;
	sc scalar;
	ge q;
	gej r;
	sc_read(&scalar, k, n, ROW);
	ge_read(&q, p, n, ROW);
	mul_point(&r, &scalar, &q);
	gej_write(out, n, ROW, &r);
}

// k_bench_mul_base sets out = k·G, with xyzz coordinates. k is not 0.
KERNEL void k_bench_mul_base(ROW_PARAMETER u32 n, GLOBAL const u32 *k,
	GLOBAL const u32 *gtable, GLOBAL u32 *out)
{
	u32 row = ROW;
	if (row >= n) return;
	sc scalar;
	xyzz r;
	sc_read(&scalar, k, n, row);
	mul_base(&r, &scalar, gtable);
	xyzz_write(out, n, row, &r);
}

#endif
