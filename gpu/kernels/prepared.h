// Signatures under a set of keys of which the device has tables: nothing is lifted or doubled.
//
// The tables lie one behind the other. Each has the form of the comb, with a key in the place of
// G, and the same width. The second word of its header is 1 if there is a key, and 0 if there is
// none; then the rest says nothing.

#ifndef KOBLITZ_PREPARED_H
#define KOBLITZ_PREPARED_H

#include "schnorr.h"
#include "ecdsa.h"
#include "table.h"

// key_at returns the table of key number i.
DEVICE GLOBAL u32 *key_at(GLOBAL u32 *tables, u32 w, u32 i)
{
	return tables + (u64)comb_words_of(w) * i;
}

// key_powers writes the powers 2^k·p of a table: a chain of doublings, of which each entry keeps
// X and Y. A doubling multiplies Z by Y, so that the chain back has each 1/Z from the one before.
DEVICE void key_powers(GLOBAL u32 *powers, const ge *p)
{
	gej a;
	fe inverse, t, y;
	a.x = p->x;
	a.y = p->y;
	fe_set_int(&a.z, 1);
	ROLLED
	for (u32 k = 0;; k++) {
		fe_store(powers + COMB_POINT * k, &a.x);
		fe_store(powers + COMB_POINT * k + 8, &a.y);
		if (k == COMB_POWERS - 1) break;
		gej_double(&a, &a);
	}
	fe_inv(&inverse, &a.z);
	ROLLED
	for (u32 k = COMB_POWERS; k-- > 0;) {
		fe_load(&a.x, powers + COMB_POINT * k);
		fe_load(&y, powers + COMB_POINT * k + 8);
		if (k < COMB_POWERS - 1) fe_mul(&inverse, &inverse, &y);
		fe_sqr(&t, &inverse);
		fe_mul(&a.x, &a.x, &t);
		fe_mul(&t, &t, &inverse);
		fe_mul(&y, &y, &t);
		fe_normal(&a.x, &a.x);
		fe_normal(&y, &y);
		fe_store(powers + COMB_POINT * k, &a.x);
		fe_store(powers + COMB_POINT * k + 8, &y);
	}
}

// k_keys begins the tables of n keys for windows of w bits: headers, powers, and point 0 of each
// window. k_keys_comb makes the rest. A key has 64 bytes, both coordinates, and zeros are none.
KERNEL void k_keys(ROW_PARAMETER u32 n, u32 w, GLOBAL const u8 *keys, GLOBAL u32 *tables)
{
	u32 row = ROW;
	if (row >= n) return;
	GLOBAL u32 *table = key_at(tables, w, row);
	GLOBAL u32 *powers = table + COMB_POINT;
	ge p;
	u64 i = row;
	fe_load_be(&p.x, keys + 64 * i);
	fe_load_be(&p.y, keys + 64 * i + 32);
	u32 any = 0;
	UNROLL
	for (int k = 0; k < 8; k++) any |= p.x.v[k] | p.y.v[k];
	ROLLED
	for (int k = 2; k < COMB_POINT; k++) table[k] = 0;
	table[0] = w;
	table[1] = any != 0;
	key_powers(powers, &p);
	ROLLED
	for (u32 window = 0; w * window < 256; window++) {
		ROLLED
		for (u32 k = 0; k < COMB_POINT; k++)
			table[comb_at(w, window, 0) + k] = powers[COMB_POINT * w * window + k];
	}
}

// k_keys_comb carries out a step of the comb, for so many work items of each table.
KERNEL void k_keys_comb(ROW_PARAMETER u32 n, u32 step, u32 each, GLOBAL u32 *tables)
{
	u32 row = ROW;
	if (row >= n) return;
	comb_step(key_at(tables, tables[0], row / each), row % each, step);
}

// key_of returns the table of the key whose number has four bytes, the least significant first, or
// 0 if there is no such key.
DEVICE GLOBAL const u32 *key_of(GLOBAL const u8 *number, GLOBAL const u32 *tables, u32 count)
{
	u32 i = number[0] | (u32)number[1] << 8 | (u32)number[2] << 16 | (u32)number[3] << 24;
	if (i >= count) return 0;
	GLOBAL const u32 *table = tables + (u64)comb_words_of(tables[0]) * i;
	return table[1] ? table : 0;
}

// prepared_ecdsa_load sets u1 = z/s and u2 = r/s, and returns VALID, or what else the row is.
// inverse is 1/s, if s is in [1, n).
DEVICE u8 prepared_ecdsa_load(sc *u1, sc *u2, const sc *inverse, u32 flags,
	GLOBAL const u8 *hash, GLOBAL const u32 *key, GLOBAL const u8 *sig)
{
	sc r, s;
	u32 good = load_nonzero(&r, sig) & load_nonzero(&s, sig + 32);
	if (!good || !key) return MALFORMED;
	if ((flags & LOW_S) && sc_is_high(&s)) return INVALID;
	sc_load_be_reduced(u1, hash);
	sc_mul(u1, u1, inverse);
	sc_mul(u2, &r, inverse);
	return VALID;
}

// k_prepared_ecdsa verifies n signatures. The columns have 32, 4 and 64 bytes a row, the second of
// which are numbers of the count keys of tables.
KERNEL void k_prepared_ecdsa(ROW_PARAMETER u32 n, u32 flags, GLOBAL const u8 *hashes,
	GLOBAL const u8 *numbers, GLOBAL const u8 *sigs, GLOBAL u8 *verdicts,
	GLOBAL const u32 *gtable, GLOBAL const u32 *tables, u32 count)
{
	GROUP_MEMORY u32 tree[TREE_WORDS];
	u64 i = ROW;
	xyzz a;
	sc inverse, u1, u2;
	load_divisor(&inverse, sigs + 64 * i + 32, i < n);
	sc_inv_group(&inverse, &inverse, tree, i % GROUP);
	if (i >= n) return;
	GLOBAL const u32 *key = key_of(numbers + 4 * i, tables, count);
	u8 verdict = prepared_ecdsa_load(&u1, &u2, &inverse, flags, hashes + 32 * i, key, sigs + 64 * i);
	if (verdict == VALID) {
		verdict = UNCHECKED;
		mul_base(&a, &u2, key);
		if (add_base(&a, &u1, gtable))
			verdict = ecdsa_r_is(&a, sigs + 64 * (u64)ROW) ? VALID : INVALID;
	}
	verdicts[ROW] = verdict;
}

// prepared_schnorr_load sets e to the negative of the challenge, or, for a key with an odd
// ordinate, whose opposite is meant, to the challenge. It returns 1 if the row is well formed: key
// is not 0, r is below p, and s below n.
DEVICE u32 prepared_schnorr_load(sc *e, u32 flags, GLOBAL const u8 *msg, GLOBAL const u32 *key,
	GLOBAL const u8 *sig)
{
	fe r;
	ge p;
	sc s;
	u32 good = fe_load_be(&r, sig) & sc_load_be(&s, sig + 32);
	if (!good || !key) return 0;
	comb_ge(&p, key + COMB_POINT);
	schnorr_challenge(e, flags, msg, &r, &p.x);
	if (!(p.y.v[0] & 1)) sc_neg(e, e);
	return 1;
}

// k_prepared_schnorr verifies n signatures. The columns have 32, 4 and 64 bytes a row.
KERNEL void k_prepared_schnorr(ROW_PARAMETER u32 n, u32 flags, GLOBAL const u8 *msgs,
	GLOBAL const u8 *numbers, GLOBAL const u8 *sigs, GLOBAL u8 *verdicts,
	GLOBAL const u32 *gtable, GLOBAL const u32 *tables, u32 count)
{
	GROUP_MEMORY u32 tree[TREE_WORDS];
	u64 i = ROW;
	xyzz a;
	u8 verdict = MALFORMED;
	if (i < n) {
		sc s, e;
		GLOBAL const u32 *key = key_of(numbers + 4 * i, tables, count);
		if (prepared_schnorr_load(&e, flags, msgs + 32 * i, key, sigs + 64 * i)) {
			verdict = UNCHECKED;
			mul_base(&a, &e, key);
			// s, below n, is read from the signature a second time: an s that prepared_schnorr_load
			// returned would be in private memory, with its address in a register, which ptxas spills
			// for sm_120.
			sc_load_be(&s, sigs + 64 * (u64)ROW + 32);
			if (add_base(&a, &s, gtable))
				verdict = schnorr_r_is(&a, sigs + 64 * (u64)ROW) ? VALID : INVALID;
		}
	}
	verdict = schnorr_end(&a, verdict, tree, ROW % GROUP);
	if (ROW < n) verdicts[ROW] = verdict;
}

#endif
