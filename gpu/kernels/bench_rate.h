// Benchmarks of the device itself: what a multiprocessor multiplies a clock, and what its memory
// gives. Each result depends on every operation, so that none can be left out.

#ifndef KOBLITZ_BENCH_RATE_H
#define KOBLITZ_BENCH_RATE_H

#include "memory.h"

// RATE_CHAINS is the number of chains of an item that do not depend on each other, and RATE_TURN
// that of operations that each chain has in a turn of the loop.
#define RATE_CHAINS 8
#define RATE_TURN 4

// k_bench_imad makes RATE_CHAINS·RATE_TURN·turns multiplications and additions of 32 bits: x is
// set to x·y + x for x = seed + j in chain j, y = seed | 1. out is the sum of the chains.
KERNEL void k_bench_imad(ROW_PARAMETER u32 n, u32 turns, GLOBAL const u32 *seeds,
	GLOBAL u32 *out)
{
	u32 row = ROW;
	if (row >= n) return;
	u32 x[RATE_CHAINS], y = seeds[row] | 1, sum = 0;
	UNROLL
	for (u32 j = 0; j < RATE_CHAINS; j++) x[j] = seeds[row] + j;
	ROLLED
	for (u32 i = 0; i < turns; i++) {
		UNROLL
		for (int t = 0; t < RATE_TURN; t++) {
			UNROLL
			for (int j = 0; j < RATE_CHAINS; j++) {
#ifdef PTX
				__asm__("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x[j]) : "r"(y), "r"(x[j]));
#else
				x[j] = x[j] * y + x[j];
#endif
			}
		}
	}
	UNROLL
	for (int j = 0; j < RATE_CHAINS; j++) sum += x[j];
	out[row] = sum;
}

// rate_wide sets the number with the halves low and high to low·high + itself, modulo 2^64. ptxas
// makes one instruction of these two, and three of mad.wide.
DEVICE void rate_wide(u32 *low, u32 *high)
{
#ifdef PTX
	u32 a = *low, b = *high;
	__asm__("mad.lo.cc.u32 %0, %2, %3, %0;\n\t"
		"madc.hi.u32 %1, %2, %3, %1;"
		: "+&r"(*low), "+&r"(*high)
		: "r"(a), "r"(b));
#else
	u64 x = (u64)*low * *high + ((u64)*high << 32 | *low);
	*low = (u32)x;
	*high = (u32)(x >> 32);
#endif
}

// k_bench_wide is k_bench_imad with products and sums of 64 bits, as rate_wide makes them. In the
// beginning low is seed + j in chain j, high is seed | 1. out has the sums of the halves of all
// chains, modulo 2^32 each, at words row and n + row.
KERNEL void k_bench_wide(ROW_PARAMETER u32 n, u32 turns, GLOBAL const u32 *seeds,
	GLOBAL u32 *out)
{
	u32 row = ROW;
	if (row >= n) return;
	u32 low[RATE_CHAINS], high[RATE_CHAINS], lows = 0, highs = 0;
	UNROLL
	for (u32 j = 0; j < RATE_CHAINS; j++) {
		low[j] = seeds[row] + j;
		high[j] = seeds[row] | 1;
	}
	ROLLED
	for (u32 i = 0; i < turns; i++) {
		UNROLL
		for (int t = 0; t < RATE_TURN; t++) {
			UNROLL
			for (int j = 0; j < RATE_CHAINS; j++) rate_wide(&low[j], &high[j]);
		}
	}
	UNROLL
	for (int j = 0; j < RATE_CHAINS; j++) {
		lows += low[j];
		highs += high[j];
	}
	out[row] = lows;
	out[(u64)n + row] = highs;
}

// rate_row adds a·(b0 + b1·2^64 + b2·2^128 + b3·2^192) to the nine limbs r, and what is carried
// out of the eighth to the ninth: four products whose sums hand on a carry, as those of a row of
// fe_mul do.
DEVICE void rate_row(u32 *r, u32 a, const u32 *b)
{
#ifdef PTX
	__asm__("mad.lo.cc.u32 %0, %9, %10, %0;\n\t"
		"madc.hi.cc.u32 %1, %9, %10, %1;\n\t"
		"madc.lo.cc.u32 %2, %9, %11, %2;\n\t"
		"madc.hi.cc.u32 %3, %9, %11, %3;\n\t"
		"madc.lo.cc.u32 %4, %9, %12, %4;\n\t"
		"madc.hi.cc.u32 %5, %9, %12, %5;\n\t"
		"madc.lo.cc.u32 %6, %9, %13, %6;\n\t"
		"madc.hi.cc.u32 %7, %9, %13, %7;\n\t"
		"addc.u32 %8, %8, 0;"
		: "+&r"(r[0]), "+&r"(r[1]), "+&r"(r[2]), "+&r"(r[3]), "+&r"(r[4]), "+&r"(r[5]),
		"+&r"(r[6]), "+&r"(r[7]), "+&r"(r[8])
		: "r"(a), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
#else
	u64 carry = 0;
	UNROLL
	for (int i = 0; i < 4; i++) {
		u64 product = (u64)a * b[i];
		u64 low = carry + r[2 * i] + (u32)product;
		u64 high = (low >> 32) + r[2 * i + 1] + (product >> 32);
		r[2 * i] = (u32)low;
		r[2 * i + 1] = (u32)high;
		carry = high >> 32;
	}
	r[8] += (u32)carry;
#endif
}

// k_bench_wide_x makes RATE_TURN·turns rows for each of two sums of nine limbs. In the beginning
// limb i of sum s is seed + 9·s + i, and factor b of both is seed ^ b. The other factor is the
// limb number 7 of the other sum, read before. out has the first sum plus the second, limb by limb
// modulo 2^32, limb i at word i·n + row.
KERNEL void k_bench_wide_x(ROW_PARAMETER u32 n, u32 turns, GLOBAL const u32 *seeds,
	GLOBAL u32 *out)
{
	u32 row = ROW;
	if (row >= n) return;
	u32 r[2][9], b[4], seed = seeds[row];
	UNROLL
	for (u32 i = 0; i < 9; i++) {
		r[0][i] = seed + i;
		r[1][i] = seed + 9 + i;
	}
	UNROLL
	for (u32 i = 0; i < 4; i++) b[i] = seed ^ i;
	ROLLED
	for (u32 i = 0; i < turns; i++) {
		UNROLL
		for (int t = 0; t < RATE_TURN; t++) {
			u32 first = r[0][7], second = r[1][7];
			rate_row(r[0], second, b);
			rate_row(r[1], first, b);
		}
	}
	UNROLL
	for (u32 i = 0; i < 9; i++) out[(u64)i * n + row] = r[0][i] + r[1][i];
}

// GATHER_WORDS is the size of an entry of a gather: 64 bytes, an affine point.
#define GATHER_WORDS 16

// rate_mix returns a number that depends on all bits of x, and is another one for each
// (https://nullprogram.com/blog/2018/07/31/, lowbias32).
DEVICE u32 rate_mix(u32 x)
{
	x = (x ^ x >> 16) * 0x7feb352du;
	x = (x ^ x >> 15) * 0x846ca68bu;
	return x ^ x >> 16;
}

// k_bench_fill sets word i of n entries to rate_mix(i).
KERNEL void k_bench_fill(ROW_PARAMETER u32 n, GLOBAL u32 *entries)
{
	u32 row = ROW;
	if (row >= n) return;
	ROLLED
	for (u32 i = 0; i < GATHER_WORDS; i += 4) {
		u32 q[4];
		UNROLL
		for (u32 j = 0; j < 4; j++) q[j] = rate_mix(row * GATHER_WORDS + i + j);
		store4(entries + (u64)row * GATHER_WORDS + i, q);
	}
}

// k_bench_gather reads RATE_TURN·turns entries of count. The number of the one that item row reads
// at time t is rate_mix(row·RATE_TURN·turns + t)·count/2^32, rounded down. out is the exclusive or
// of all words that were read.
KERNEL void k_bench_gather(ROW_PARAMETER u32 n, u32 turns, u32 count,
	GLOBAL const u32 *entries, GLOBAL u32 *out)
{
	u32 row = ROW;
	if (row >= n) return;
	u32 all = 0, at = row * RATE_TURN * turns;
	ROLLED
	for (u32 i = 0; i < turns; i++) {
		UNROLL
		for (u32 t = 0; t < RATE_TURN; t++) {
			u64 entry = (u64)rate_mix(at + t) * count >> 32;
			UNROLL
			for (int j = 0; j < GATHER_WORDS; j += 4) {
				u32 q[4];
				load4(q, entries + entry * GATHER_WORDS + j);
				all ^= q[0] ^ q[1] ^ q[2] ^ q[3];
			}
		}
		at += RATE_TURN;
	}
	out[row] = all;
}

// k_bench_copy copies n times four words, which are what one load takes at most.
KERNEL void k_bench_copy(ROW_PARAMETER u32 n, GLOBAL const u32 *from, GLOBAL u32 *to)
{
	u32 row = ROW;
	if (row >= n) return;
	u32 q[4];
	load4(q, from + (u64)4 * row);
	store4(to + (u64)4 * row, q);
}

#endif
