// ECDSA: verification (SEC 1 version 2, section 4.1.4) and recovery (section 4.1.6).

#ifndef KOBLITZ_ECDSA_H
#define KOBLITZ_ECDSA_H

#include "abscissa.h"
#include "keccak.h"
#include "verdict.h"

OUTLINE u32 ecdsa_r_is_call(PRIVATE const xyzz *a, GLOBAL const u8 *sig)
{
	fe x;
	sc r;
	sc_load_be(&r, sig);
	ecdsa_set_x(&x, &r);
	if (xyzz_has_x((const xyzz *)a, &x)) return 1;
	return ecdsa_add_order(&x, &r) && xyzz_has_x((const xyzz *)a, &x);
}

// ecdsa_r_is returns 1 if the x coordinate of a, modulo n, is the signature's r: if it is r or
// r + n. a is not infinity.
DEVICE u32 ecdsa_r_is(const xyzz *a, GLOBAL const u8 *sig)
{
	return ecdsa_r_is_call((PRIVATE const xyzz *)a, sig);
}

// ecdsa_load sets p to the key, u1 = z/s and u2 = r/s, and returns VALID, or what else the row is.
// inverse is 1/s, if s is in [1, n).
DEVICE u8 ecdsa_load(ge *p, sc *u1, sc *u2, const sc *inverse, u32 flags,
	GLOBAL const u8 *hash, GLOBAL const u8 *key, GLOBAL const u8 *sig)
{
	sc r, s;
	u32 good = load_nonzero(&r, sig);
	good &= load_nonzero(&s, sig + 32);
	if (!good || !load_key(p, key)) return MALFORMED;
	if (flags & LOW_S && sc_is_high(&s)) return INVALID;
	sc_load_be_reduced(u1, hash);
	sc_mul(u1, u1, inverse);
	sc_mul(u2, &r, inverse);
	return VALID;
}

// k_ecdsa verifies n signatures. The columns have 32, 33 and 64 bytes a row. ids is 0, or has a
// recovery id of one byte a row: those above 3 make the row MALFORMED, the others change nothing.
KERNEL void k_ecdsa(ROW_PARAMETER u32 n, u32 flags, GLOBAL const u8 *hashes,
	GLOBAL const u8 *keys, GLOBAL const u8 *sigs, GLOBAL const u8 *ids, GLOBAL u8 *verdicts,
	GLOBAL const u32 *gtable)
{
	GROUP_MEMORY u32 tree[TREE_WORDS];
	u64 i = ROW;
	ge p;
	xyzz a;
	sc s, u1, u2;
	load_divisor(&s, sigs + 64 * i + 32, i < n);
	sc_inv_group(&s, &s, tree, i % GROUP);
	if (i >= n) return;
	u8 verdict = MALFORMED;
	if (!ids || ids[i] <= 3)
		verdict = ecdsa_load(&p, &u1, &u2, &s, flags, hashes + 32 * i, keys + 33 * i, sigs + 64 * i);
	if (verdict == VALID) {
		verdict = UNCHECKED;
		if (mul_double(&a, &u1, &u2, &p, gtable))
			verdict = ecdsa_r_is(&a, sigs + 64 * (u64)ROW) ? VALID : INVALID;
	}
	verdicts[ROW] = verdict;
}

// recover_load sets p to R, u1 = −z/r and u2 = s/r, and returns VALID, or what else the row is.
// inverse is 1/r, if r is in [1, n).
DEVICE u8 recover_load(ge *p, sc *u1, sc *u2, const sc *inverse, u32 flags,
	GLOBAL const u8 *hash, GLOBAL const u8 *sig)
{
	fe x;
	sc r, s;
	u8 id = sig[64];
	u32 good = load_nonzero(&r, sig);
	good &= load_nonzero(&s, sig + 32);
	if (!good || id > 3) return MALFORMED;
	if (flags & LOW_S && sc_is_high(&s)) return INVALID;
	ecdsa_set_x(&x, &r);
	if (id & 2 && !ecdsa_add_order(&x, &r)) return INVALID;
	if (!ge_lift_x(p, &x, id & 1)) return INVALID;
	sc_mul(u2, &s, inverse);
	sc_load_be_reduced(u1, hash);
	sc_mul(u1, u1, inverse);
	sc_neg(u1, u1);
	return VALID;
}

// k_recover finds n keys Q = (s·R − z·G)/r. The columns have 32 and 65 bytes a row, the last of
// which is the recovery id, and out has KEY_SIZE, or ADDRESS_SIZE with the flag ADDRESS.
KERNEL void k_recover(ROW_PARAMETER u32 n, u32 flags, GLOBAL const u8 *hashes,
	GLOBAL const u8 *sigs, GLOBAL u8 *verdicts, GLOBAL u8 *out, GLOBAL const u32 *gtable)
{
	GROUP_MEMORY u32 tree[TREE_WORDS];
	u64 i = ROW;
	ge p, key;
	xyzz q;
	sc r, u1, u2;
	u8 verdict = MALFORMED;
	load_divisor(&r, sigs + 65 * i, i < n);
	sc_inv_group(&r, &r, tree, i % GROUP);
	if (i < n)
		verdict = recover_load(&p, &u1, &u2, &r, flags, hashes + 32 * i, sigs + 65 * i);
	if (verdict == VALID && !mul_double(&q, &u1, &u2, &p, gtable)) verdict = UNCHECKED;
	ge_of_group(&key, &q, verdict, tree, ROW % GROUP);
	i = ROW;
	if (i >= n) return;
	if (flags & ADDRESS)
		store_address(out + ADDRESS_SIZE * i, &key, verdict);
	else
		store_key(out + KEY_SIZE * i, &key, verdict);
	verdicts[i] = verdict;
}

#endif
