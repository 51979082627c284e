// The abscissa of a signature's nonce in ECDSA: r, or r + n if that is below p.

#ifndef KOBLITZ_ABSCISSA_H
#define KOBLITZ_ABSCISSA_H

#include "scalar.h"

// ecdsa_add_order sets x = r + n, and returns 1 if that is below p: if r < p − n.
DEVICE u32 ecdsa_add_order(fe *x, const sc *r)
{
	sc room, n, t;
	sc_set(&room, 0, 0, 0, 1, 0x45512319u, 0x50b75fc4u, 0x402da172u, 0x2fc9baeeu);
	sc_order(&n);
	u64 acc = 0;
	UNROLL
	for (int i = 0; i < 8; i++) {
		acc += (u64)r->v[i] + n.v[i];
		x->v[i] = (u32)acc;
		acc >>= 32;
	}
	return sc_sub_raw(&t, r, &room);
}

// ecdsa_set_x sets x = r, which is below p as every scalar.
DEVICE void ecdsa_set_x(fe *x, const sc *r)
{
	UNROLL
	for (int i = 0; i < 8; i++) x->v[i] = r->v[i];
}

#endif
