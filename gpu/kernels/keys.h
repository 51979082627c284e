// Public keys: their second coordinates, and those of public scalars.

#ifndef KOBLITZ_KEYS_H
#define KOBLITZ_KEYS_H

#include "verdict.h"

// k_decompress finds the second coordinates of n keys (SEC 1 version 2, section 2.3.4) of 33
// bytes each. out has KEY_SIZE a row.
KERNEL void k_decompress(ROW_PARAMETER u32 n, GLOBAL const u8 *keys, GLOBAL u8 *verdicts,
	GLOBAL u8 *out)
{
	u32 row = ROW;
	if (row >= n) return;
	u64 i = row;
	ge p;
	u8 verdict = load_key(&p, keys + 33 * i) ? VALID : MALFORMED;
	store_key(out + KEY_SIZE * i, &p, verdict);
	verdicts[i] = verdict;
}

// pubkey_row sets a to a multiple of G if it returns VALID.
DEVICE u8 pubkey_row(xyzz *a, GLOBAL const u8 *scalar, GLOBAL const u32 *gtable)
{
	sc k;
	if (!load_nonzero(&k, scalar)) return MALFORMED;
	return mul_base(a, &k, gtable) ? VALID : UNCHECKED;
}

// k_pubkeys multiplies G by n public scalars of 32 bytes each. out has KEY_SIZE a row.
KERNEL void k_pubkeys(ROW_PARAMETER u32 n, GLOBAL const u8 *scalars, GLOBAL u8 *verdicts,
	GLOBAL u8 *out, GLOBAL const u32 *gtable)
{
	GROUP_MEMORY u32 tree[TREE_WORDS];
	u64 i = ROW;
	xyzz a;
	ge p;
	u8 verdict = MALFORMED;
	if (i < n) verdict = pubkey_row(&a, scalars + 32 * i, gtable);
	ge_of_group(&p, &a, verdict, tree, ROW % GROUP);
	if (ROW >= n) return;
	store_key(out + (u64)KEY_SIZE * ROW, &p, verdict);
	verdicts[ROW] = verdict;
}

#endif
