// The table of the comb, made on the device: each window's points are doubled in number, step by
// step. In step t, the 2^t first points of a window are there, and as many are added:
//
//	(2·(j + 2^t) + 1)·2^(w·i)·G = (2·j + 1)·2^(w·i)·G + 2^(w·i+t+1)·G   for j < 2^t
//
// No addition is exceptional: 2·j + 1 is odd and less than 2^(t+1), so that the multiples of
// 2^(w·i)·G that are added are neither equal nor opposite, and their sum is less than the order.
//
// Additions are affine, and a work item makes a chain of them with one inversion (Montgomery,
// "Speeding the Pollard and elliptic curve methods of factorization", 1987, section 10.3.1): six
// multiplications and a square for a point.

#ifndef KOBLITZ_TABLE_H
#define KOBLITZ_TABLE_H

#include "point.h"

// Points that a work item makes: 2^COMB_CHAIN, or 2^step in the steps that have no more a window.
// Package kernels has the same number.
#define COMB_CHAIN 5

// comb_step is what a work item does in a step, of which there are 2^(step−COMB_CHAIN) for each
// window, at least one. The points of a chain are as far apart as a window has work items, which
// read and write side by side.
DEVICE void comb_step(GLOBAL u32 *gtable, u32 row, u32 step)
{
	u32 w = gtable[0];
	u32 chain = step < COMB_CHAIN ? step : COMB_CHAIN;
	u32 items = (u32)1 << (step - chain); // of a window
	u32 window = row >> (step - chain);
	GLOBAL u32 *from = gtable + comb_at(w, window, row & (items - 1));
	GLOBAL u32 *to = from + (COMB_POINT << step);
	u32 stride = COMB_POINT * items;
	GLOBAL const u32 *power = gtable + COMB_POINT * (1 + w * window + step + 1);

	ge d, p;
	fe h, t, product;
	fe_load(&d.x, power);
	// In the place of a point that is to be made, the product of the differences before its own.
	fe_set_int(&product, 1);
	ROLLED
	for (u32 s = 0; s < (u32)1 << chain; s++) {
		fe_store(to + stride * s, &product);
		fe_load(&h, from + stride * s);
		fe_sub(&h, &d.x, &h);
		fe_mul(&product, &product, &h);
	}
	fe_inv(&product, &product); // 1 over the product of those up to s
	comb_ge(&d, power);
	ROLLED
	for (u32 s = (u32)1 << chain; s-- > 0;) {
		comb_ge(&p, from + stride * s);
		fe_load(&t, to + stride * s);
		fe_sub(&h, &d.x, &p.x);
		fe_mul(&t, &t, &product);
		fe_mul(&product, &product, &h);
		fe_sub(&h, &d.y, &p.y);
		fe_mul(&t, &t, &h); // the slope L
		fe_sqr(&h, &t);
		fe_sub(&h, &h, &d.x);
		fe_sub(&h, &h, &p.x); // X' = L² − X1 − X2
		fe_sub(&p.x, &p.x, &h);
		fe_mul(&t, &t, &p.x);
		fe_sub(&t, &t, &p.y); // Y' = L·(X1 − X') − Y1
		fe_normal(&h, &h);
		fe_normal(&t, &t);
		fe_store(to + stride * s, &h);
		fe_store(to + stride * s + 8, &t);
	}
}

// k_comb carries out a step, for n work items. The header, the powers and point 0 of each window
// are there.
KERNEL void k_comb(ROW_PARAMETER u32 n, u32 step, GLOBAL u32 *gtable)
{
	u32 row = ROW;
	if (row >= n) return;
	comb_step(gtable, row, step);
}

#endif
