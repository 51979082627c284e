// BIP-340, "Verification".

#ifndef KOBLITZ_SCHNORR_H
#define KOBLITZ_SCHNORR_H

#include "challenge.h"

// schnorr_load sets p to the key, s, and e to the negative of the challenge, and returns 1 if the
// row is well formed.
DEVICE u32 schnorr_load(ge *p, sc *s, sc *e, u32 flags, GLOBAL const u8 *msg,
	GLOBAL const u8 *key, GLOBAL const u8 *sig)
{
	fe x, r;
	u32 good = fe_load_be(&x, key);
	good &= fe_load_be(&r, sig);
	good &= sc_load_be(s, sig + 32);
	if (!good || !ge_lift_x(p, &x, 0)) return 0;
	schnorr_challenge(e, flags, msg, &r, &x);
	sc_neg(e, e);
	return 1;
}

OUTLINE u32 schnorr_r_is_call(PRIVATE const xyzz *a, GLOBAL const u8 *sig)
{
	fe r;
	fe_load_be(&r, sig);
	return xyzz_has_x((const xyzz *)a, &r);
}

// schnorr_r_is returns 1 if the signature's r is the x coordinate of a.
DEVICE u32 schnorr_r_is(const xyzz *a, GLOBAL const u8 *sig)
{
	return schnorr_r_is_call((PRIVATE const xyzz *)a, sig);
}

// schnorr_end returns the verdict of a row: what one of VALID still lacks is that the ordinate of a
// is even. All work items of a group call it.
DEVICE u8 schnorr_end(const xyzz *a, u8 verdict, SHARED u32 *tree, u32 item)
{
	fe y;
	fe_set_int(&y, 0);
	if (verdict == VALID) y = a->zzz;
	fe_inv_group(&y, &y, tree, item);
	if (verdict == VALID) {
		xyzz_y(&y, a, &y);
		if (y.v[0] & 1) verdict = INVALID;
	}
	return verdict;
}

// k_schnorr verifies n signatures. The columns have 32, 32 and 64 bytes a row.
KERNEL void k_schnorr(ROW_PARAMETER u32 n, u32 flags, GLOBAL const u8 *msgs,
	GLOBAL const u8 *keys, GLOBAL const u8 *sigs, GLOBAL u8 *verdicts, GLOBAL const u32 *gtable)
{
	GROUP_MEMORY u32 tree[TREE_WORDS];
	u64 i = ROW;
	ge p;
	xyzz a;
	sc s, e;
	u8 verdict = MALFORMED;
	if (i < n && schnorr_load(&p, &s, &e, flags, msgs + 32 * i, keys + 32 * i, sigs + 64 * i)) {
		verdict = UNCHECKED;
		// R = s·G − e·P.
		if (mul_double(&a, &s, &e, &p, gtable))
			verdict = schnorr_r_is(&a, sigs + 64 * (u64)ROW) ? VALID : INVALID;
	}
	verdict = schnorr_end(&a, verdict, tree, ROW % GROUP);
	if (ROW < n) verdicts[ROW] = verdict;
}

#endif
