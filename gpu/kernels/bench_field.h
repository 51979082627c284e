// Benchmarks of the field. Elements in memory are loose. Limb j of element i of n is word j·n + i,
// so that neighbouring work items read neighbouring words.

#ifndef KOBLITZ_BENCH_FIELD_H
#define KOBLITZ_BENCH_FIELD_H

#include "field.h"

// fe_read sets r to coordinate number c of row i of n: its limb j is word (8·c + j)·n + i.
DEVICE void fe_read(fe *r, GLOBAL const u32 *column, u32 n, u32 i, u32 c)
{
	UNROLL
	for (u32 j = 0; j < 8; j++) r->v[j] = column[(u64)(8 * c + j) * n + i];
}

// fe_write writes a where fe_read reads it.
DEVICE void fe_write(GLOBAL u32 *column, u32 n, u32 i, u32 c, const fe *a)
{
	UNROLL
	for (u32 j = 0; j < 8; j++) column[(u64)(8 * c + j) * n + i] = a->v[j];
}

// k_bench_mul sets out = a·b.
KERNEL void k_bench_mul(ROW_PARAMETER u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b,
	GLOBAL u32 *out)
{
	u32 row = ROW;
	if (row >= n) return;
	fe x, y;
	fe_read(&x, a, n, row, 0);
	fe_read(&y, b, n, row, 0);
	fe_mul(&x, &x, &y);
	fe_write(out, n, row, 0, &x);
}

// k_bench_add sets out = a + b.
KERNEL void k_bench_add(ROW_PARAMETER u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b,
	GLOBAL u32 *out)
{
	u32 row = ROW;
	if (row >= n) return;
	fe x, y;
	fe_read(&x, a, n, row, 0);
	fe_read(&y, b, n, row, 0);
	fe_add(&x, &x, &y);
	fe_write(out, n, row, 0, &x);
}

// k_bench_sub sets out = a − b.
KERNEL void k_bench_sub(ROW_PARAMETER u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b,
	GLOBAL u32 *out)
{
	u32 row = ROW;
	if (row >= n) return;
	fe x, y;
	fe_read(&x, a, n, row, 0);
	fe_read(&y, b, n, row, 0);
	fe_sub(&x, &x, &y);
	fe_write(out, n, row, 0, &x);
}

// k_bench_sqr sets out = a².
KERNEL void k_bench_sqr(ROW_PARAMETER u32 n, GLOBAL const u32 *a, GLOBAL u32 *out)
{
	u32 row = ROW;
	if (row >= n) return;
	fe x;
	fe_read(&x, a, n, row, 0);
	fe_sqr(&x, &x);
	fe_write(out, n, row, 0, &x);
}

// k_bench_inv sets out = 1/a, each by itself.
KERNEL void k_bench_inv(ROW_PARAMETER u32 n, GLOBAL const u32 *a, GLOBAL u32 *out)
{
	u32 row = ROW;
	if (row >= n) return;
	fe x;
	fe_read(&x, a, n, row, 0);
	fe_inv(&x, &x);
	fe_write(out, n, row, 0, &x);
}

// k_bench_inv_batch sets total elements out = 1/a with one inversion an item (Montgomery,
// "Speeding the Pollard and elliptic curve methods of factorization", section 10.3.1). Item i has
// the elements i, i + n, i + 2n and so on. The products of those before each are kept in out
// meanwhile. No element is 0.
KERNEL void k_bench_inv_batch(ROW_PARAMETER u32 n, u32 total, GLOBAL const u32 *a,
	GLOBAL u32 *out)
{
	u32 row = ROW;
	if (row >= n) return;
	fe product, x, t;
	fe_set_int(&product, 1);
	u32 count = 0;
	ROLLED
	for (u32 i = row; i < total; i += n) {
		fe_write(out, total, i, 0, &product);
		fe_read(&x, a, total, i, 0);
		fe_mul(&product, &product, &x);
		count++;
	}
	fe_inv(&product, &product);
	ROLLED
	for (u32 i = row + count * n; count > 0; count--) {
		i -= n;
		fe_read(&t, out, total, i, 0);
		fe_mul(&t, &t, &product);
		fe_read(&x, a, total, i, 0);
		fe_mul(&product, &product, &x);
		fe_write(out, total, i, 0, &t);
	}
}

// BENCH_UNROLL is how many operations a turn of a chain has: its counter is then a small part.
#define BENCH_UNROLL 4

// k_bench_mul_chain sets out = a·b^(BENCH_UNROLL·turns), one multiplication after the other.
KERNEL void k_bench_mul_chain(ROW_PARAMETER u32 n, u32 turns, GLOBAL const u32 *a,
	GLOBAL const u32 *b, GLOBAL u32 *out)
{
	u32 row = ROW;
	if (row >= n) return;
	fe x, y;
	fe_read(&x, a, n, row, 0);
	fe_read(&y, b, n, row, 0);
	ROLLED
	for (u32 i = 0; i < turns; i++) {
		UNROLL
		for (int j = 0; j < BENCH_UNROLL; j++) fe_mul(&x, &x, &y);
	}
	fe_write(out, n, row, 0, &x);
}

// k_bench_sqr_chain sets out = a^(2^(BENCH_UNROLL·turns)).
KERNEL void k_bench_sqr_chain(ROW_PARAMETER u32 n, u32 turns, GLOBAL const u32 *a,
	GLOBAL u32 *out)
{
	u32 row = ROW;
	if (row >= n) return;
	fe x;
	fe_read(&x, a, n, row, 0);
	ROLLED
	for (u32 i = 0; i < turns; i++) {
		UNROLL
		for (int j = 0; j < BENCH_UNROLL; j++) fe_sqr(&x, &x);
	}
	fe_write(out, n, row, 0, &x);
}

// k_bench_add_chain makes BENCH_UNROLL additions a turn, which set x to x + y and y to y + x by
// turns from x = a, y = b, and sets out = x.
KERNEL void k_bench_add_chain(ROW_PARAMETER u32 n, u32 turns, GLOBAL const u32 *a,
	GLOBAL const u32 *b, GLOBAL u32 *out)
{
	u32 row = ROW;
	if (row >= n) return;
	fe x, y;
	fe_read(&x, a, n, row, 0);
	fe_read(&y, b, n, row, 0);
	ROLLED
	for (u32 i = 0; i < turns; i++) {
		UNROLL
		for (int j = 0; j < BENCH_UNROLL / 2; j++) {
			fe_add(&x, &x, &y);
			fe_add(&y, &y, &x);
		}
	}
	fe_write(out, n, row, 0, &x);
}

#endif
