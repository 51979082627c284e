// What the kernels say of a row, and the flags of a call. The numbers are those of package
// device. A row has its verdict by its arguments alone, exactly that of the host, or
// UNCHECKED: then an addition met a case that its formula excludes, and the host does the row.

#ifndef KOBLITZ_VERDICT_H
#define KOBLITZ_VERDICT_H

#include "point.h"
#include "tree.h"

#define UNCHECKED 0
#define VALID 1
#define INVALID 2   // the fields are well formed, the signature is not good
#define MALFORMED 3 // a field encodes nothing

#define LOW_S 1u   // s above n/2 is not valid
#define HASHED 2u  // the first column holds challenges instead of messages
#define ADDRESS 4u // the results are Ethereum addresses instead of keys

#define KEY_SIZE 65 // bytes of an uncompressed key (SEC 1 version 2, section 2.3.3)

// load_key sets p to the point with the compressed encoding b (SEC 1 version 2, section 2.3.4),
// and returns 1 if there is one.
DEVICE u32 load_key(ge *p, GLOBAL const u8 *b)
{
	fe x;
	u32 below = fe_load_be(&x, b + 1);
	return (b[0] & 0xfe) == 2 && below && ge_lift_x(p, &x, b[0] & 1);
}

// load_nonzero sets r to the scalar that 32 bytes encode, and returns 1 if it is in [1, n).
DEVICE u32 load_nonzero(sc *r, GLOBAL const u8 *b)
{
	u32 below = sc_load_be(r, b);
	return below && !sc_is_zero(r);
}

// load_divisor sets r to the scalar that 32 bytes encode, reduced. If there is no row, it reads
// nothing and r is 0.
DEVICE void load_divisor(sc *r, GLOBAL const u8 *b, u32 exists)
{
	sc_set_int(r, 0);
	if (exists) sc_load_be_reduced(r, b);
}

// store_key writes p as an uncompressed key if the verdict is VALID, and zeros if it is not.
DEVICE void store_key(GLOBAL u8 *out, const ge *p, u8 verdict)
{
	if (verdict == VALID) {
		ge_store_be(out, p);
		return;
	}
	ROLLED
	for (int i = 0; i < KEY_SIZE; i++) out[i] = 0;
}

// ge_of_group sets p = a for each work item of a group whose verdict is VALID, and for the others
// to what says nothing. All of them call it.
DEVICE void ge_of_group(ge *p, const xyzz *a, u8 verdict, SHARED u32 *tree, u32 item)
{
	fe inverse;
	fe_set_int(&inverse, 0);
	if (verdict == VALID) inverse = a->zzz;
	fe_inv_group(&inverse, &inverse, tree, item);
	if (verdict == VALID) xyzz_to_ge(p, a, &inverse);
}

#endif
