// One equation for many rows: docs/batch-soundness.md. Of each row that is well formed
//
//	a·G + b·P + c·R = 0
//
// must be so: with s·G − e·P − R in BIP-340, and with z·G + r·P − s·R in ECDSA, where R is the
// point that the recovery id names and nothing is divided by s. The kernels here multiply it by a
// coefficient u + v·λ of the row, write the terms of P and of R, which a sum of points adds up, and
// leave the scalar of G, which is added up by itself.

#ifndef KOBLITZ_EQUATION_H
#define KOBLITZ_EQUATION_H

#include "abscissa.h"
#include "challenge.h"
#include "terms.h"

// A record holds a sum of scalars of G, EQUATION_LIMBS limbs, the least significant first, and how
// many rows of each verdict it is of, each of which counts as a number that the call chooses. VALID
// here says that the row has terms; UNCHECKED, that its recovery id names no point. Records are
// stored by words: word k of record i of n is at n·k + i.
#define EQUATION_LIMBS 9
#define EQUATION_WORDS (EQUATION_LIMBS + 4)

// short_set sets the five limbs d to the number that two limbs are, in two's complement all.
DEVICE void short_set(u32 *d, u32 low, u32 high)
{
	d[0] = low;
	d[1] = high;
	UNROLL
	for (int i = 2; i < 5; i++) d[i] = 0 - (high >> 31);
}

// short_neg sets d = −d.
DEVICE void short_neg(u32 *d)
{
	const u32 zero[5] = {0, 0, 0, 0, 0};
	sc_split_sub(d, zero, d);
}

// sc_set_short sets r to the five limbs d in two's complement, modulo n.
DEVICE void sc_set_short(sc *r, const u32 *d)
{
	u32 t[5];
	u32 negative = d[4] >> 31;
	UNROLL
	for (int i = 0; i < 5; i++) t[i] = d[i];
	if (negative) short_neg(t);
	sc_set(r, 0, 0, 0, 0, 0, 0, t[1], t[0]);
	if (negative) sc_neg(r, r);
}

// equation_coefficient sets u and v to the row's, and z to u + v·λ modulo n. With the SHA-256 of
// the seed, 32 bytes, and of the number of the row, four bytes and big-endian, u is the signed
// number that its bytes 0 to 7 are, big-endian and in two's complement, and v that of 8 to 15.
DEVICE void equation_coefficient(u32 *u, u32 *v, sc *z, GLOBAL const u8 *seed, u32 number)
{
	u32 w[16];
	u32 h[8] = { // FIPS 180-4, section 5.3.3
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	};
	sc t;
	UNROLL
	for (int i = 0; i < 8; i++) {
		w[i] = load_be32(seed + 4 * i);
		w[8 + i] = 0;
	}
	w[8] = number;
	w[9] = 0x80000000;
	w[15] = 8 * 36; // the length in bits
	sha256_block(h, w);
	short_set(u, h[1], h[0]);
	short_set(v, h[3], h[2]);
	sc_set(&t, 0x5363ad4cu, 0xc05c30e0u, 0xa5261c02u, 0x8812645au,
		0x122e22eau, 0x20816678u, 0xdf02967cu, 0x1b23bd72u); // λ
	sc_set_short(z, v);
	sc_mul(z, z, &t);
	sc_set_short(&t, u);
	sc_add(z, z, &t);
}

// equation_schnorr_row writes the terms 2·i and 2·i + 1 and sets the scalar of G, of row i of an
// equation of BIP-340, if it returns VALID. Otherwise they may be anything.
DEVICE u8 equation_schnorr_row(sc *a, GLOBAL u32 *points, GLOBAL u32 *halves, u32 i, u32 flags,
	GLOBAL const u8 *seed, GLOBAL const u8 *msg, GLOBAL const u8 *key,
	GLOBAL const u8 *sig)
{
	fe x, r;
	ge p;
	sc e, z;
	u32 u[5], v[5];
	u32 good = fe_load_be(&x, key);
	good &= fe_load_be(&r, sig);
	good &= sc_load_be(a, sig + 32);
	if (!good || !ge_lift_x(&p, &x, 0)) return MALFORMED;
	term_store(points, 2 * i, &p);
	fe_load_be(&r, sig);
	if (!ge_lift_x(&p, &r, 0)) return INVALID;
	term_store(points, 2 * i + 1, &p);
	// What is needed is read again: registers are short in a lift.
	fe_load_be(&x, key);
	fe_load_be(&r, sig);
	sc_load_be(a, sig + 32);
	schnorr_challenge(&e, flags, msg, &r, &x);
	equation_coefficient(u, v, &z, seed, i);
	sc_mul(a, a, &z);
	sc_mul(&e, &e, &z);
	sc_neg(&e, &e);
	halves_store(halves, 2 * i, &e);
	short_neg(u);
	short_neg(v);
	half_store(halves, 2 * i + 1, 0, u);
	half_store(halves, 2 * i + 1, 1, v);
	return VALID;
}

// equation_ecdsa_row is the same for a row of ECDSA with a recovery id. It returns UNCHECKED if
// there is no point that the id names: the row may be valid without it.
DEVICE u8 equation_ecdsa_row(sc *a, GLOBAL u32 *points, GLOBAL u32 *halves, u32 i, u32 flags,
	GLOBAL const u8 *seed, GLOBAL const u8 *hash, GLOBAL const u8 *key,
	GLOBAL const u8 *sig, u32 id)
{
	fe x;
	ge p;
	sc r, s, z;
	u32 u[5], v[5];
	u32 good = load_nonzero(&r, sig);
	good &= load_nonzero(&s, sig + 32);
	if (!good || id > 3 || !load_key(&p, key)) return MALFORMED;
	if (flags & LOW_S && sc_is_high(&s)) return INVALID;
	term_store(points, 2 * i, &p);
	// What is needed is read again: registers are short in a lift.
	sc_load_be(&r, sig);
	ecdsa_set_x(&x, &r);
	if (id & 2 && !ecdsa_add_order(&x, &r)) return UNCHECKED;
	if (!ge_lift_x(&p, &x, id & 1)) return UNCHECKED;
	term_store(points, 2 * i + 1, &p);
	sc_load_be(&r, sig);
	sc_load_be(&s, sig + 32);
	sc_load_be_reduced(a, hash);
	equation_coefficient(u, v, &z, seed, i);
	sc_mul(a, a, &z);
	sc_mul(&r, &r, &z);
	sc_mul(&s, &s, &z);
	sc_neg(&s, &s);
	halves_store(halves, 2 * i, &r);
	halves_store(halves, 2 * i + 1, &s);
	return VALID;
}

// equation_end stores the record of row i of count, which counts as mark. A row that has no terms
// leaves nothing in the sums.
DEVICE void equation_end(GLOBAL u32 *records, u32 count, u32 i, u32 verdict, u32 mark,
	const sc *a, GLOBAL u32 *halves)
{
	UNROLL
	for (int k = 0; k < EQUATION_WORDS; k++) {
		u32 word = k >= EQUATION_LIMBS && verdict == (u32)(k - EQUATION_LIMBS) ? mark : 0;
		if (k < 8 && verdict == VALID) word = a->v[k];
		records[(u64)count * k + i] = word;
	}
	if (verdict == VALID) return;
	halves_clear(halves, 2 * i);
	halves_clear(halves, 2 * i + 1);
}

// k_equation_schnorr writes the terms and the records of n rows, of which the first is number first
// of the count rows of an equation. The columns are those of k_schnorr.
KERNEL void k_equation_schnorr(ROW_PARAMETER u32 n, u32 flags, u32 first, u32 count, u32 mark,
	GLOBAL const u8 *seed, GLOBAL const u8 *msgs, GLOBAL const u8 *keys, GLOBAL const u8 *sigs,
	GLOBAL u32 *points, GLOBAL u32 *halves, GLOBAL u32 *records)
{
	u32 row = ROW;
	if (row >= n) return;
	u64 i = row;
	u32 at = first + row;
	sc a;
	u8 verdict = equation_schnorr_row(&a, points, halves, at, flags, seed, msgs + 32 * i,
		keys + 32 * i, sigs + 64 * i);
	equation_end(records, count, at, verdict, mark, &a, halves);
}

// k_equation_ecdsa does that with the columns of k_ecdsa. There must be recovery ids.
KERNEL void k_equation_ecdsa(ROW_PARAMETER u32 n, u32 flags, u32 first, u32 count, u32 mark,
	GLOBAL const u8 *seed, GLOBAL const u8 *hashes, GLOBAL const u8 *keys, GLOBAL const u8 *sigs,
	GLOBAL const u8 *ids, GLOBAL u32 *points, GLOBAL u32 *halves, GLOBAL u32 *records)
{
	u32 row = ROW;
	if (row >= n) return;
	u64 i = row;
	u32 at = first + row;
	sc a;
	u8 verdict = equation_ecdsa_row(&a, points, halves, at, flags, seed, hashes + 32 * i,
		keys + 33 * i, sigs + 64 * i, ids[i]);
	equation_end(records, count, at, verdict, mark, &a, halves);
}

// k_equation_add adds up count records, of which record i is added to record i mod n of n.
// The sum of fewer than 2^32 scalars fits.
KERNEL void k_equation_add(ROW_PARAMETER u32 n, u32 count, GLOBAL const u32 *records,
	GLOBAL u32 *sums)
{
	u32 row = ROW;
	if (row >= n) return;
	u32 sum[EQUATION_WORDS];
	UNROLL
	for (int k = 0; k < EQUATION_WORDS; k++) sum[k] = 0;
	ROLLED
	for (u64 i = row; i < count; i += n) {
		u64 acc = 0;
		UNROLL
		for (int k = 0; k < EQUATION_LIMBS; k++) {
			acc += (u64)sum[k] + records[(u64)count * k + i];
			sum[k] = (u32)acc;
			acc >>= 32;
		}
		UNROLL
		for (int k = EQUATION_LIMBS; k < EQUATION_WORDS; k++) sum[k] += records[(u64)count * k + i];
	}
	UNROLL
	for (int k = 0; k < EQUATION_WORDS; k++) sums[(u64)n * k + row] = sum[k];
}

#endif
