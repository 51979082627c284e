// Signed digits of the halves of a sum's scalars, and the entries of its sorted list.
//
// A half below 2^bits in absolute value is cut into W = ceil(bits/c) windows of c bits, from 4 to
// 16. A window that exceeds 2^(c−1) takes 2^c away and carries 1, so that its digit is in
// (−2^(c−1), 2^(c−1)]; the last one carries nothing, and its digit is in [0, 2^t], t = bits −
// c·(W−1). A digit d ≠ 0 of window w belongs to the bucket w·2^(c−1) + |d| − 1. So the windows have
// 2^(c−1) buckets each, but for the last, which has 2^t.

#ifndef KOBLITZ_DIGITS_H
#define KOBLITZ_DIGITS_H

#include "terms.h"

// An entry of the list is a half of a term, or its negative: ENTRY_NEGATIVE, and ENTRY_LAST if it
// is the last of its bucket; the window, five bits; ENTRY_SECOND for the second half; and the
// number of the term.
#define ENTRY_NEGATIVE 0x80000000u
#define ENTRY_LAST 0x40000000u
#define ENTRY_WINDOW 25 // the lowest bit of the window
#define ENTRY_SECOND 0x01000000u
#define ENTRY_TERM 0x00ffffffu

// A digits is what is left of a half after some windows.
typedef struct {
	u32 v[4];
	u32 carry, negative; // each 0 or 1; the half itself is negative
} digits;

// digits_load sets d to a half in memory.
DEVICE void digits_load(digits *d, GLOBAL const u32 *from)
{
	UNROLL
	for (int i = 0; i < 4; i++) d->v[i] = from[i];
	d->negative = from[4] >> 31;
	d->carry = 0;
}

// digits_next returns the absolute value of the next digit, and sets negative to 1 if it counts
// negatively, by its sign and the half's. last is 1 for the last window.
DEVICE u32 digits_next(digits *d, u32 *negative, u32 c, u32 last)
{
	u32 u = d->carry + (last ? d->v[0] : d->v[0] & (((u32)1 << c) - 1));
	u32 above = !last && u > (u32)1 << (c - 1);
	d->carry = above;
	*negative = d->negative ^ above;
	UNROLL
	for (int i = 0; i < 3; i++) d->v[i] = d->v[i] >> c | d->v[i + 1] << (32 - c);
	d->v[3] >>= c;
	return above ? ((u32)1 << c) - u : u;
}

// entry_bucket returns the bucket of an entry.
OUTLINE u32 entry_bucket(u32 entry, GLOBAL const u32 *halves, u32 c, u32 windows)
{
	digits d;
	u32 window = entry >> ENTRY_WINDOW & 31, digit = 0, negative;
	u64 number = (u64)2 * (entry & ENTRY_TERM) + (entry & ENTRY_SECOND ? 1 : 0);
	digits_load(&d, halves + TERM_HALF * number);
	ROLLED
	for (u32 w = 0; w <= window; w++) digit = digits_next(&d, &negative, c, w == windows - 1);
	return (window << (c - 1)) + digit - 1;
}

#endif
