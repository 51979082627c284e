/* Kernels that compute one function of field.h or scalar.h each. Their first argument is the
 * memory for the result, the second one has the operands, one after the other. functions_test.go
 * has the command that makes functions.ptx of them. */
#include "vendor.h"
#include "scalar.h"

/* TO and FROM copy eight limbs. */
#define TO(p, x) UNROLL for (int i = 0; i < 8; i++) (p)[i] = (x).v[i]
#define FROM(x, p) UNROLL for (int i = 0; i < 8; i++) (x).v[i] = (p)[i]

#define FUNCTION(name, type, call) \
	KERNEL void name##_alone(GLOBAL u32 *out, GLOBAL const u32 *in) \
	{ \
		type x, y; \
		FROM(x, in); \
		FROM(y, in + 8); \
		call; \
		TO(out, x); \
	}

#define PREDICATE(name, type) \
	KERNEL void name##_alone(GLOBAL u32 *out, GLOBAL const u32 *in) \
	{ \
		type x; \
		FROM(x, in); \
		out[0] = name(&x); \
	}

FUNCTION(fe_neg, fe, fe_neg(&x, &x))
FUNCTION(fe_half, fe, fe_half(&x, &x))
FUNCTION(fe_fold, fe, fe_fold(&x, &x, (u64)in[9] << 32 | in[8]))
FUNCTION(fe_mul_int, fe, fe_mul_int(&x, &x, in[8]))
FUNCTION(fe_mul_beta, fe, fe_mul_beta(&x, &x))
FUNCTION(fe_normal, fe, fe_normal(&x, &x))
FUNCTION(fe_cmov, fe, fe_cmov(&x, &y, in[16]))
FUNCTION(sc_reduce, sc, sc_reduce(&x, &x, in[8]))
FUNCTION(sc_add, sc, sc_add(&x, &x, &y))
FUNCTION(sc_neg, sc, sc_neg(&x, &x))
PREDICATE(fe_is_zero, fe)
PREDICATE(sc_is_zero, sc)
PREDICATE(sc_is_high, sc)
