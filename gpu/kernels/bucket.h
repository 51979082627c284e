// Sums of products by buckets (Pippenger, "On the evaluation of powers and monomials", 1980; the
// method as in Bernstein, Doumen, Lange and Oosterwijk, ePrint 2012/549, section 4).
//
// The halves of all terms in all windows are sorted into buckets by counting (k_sum_count,
// k_sum_place, k_sum_scatter). The sorted list is cut into pieces of equal length, whatever the
// buckets are, and each work item adds up one (k_sum_add). So a scalar that stands in all terms,
// and fills one bucket with everything, costs what others do. Where a bucket begins in one piece
// and goes on in others, the sums of the others are heads, which k_sum_join adds to the bucket's:
// again in pieces of equal length, and again, until one piece is left. Buckets are reduced by
// running sums over chunks (k_sum_reduce), and what comes out is added up for each window
// (k_sum_fold). The host doubles.
//
// Every launch waits for the one before it. Work items of one launch share words only by atomic
// operations, and no kernel has a barrier.

#ifndef KOBLITZ_BUCKET_H
#define KOBLITZ_BUCKET_H

#include "complete.h"
#include "digits.h"

#define NO_BUCKET 0xffffffffu

// k_sum_clear sets n words to zero.
KERNEL void k_sum_clear(ROW_PARAMETER u32 n, GLOBAL u32 *words)
{
	u32 row = ROW;
	if (row >= n) return;
	words[row] = 0;
}

// k_sum_count counts the entries of each bucket: places has two words a bucket, of which the first
// is the number. There are n halves.
KERNEL void k_sum_count(ROW_PARAMETER u32 n, u32 c, u32 windows, GLOBAL const u32 *halves,
	GLOBAL u32 *places)
{
	u32 row = ROW, negative;
	if (row >= n) return;
	digits d;
	digits_load(&d, halves + TERM_HALF * (u64)row);
	ROLLED
	for (u32 w = 0; w < windows; w++) {
		u32 digit = digits_next(&d, &negative, c, w == windows - 1);
		if (digit) ATOMIC_ADD(&places[2 * ((w << (c - 1)) + digit - 1)], 1);
	}
}

#define PLACE_BUCKETS 64 // that a work item of k_sum_place gives their places

// k_sum_place gives every bucket its place in the list, and sets both its words to the end of that.
// The buckets of a work item follow each other; work items come in any order. n is the number of
// work items.
KERNEL void k_sum_place(ROW_PARAMETER u32 n, u32 buckets, GLOBAL u32 *places, GLOBAL u32 *state)
{
	u32 row = ROW;
	if (row >= n) return;
	u32 lo = PLACE_BUCKETS * row, hi = lo + PLACE_BUCKETS, sum = 0;
	if (hi > buckets) hi = buckets;
	ROLLED
	for (u32 b = lo; b < hi; b++) sum += places[2 * b];
	u32 end = ATOMIC_ADD(&state[STATE_TOTAL], sum);
	ROLLED
	for (u32 b = lo; b < hi; b++) {
		end += places[2 * b];
		places[2 * b] = end;
		places[2 * b + 1] = end;
	}
}

// k_sum_scatter writes the entries of n halves to the places of their buckets, from the end on. The
// first word of a bucket is where it begins, then.
KERNEL void k_sum_scatter(ROW_PARAMETER u32 n, u32 c, u32 windows, GLOBAL const u32 *halves,
	GLOBAL u32 *places, GLOBAL u32 *list)
{
	u32 row = ROW, negative;
	if (row >= n) return;
	digits d;
	digits_load(&d, halves + TERM_HALF * (u64)row);
	u32 term = row >> 1 | (row & 1 ? ENTRY_SECOND : 0);
	ROLLED
	for (u32 w = 0; w < windows; w++) {
		u32 digit = digits_next(&d, &negative, c, w == windows - 1);
		if (digit == 0) continue;
		GLOBAL u32 *place = places + 2 * ((w << (c - 1)) + digit - 1);
		u32 at = ATOMIC_ADD(place, ~(u32)0) - 1;
		u32 entry = term | w << ENTRY_WINDOW | (negative ? ENTRY_NEGATIVE : 0);
		list[at] = entry | (at == place[1] - 1 ? ENTRY_LAST : 0);
	}
}

// entry_load sets p to the point that an entry stands for.
DEVICE void entry_load(ge *p, u32 entry, GLOBAL const u32 *points)
{
	GLOBAL const u32 *from = points + (u64)TERM_POINT * (entry & ENTRY_TERM);
	fe_load(&p->x, from + (entry & ENTRY_SECOND ? 16 : 0));
	fe_load(&p->y, from + 8);
	ge_cneg(p, entry >> 31);
}

// IN_HEAD is in the place in the list while k_sum_add is in entries whose bucket began in an
// earlier piece. The list has at most 2^30 entries, and a flag of its own would be spilled.
#define IN_HEAD 0x80000000u

// k_sum_add adds up the entries of n pieces of the list, of run entries each. A sum of entries that
// begin a bucket goes to buckets, XYZZ_WORDS each; that of entries in front of them, whose bucket
// began in an earlier piece, to heads, and keys says which bucket that is.
KERNEL void k_sum_add(ROW_PARAMETER u32 n, u32 run, u32 c, u32 windows,
	GLOBAL const u32 *points, GLOBAL const u32 *halves, GLOBAL const u32 *list,
	GLOBAL const u32 *state, GLOBAL u32 *buckets, GLOBAL u32 *heads, GLOBAL u32 *keys)
{
	KEPT u32 row = ROW;
	if (row >= n) return;
	u32 at = run * row, end = state[STATE_TOTAL];
	keys[row] = NO_BUCKET;
	if (at >= end) return;
	if (end > at + run) end = at + run;
	if (at != 0 && !(list[at - 1] & ENTRY_LAST)) at |= IN_HEAD;
	u32 bucket = NO_BUCKET;
	xyzz sum;
	ROLLED
	do {
		ge p;
		u32 entry = list[at & ~IN_HEAD];
		if (bucket == NO_BUCKET) {
			bucket = entry_bucket(entry, halves, c, windows);
			xyzz_set_infinity(&sum);
		}
		entry_load(&p, entry, points);
		xyzz_sum_ge(&sum, &p);
		at++;
		if (!(entry & ENTRY_LAST) && (at & ~IN_HEAD) != end) continue;
		if (at & IN_HEAD) {
			xyzz_store(heads + (u64)XYZZ_WORDS * row, &sum);
			keys[row] = bucket;
		} else {
			xyzz_store(buckets + (u64)XYZZ_WORDS * bucket, &sum);
		}
		at &= ~IN_HEAD;
		bucket = NO_BUCKET;
	} while (at != end);
}

// piece_end returns where piece number i of a list of count, run each, ends.
DEVICE u32 piece_end(u32 i, u32 run, u32 count)
{
	u32 end = run * (i + 1);
	return end < count ? end : count;
}

// k_sum_join adds heads to their buckets: count heads in n pieces of run each. Heads of one bucket
// follow each other. Those in a piece whose bucket also has the head in front of it become one head
// of the next launch.
KERNEL void k_sum_join(ROW_PARAMETER u32 n, u32 run, u32 count, GLOBAL const u32 *heads,
	GLOBAL const u32 *keys, GLOBAL u32 *buckets, GLOBAL u32 *next, GLOBAL u32 *nextkeys)
{
	KEPT u32 row = ROW;
	if (row >= n) return;
	nextkeys[row] = NO_BUCKET;
	xyzz sum, head;
	xyzz_set_infinity(&sum);
	ROLLED
	for (KEPT u32 at = run * row; at < piece_end(row, run, count); at++) {
		u32 i = at, key = keys[i], first = run * row;
		if (key == NO_BUCKET) continue;
		if (i == first || keys[i - 1] != key) {
			xyzz_set_infinity(&sum);
			if (first == 0 || keys[first - 1] != key) xyzz_load(&sum, buckets + (u64)XYZZ_WORDS * key);
		}
		xyzz_load(&head, heads + (u64)XYZZ_WORDS * i);
		xyzz_sum(&sum, &head);
		i = at;
		key = keys[i];
		if (i + 1 < piece_end(row, run, count) && keys[i + 1] == key) continue;
		first = run * row;
		if (first > 0 && keys[first - 1] == key) {
			xyzz_store(next + (u64)XYZZ_WORDS * row, &sum);
			nextkeys[row] = key;
		} else {
			xyzz_store(buckets + (u64)XYZZ_WORDS * key, &sum);
		}
	}
}

// k_sum_reduce adds up n chunks of 2^shift buckets of one window each, every bucket as often as its
// digit says: with the running sum T_j of the buckets from number j on, and lo the number of the
// first one in its window, the sum of (j + 1)·B_j is that of the T_j for j ≥ lo, and lo·T_lo. The
// first word of places is less than the second unless the bucket is empty.
KERNEL void k_sum_reduce(ROW_PARAMETER u32 n, u32 shift, u32 count, u32 c, u32 windows,
	GLOBAL const u32 *places, GLOBAL const u32 *buckets, GLOBAL u32 *out)
{
	u32 row = ROW;
	if (row >= n) return;
	u32 first = row << shift, end = first + ((u32)1 << shift);
	if (end > count) end = count;
	u32 window = first >> (c - 1);
	if (window > windows - 1) window = windows - 1;
	u32 lo = first - (window << (c - 1));
	xyzz running, sum, b;
	xyzz_set_infinity(&running);
	xyzz_set_infinity(&sum);
	ROLLED
	while (end-- > first) {
		if (places[2 * end] != places[2 * end + 1]) {
			xyzz_load(&b, buckets + (u64)XYZZ_WORDS * end);
			xyzz_sum(&running, &b);
		}
		xyzz_sum(&sum, &running);
	}
	// lo·T, from the lowest bit on.
	ROLLED
	for (; lo > 0; lo >>= 1) {
		if (lo & 1) xyzz_sum(&sum, &running);
		xyzz_double(&running);
	}
	xyzz_store(out + (u64)XYZZ_WORDS * row, &sum);
}

// k_sum_fold adds up n times run points, of count that there are.
KERNEL void k_sum_fold(ROW_PARAMETER u32 n, u32 run, u32 count, GLOBAL const u32 *in,
	GLOBAL u32 *out)
{
	KEPT u32 row = ROW;
	if (row >= n) return;
	xyzz sum, p;
	xyzz_set_infinity(&sum);
	ROLLED
	for (KEPT u32 at = run * row; at < piece_end(row, run, count); at++) {
		xyzz_load(&p, in + (u64)XYZZ_WORDS * at);
		xyzz_sum(&sum, &p);
	}
	fe_normal(&sum.x, &sum.x);
	fe_normal(&sum.y, &sum.y);
	fe_normal(&sum.zz, &sum.zz);
	fe_normal(&sum.zzz, &sum.zzz);
	xyzz_store(out + (u64)XYZZ_WORDS * row, &sum);
}

#endif
